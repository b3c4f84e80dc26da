#include "sim/isa/data_move.h"

#include <gtest/gtest.h>

#include "tests/sim/isa/reached_bytes.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

CopyBlocks RandomBlocks(Random& random) {
  for (;;) {
    const CopyBlocks blocks{.count = random.Int(1, 9),
                            .length_blocks = random.Int(1, 20),
                            .src_gap_blocks = random.Coin() ? 0 : random.Int(0, 30),
                            .dst_gap_blocks = random.Coin() ? 0 : random.Int(0, 30)};
    const int64_t gap = std::max(blocks.src_gap_blocks, blocks.dst_gap_blocks);
    if (blocks.count * (blocks.length_blocks + gap) * 32 <= kReach / 2) {
      return blocks;
    }
  }
}

TestCore MakeCore(Memory memory) {
  return TestCore({.values = true, .time = true, .hazards = false},
                  {.kind = memory == Memory::kUb ? CoreKind::kAiv : CoreKind::kAic});
}

std::byte* Local(TestCore& core, Memory memory) { return memory == Memory::kUb ? core->ub() : core->l1(); }

class CopyThrough : public testing::TestWithParam<Memory> {};

TEST_P(CopyThrough, MovesBlocksAndSkipsGapsOnTheWayIn) {
  Random random;
  TestCore core = MakeCore(GetParam());
  FillBytes(random, core.gm().data(), kReach);
  for (int round = 0; round < Repetitions(50); ++round) {
    const CopyFromGm op{.dst = In(GetParam(), random.Int(0, 9) * 32),
                        .src = core.Gm(random.Int(0, 99)),
                        .blocks = RandomBlocks(random)};
    std::byte* const local = Local(core, GetParam());
    FillBytes(random, local, kReach);
    Bytes expected(local, local + kReach);
    for (int64_t i = 0; i < op.blocks.count; ++i) {
      for (int64_t b = 0; b < op.blocks.length_blocks * 32; ++b) {
        const int64_t from = i * (op.blocks.length_blocks + op.blocks.src_gap_blocks) * 32 + b;
        const int64_t to = i * (op.blocks.length_blocks + op.blocks.dst_gap_blocks) * 32 + b;
        expected[op.dst.begin + static_cast<uint64_t>(to)] =
            core.gm()[op.src.begin - core.address() + static_cast<uint64_t>(from)];
      }
    }
    core.Issue(op);
    ASSERT_EQ(std::memcmp(expected.data(), local, kReach), 0) << "round " << round;
  }
}

TEST_P(CopyThrough, MovesBlocksAndSkipsGapsOnTheWayOut) {
  Random random;
  TestCore core = MakeCore(GetParam());
  FillBytes(random, Local(core, GetParam()), kReach);
  for (int round = 0; round < Repetitions(50); ++round) {
    const CopyToGm op{.dst = core.Gm(random.Int(0, 99)),
                      .src = In(GetParam(), random.Int(0, 9) * 32),
                      .blocks = RandomBlocks(random)};
    FillBytes(random, core.gm().data(), kReach);
    Bytes expected = core.gm();
    std::vector<bool> written(core.gm().size());
    for (int64_t i = 0; i < op.blocks.count; ++i) {
      for (int64_t b = 0; b < op.blocks.length_blocks * 32; ++b) {
        const int64_t from = i * (op.blocks.length_blocks + op.blocks.src_gap_blocks) * 32 + b;
        const uint64_t to =
            op.dst.begin - core.address() +
            static_cast<uint64_t>(i * (op.blocks.length_blocks + op.blocks.dst_gap_blocks) * 32 + b);
        expected[to] = Local(core, GetParam())[op.src.begin + static_cast<uint64_t>(from)];
        written[to] = true;
      }
    }
    ASSERT_EQ(Covered(op.Footprint(*core), Memory::kGm, Use::kWrite, core.address(), core.gm().size()),
              written);
    core.Issue(op);
    ASSERT_EQ(core.gm(), expected) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, CopyThrough, testing::Values(Memory::kL1, Memory::kUb),
                         [](const auto& test) { return std::string(tilesim::Name(test.param)); });

TEST(CopyToGm, UpdatesGmInTheTypeOfTheAtomicRegister) {
  for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp32, DType::kInt32}) {
    for (const AtomicOp atomic : {AtomicOp::kAdd, AtomicOp::kMax, AtomicOp::kMin}) {
      Random random;
      TestCore core;
      const auto element = static_cast<int64_t>(SizeOf(dtype));
      const int64_t count = 4 * 32 / element;
      const auto put = [&](std::byte* bytes, int64_t i, int64_t value) {
        PutElement(dtype, bytes, i,
                   dtype == DType::kInt32 ? static_cast<uint32_t>(value)
                                          : BitsOf(dtype, static_cast<double>(value)));
      };
      Bytes expected(static_cast<size_t>(count * element));
      for (int64_t i = 0; i < count; ++i) {
        const int64_t old_value = random.Int(-50, 50);
        const int64_t value = random.Int(-50, 50);
        put(core.gm().data() + 64, i, old_value);
        put(core->l1(), i, value);
        put(expected.data(), i,
            atomic == AtomicOp::kAdd   ? old_value + value
            : atomic == AtomicOp::kMax ? std::max(old_value, value)
                                       : std::min(old_value, value));
      }
      core->registers().atomic = atomic;
      core->registers().atomic_dtype = dtype;
      const CopyToGm op{
          .dst = core.Gm(64), .src = In(Memory::kL1), .blocks = {.count = 2, .length_blocks = 2}};
      EXPECT_EQ(op.Footprint(*core).begin()->use, Use::kAtomic);
      core.Issue(op);
      Bytes found(expected.size());
      core->gm().Read(core.address() + 64, found.data(), found.size());
      EXPECT_EQ(found, expected) << tilesim::Name(dtype);
    }
  }
}

