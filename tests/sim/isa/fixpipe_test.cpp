#include "sim/isa/fixpipe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/units.h"
#include "sim/core/gm_window.h"
#include "tests/sim/isa/isa_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kReach = 256 * 1024;

struct Kind {
  Quant quant;
  DType dtype;
};
constexpr Kind kKinds[] = {
    {Quant::kNone, DType::kFp32}, {Quant::kF322F16, DType::kFp16}, {Quant::kF322BF16, DType::kBf16}};

// The bits of the result for one element of L0C.
uint32_t Converted(const Fixpipe& op, bool ieee, float value) {
  if (op.relu) {
    value = value > 0 ? value : 0;
  }
  switch (op.quant) {
    case Quant::kNone:
      return std::bit_cast<uint32_t>(value);
    case Quant::kF322F16:
      return ieee ? Half(value).bits : ToHalfSaturating(value).bits;
    default:
      return ieee ? BFloat16(value).bits : ToBFloat16Saturating(value).bits;
  }
}

// The documented byte offsets.
int64_t SourceByte(const Fixpipe& op, int64_t i, int64_t m, int64_t n) {
  return i * op.src_matrix_stride * 1024 + n / 16 * op.src_stride * 16 * 4 + m * 16 * 4 + n % 16 * 4;
}
int64_t DestinationByte(const Fixpipe& op, int64_t i, int64_t m, int64_t n) {
  const auto size = static_cast<int64_t>(Unsigned(op.dtype.bits() / 8));
  if (op.layout == FixpipeLayout::kRowMajor) {
    return (i * op.dst_matrix_stride + m * op.dst_stride + n) * size;
  }
  return op.channel_split ? n / 8 * op.dst_stride * 32 + m * 8 * 4 + n % 8 * 4
                          : n / 16 * op.dst_stride * 32 + m * 16 * size + n % 16 * size;
}

Fixpipe RandomFixpipe(Random& random, const Operand& dst) {
  const Kind kind = kKinds[random.Int(0, 2)];
  const auto size = static_cast<int64_t>(SizeOf(kind.dtype));
  Fixpipe op{.dst = dst,
             .src = In(Memory::kL0C, random.Int(0, 3) * 64),
             .layout = random.Coin() ? FixpipeLayout::kNz : FixpipeLayout::kRowMajor,
             .dtype = kind.dtype,
             .quant = kind.quant,
             .n = random.Int(1, 6) * 16,
             .m = random.OneOf<int64_t>({1, 15, 16, 17, random.Int(1, 150)}),
             .relu = random.Coin()};
  op.src_stride = AlignUp(op.m, 16) + random.Int(0, 1) * 16;
  if (op.layout == FixpipeLayout::kRowMajor) {
    op.n -= random.Int(0, 15);
    op.dst_stride = op.n + random.Int(0, 1) * random.Int(0, 30);
    op.num_matrices = random.Int(1, 2);
    op.src_matrix_stride = CeilDiv(CeilDiv(op.n, 16) * op.src_stride, 16);
    op.dst_matrix_stride = op.m * op.dst_stride + random.Int(0, 9);
  } else {
    op.channel_split = kind.dtype == DType::kFp32 && dst.memory == Memory::kGm && random.Coin();
    op.n -= op.channel_split ? random.Int(0, 1) * 8 : 0;
    op.dst_stride = op.m * (op.channel_split ? 1 : size / 2) + random.Int(0, 2);
  }
  if (dst.memory == Memory::kGm) {
    op.dst.begin += static_cast<uint64_t>(random.Int(0, 9) * 4);
  }
  return op;
}

void FillL0C(Random& random, TestCore& core) {
  for (int64_t i = 0; i < core.soc().l0c_bytes / 4; ++i) {
    core->l0c()[i] = static_cast<float>(random.Real(-3, 3));
  }
  const float inf = std::numeric_limits<float>::infinity();
  for (const float value : {inf, -inf, std::nanf(""), 65504.0F, 65519.9F, 65520.0F, -70000.0F, 3.4e38F,
                            -3.4e38F, 1e-8F, 6e-8F, -0.0F, 1.00048828125F, 1.00146484375F, 1e-40F}) {
    for (int i = 0; i < 40; ++i) {
      core->l0c()[random.Int(0, core.soc().l0c_bytes / 4 - 1)] = value;
    }
  }
}

class FixpipeTo : public testing::TestWithParam<Memory> {};

TEST_P(FixpipeTo, PutsEachElementWhereTheDefinitionDoesAndNothingElse) {
  Random random;
  TestCore core;
  FillL0C(random, core);
  const bool to_gm = GetParam() == Memory::kGm;
  std::byte* const memory = to_gm ? core.gm().data() : core->l1();
  const uint64_t base = to_gm ? core.address() : 0;
  for (int round = 0; round < Repetitions(200); ++round) {
    const Fixpipe op = RandomFixpipe(random, to_gm ? core.Gm() : In(Memory::kL1, random.Int(0, 9) * 32));
    const bool ieee = random.Coin();
    core->registers().ieee = ieee;
    std::memset(memory, 0xAB, kReach);
    Bytes expected(memory, memory + kReach);
    std::vector<bool> written(kReach);
    std::vector<bool> read(static_cast<size_t>(core.soc().l0c_bytes));
    for (int64_t i = 0; i < op.num_matrices; ++i) {
      for (int64_t m = 0; m < op.m; ++m) {
        for (int64_t n = 0; n < op.n; ++n) {
          const int64_t from = static_cast<int64_t>(op.src.begin) + SourceByte(op, i, m, n);
          const auto to = static_cast<int64_t>(op.dst.begin - base) + DestinationByte(op, i, m, n);
          const uint32_t bits = Converted(op, ieee, core->l0c()[from / 4]);
          const size_t size = Unsigned(op.dtype.bits() / 8);
          std::memcpy(expected.data() + to, &bits, size);
          std::fill_n(written.begin() + to, size, true);
          std::fill_n(read.begin() + from, 4, true);
        }
      }
    }
    const Operands operands = op.Footprint(*core);
    ASSERT_EQ(Covered(operands, GetParam(), Use::kWrite, base, kReach), written) << "round " << round;
    ASSERT_EQ(Covered(operands, Memory::kL0C, Use::kRead, 0, read.size()), read) << "round " << round;
    core.Issue(op);
    ASSERT_EQ(std::memcmp(memory, expected.data(), kReach), 0) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, FixpipeTo, testing::Values(Memory::kGm, Memory::kL1),
                         [](const auto& test) { return std::string(tilesim::Name(test.param)); });

Fixpipe Plain(const TestCore& core) {
  return {.dst = core.Gm(),
          .src = In(Memory::kL0C),
          .layout = FixpipeLayout::kNz,
          .n = 32,
          .m = 20,
          .src_stride = 32,
          .dst_stride = 40};
}

TEST(Fixpipe, AddsToGmWhereTheAtomicRegisterSaysSo) {
  for (const Kind& kind : kKinds) {
    TestCore core;
    core->registers().atomic = AtomicOp::kAdd;
    core->registers().atomic_dtype = kind.dtype;
    Fixpipe op = Plain(core);
    op.dtype = kind.dtype;
    op.quant = kind.quant;
    op.layout = FixpipeLayout::kRowMajor;
    for (int64_t i = 0; i < 1024; ++i) {
      core->l0c()[i] = static_cast<float>(i % 7);
    }
    for (int64_t i = 0; i < 1024; ++i) {
      PutElement(kind.dtype, core.gm().data(), i, BitsOf(kind.dtype, static_cast<double>(i % 5)));
    }
    EXPECT_EQ(op.Footprint(*core).begin()->use, Use::kAtomic);
    core.Issue(op);
    core.Issue(op);
    Bytes found(20 * 40 * SizeOf(kind.dtype));
    core->gm().Read(core.address(), found.data(), found.size());
    for (int64_t m = 0; m < 20; ++m) {
      for (int64_t n = 0; n < 40; ++n) {
        const int64_t at = m * 40 + n;
        const int64_t added = n < 32 ? 2 * ((n / 16 * 512 + m * 16 + n % 16) % 7) : 0;
        ASSERT_EQ(ElementAt(kind.dtype, found.data(), at),
                  BitsOf(kind.dtype, static_cast<double>(at % 5 + added)));
      }
    }
  }
}

TEST(Fixpipe, IgnoresTheAtomicRegisterOnTheWayToL1) {
  TestCore core;
  core->registers().atomic = AtomicOp::kAdd;
  core->registers().atomic_dtype = DType::kFp16;
  Fixpipe op = Plain(core);
  op.dst = In(Memory::kL1);
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  EXPECT_EQ(op.Footprint(*core).begin()->use, Use::kWrite);
}

TEST(Fixpipe, DoesNothingWhereASizeIsZero) {
  TestCore core;
  for (int64_t Fixpipe::*size : {&Fixpipe::m, &Fixpipe::n, &Fixpipe::num_matrices}) {
    Fixpipe op = Plain(core);
    op.layout = FixpipeLayout::kRowMajor;
    op.*size = 0;
    op.dst_stride = 0;
    EXPECT_EQ(op.Footprint(*core).size(), 0);
    EXPECT_EQ(std::get<Cost>(op.TimeOn(*core)).busy_cycles, 0);
    core.Issue(op);
    EXPECT_EQ(core.gm()[0], std::byte{0});
  }
}

TEST(Fixpipe, HandsItsUnitFlagOn) {
  TestCore core;
  Fixpipe op = Plain(core);
  op.unit_flag = 3;
  EXPECT_EQ(op.UnitFlag(), 3);
  EXPECT_SAYS(core.FaultOf(op), "the unit flag of L0C block");
}

TEST(Fixpipe, RefusesWhatItsTablesForbid) {
  struct Refusal {
    void (*change)(Fixpipe&, CoreRegisters&);
    const char* says;
  };
  using F = Fixpipe;
  using R = CoreRegisters;
  const std::vector<Refusal> refusals = {
      {[](F& f, R&) { f.n = 4096; }, "nSize = 4096, must be in [0, 4095]"},
      {[](F& f, R&) { f.n = 24; }, "nSize = 24, must be a multiple of 16 in NZ; round it up to 32"},
      {[](F& f, R&) { f.n = 20, f.channel_split = true; },
       "nSize = 20, must be a multiple of 8 in NZ with channel split"},
      {[](F& f, R&) { f.m = 65536; }, "mSize = 65536, must be in [0, 65535]"},
      {[](F& f, R&) { f.layout = FixpipeLayout::kRowMajor, f.m = 8193; },
       "mSize = 8193, must be in [0, 8192]"},
      {[](F& f, R&) { f.layout = FixpipeLayout::kRowMajor, f.num_matrices = 65536; },
       "ndNum = 65536, must be in [0, 65535]"},
      {[](F& f, R&) { f.layout = FixpipeLayout::kRowMajor, f.src_matrix_stride = 65536; },
       "srcNdStride = 65536"},
      {[](F& f, R&) { f.layout = FixpipeLayout::kRowMajor, f.dst_matrix_stride = 65536; },
       "dstNdStride = 65536"},
      {[](F& f, R&) { f.src_stride = 65536; }, "srcStride = 65536, must be in [0, 65535]"},
      {[](F& f, R&) { f.dst_stride = 0; }, "dstStride = 0, must be in [1, 4294967295]; it may not be 0"},
      {[](F& f, R&) { f.quant = Quant::kDeqF16; },
       "DEQF16 converts int32, but L0C holds fp32; set quantPre to match"},
      {[](F& f, R&) { f.src_int32 = true, f.quant = Quant::kVqf322B8; },
       "VQF322B8_PRE converts fp32, but L0C holds int32"},
      {[](F& f, R&) { f.src_int32 = true, f.quant = Quant::kReq8; },
       "REQ8 writes int8, uint8, but dst is fp32"},
      {[](F& f, R&) { f.src_int32 = true; }, "NoQuant writes int32, but dst is fp32"},
      {[](F& f, R&) { f.quant = static_cast<Quant>(9); }, "quantPre = 9, there is no such mode on this part"},
      {[](F& f, R& r) { f.quant = Quant::kQf322B8, f.dtype = VectorType::kInt8, r.quant_word = 0x7F800000; },
       "is infinite, NaN or subnormal; put a normal fp32 number there"},
      {[](F& f, R&) { f.channel_split = true, f.unit_flag = 2; }, "isChannelSplit = true with unitFlag = 2"},
      {[](F& f, R&) { f.dtype = DType::kFp16; },
       "NoQuant writes fp32, but dst is fp16; set quantPre to match"},
      {[](F& f, R&) { f.quant = Quant::kF322BF16; }, "F322BF16 writes bf16, but dst is fp32"},
      {[](F& f, R&) { f.channel_split = true, f.layout = FixpipeLayout::kRowMajor; },
       "allowed for NZ, fp32 to GM only"},
      {[](F& f, R&) { f.channel_split = true, f.dst = In(Memory::kL1); }, "allowed for NZ, fp32 to GM only"},
      {[](F& f, R&) { f.channel_split = true, f.quant = Quant::kF322F16, f.dtype = DType::kFp16; },
       "allowed for NZ, fp32 to GM only"},
      {[](F& f, R&) { f.unit_flag = 1; }, "unitFlag = 1, must be 0 (off), 2 (keep) or 3 (flip)"},
      {[](F& f, R&) { f.dst.memory = Memory::kUb; }, "dst: is in UB, must be in GM or L1"},
      {[](F& f, R&) { f.src.memory = Memory::kL1; }, "src: is in L1, must be in L0C"},
      {[](F& f, R&) { f.src.begin = 32; }, "address 32 in L0C must be a multiple of 64"},
      {[](F& f, R&) { f.dst = In(Memory::kL1, 16); }, "address 16 in L1 must be a multiple of 32"},
      {[](F&, R& r) { r.atomic = AtomicOp::kAdd, r.atomic_dtype = DType::kFp16; },
       "is fp32 but the atomic operation was set for fp16; set it for fp32 or call SetAtomicNone"},
      {[](F& f, R& r) { r.atomic = AtomicOp::kAdd, f.dst.begin += 2; }, "must be a multiple of 4 bytes"},
      {[](F& f, R&) { f.src.limit = 2048; }, "of L0C pass the end of the tensor's buffer at 2048"},
  };
  for (const Refusal& refusal : refusals) {
    TestCore core;
    Fixpipe op = Plain(core);
    ASSERT_EQ(core.FaultOf(op), "(no fault)");
    refusal.change(op, core->registers());
    EXPECT_SAYS(core.FaultOf(op), refusal.says);
  }
}

}  // namespace
}  // namespace tilesim::isa