TEST(CopyToGm, RefusesAnAtomicTypeOrAddressThatDoesNotFit) {
  TestCore core;
  core->registers().atomic = AtomicOp::kAdd;
  CopyToGm op{.dst = core.Gm(2), .src = In(Memory::kL1), .blocks = {.count = 1, .length_blocks = 1}};
  EXPECT_SAYS(core.FaultOf(op), "must be a multiple of 4 bytes");
  core->registers().atomic_dtype = DType::kFp16;
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  core->registers().atomic_dtype = DType::kUint8;
  EXPECT_SAYS(core.FaultOf(op),
              "there are no atomic updates of type uint8 on this part; allowed: int8, int16, fp16, bf16, "
              "fp32, int32");
}

TEST(Copy, DoesNothingWithoutBlocks) {
  TestCore core;
  for (const CopyBlocks& blocks :
       {CopyBlocks{.count = 0, .length_blocks = 4}, CopyBlocks{.count = 4, .length_blocks = 0}}) {
    const CopyFromGm in{.dst = In(Memory::kL1), .src = core.Gm(), .blocks = blocks};
    const CopyToGm out{.dst = core.Gm(), .src = In(Memory::kL1), .blocks = blocks};
    EXPECT_EQ(in.Footprint(*core).size() + out.Footprint(*core).size(), 0);
    EXPECT_EQ(std::get<Cost>(in.TimeOn(*core)).busy_cycles, 0);
    EXPECT_EQ(std::get<Cost>(out.TimeOn(*core)).busy_cycles, 0);
    core.Issue(in);
    EXPECT_EQ(core->l1()[0], std::byte{0xFF});  // as it was
    core.Issue(out);
    EXPECT_EQ(core.gm()[0], std::byte{0});
  }
}

TEST(Copy, RefusesWhatItsTablesForbid) {
  struct Refusal {
    void (*change)(CopyFromGm&, CopyToGm&);
    const char* in_says;
    const char* out_says;
  };
  const std::vector<Refusal> refusals = {
      {[](CopyFromGm& i, CopyToGm& o) { i.blocks.count = o.blocks.count = 4096; },
       "blockCount = 4096, must be in [0, 4095]", "blockCount = 4096, must be in [0, 4095]"},
      {[](CopyFromGm& i, CopyToGm& o) { i.blocks.length_blocks = o.blocks.length_blocks = 65536; },
       "blockLen = 65536, must be in [0, 65535]", "blockLen = 65536, must be in [0, 65535]"},
      {[](CopyFromGm& i, CopyToGm& o) { i.blocks.src_gap_blocks = o.blocks.src_gap_blocks = 65536; },
       "srcStride = 65536, must be in [0, 65535]", "srcStride = 65536, must be in [0, 65535]"},
      {[](CopyFromGm& i, CopyToGm& o) { i.blocks.dst_gap_blocks = o.blocks.dst_gap_blocks = -1; },
       "dstStride = -1, must be in [0, 65535]", "dstStride = -1, must be in [0, 65535]"},
      {[](CopyFromGm& i, CopyToGm& o) { i.dst.memory = o.src.memory = Memory::kL0A; },
       "is in L0A and src in GM; there is no such path", "is in GM and src in L0A; there is no such path"},
      {[](CopyFromGm& i, CopyToGm& o) { i.dst.begin = o.src.begin = 16; },
       "address 16 in L1 must be a multiple of 32", "address 16 in L1 must be a multiple of 32"},
      {[](CopyFromGm& i, CopyToGm& o) { i.dst.limit = o.src.limit = 32; },
       "pass the end of the tensor's buffer at 32", "pass the end of the tensor's buffer at 32"},
      {[](CopyFromGm& i, CopyToGm& o) { i.src.begin += 1048576 - 32, o.dst.begin += 1048576 - 32; },
       "GM buffer gm pass the end of the buffer", "GM buffer gm pass the end of the buffer"},
      {[](CopyFromGm& i, CopyToGm& o) { i.src.begin = o.dst.begin = 64; }, "GM address 64 is in no buffer",
       "GM address 64 is in no buffer"},
  };
  for (const Refusal& refusal : refusals) {
    TestCore core;
    CopyFromGm in{.dst = In(Memory::kL1), .src = core.Gm(), .blocks = {.count = 2, .length_blocks = 1}};
    CopyToGm out{.dst = core.Gm(), .src = In(Memory::kL1), .blocks = {.count = 2, .length_blocks = 1}};
    refusal.change(in, out);
    EXPECT_SAYS(core.FaultOf(in), refusal.in_says);
    EXPECT_SAYS(core.FaultOf(out), refusal.out_says);
  }
}

}  // namespace
}  // namespace tilesim::isa
