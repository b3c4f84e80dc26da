#include <gtest/gtest.h>

#include "sim/isa/vector_transpose.h"
#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {
namespace {

constexpr VectorType kAllTypes[] = {VectorType::kInt8,   VectorType::kUint8, VectorType::kInt16,
                                    VectorType::kUint16, VectorType::kFp16,  VectorType::kInt32,
                                    VectorType::kUint32, VectorType::kFp32};
constexpr int64_t kTmp = 2 * kThird;

TEST(TransposeTile, TurnsRowsIntoColumnsAndMayBeInPlace) {
  Random random;
  for (const VectorType type : {VectorType::kInt16, VectorType::kUint16, VectorType::kFp16}) {
    for (const int64_t dst : {int64_t{0}, int64_t{512}, kThird + 32}) {
      VectorCore core;
      core.FillUb(random);
      Bytes expected = core.Ub();
      for (uint64_t i = 0; i < 256; ++i) {
        Store(expected, Unsigned(dst) + 2 * i, Load<uint16_t>(core.Ub(), 2 * (i % 16 * 16 + i / 16)));
      }
      TransposeTile(*core, In(Memory::kUb, dst), In(Memory::kUb, 0), type, SourceLine::Here());
      EXPECT_EQ(FirstDifference<uint16_t>(core.Ub(), expected), -1) << dst;
    }
  }
}

std::string FaultOf(const std::function<void(Core&)>& call) {
  VectorCore core;
  core->At("Transpose", Pipe::kV, SourceLine::Here());
  try {
    call(*core);
  } catch (const KernelFault& fault) {
    return fault.what();
  }
  return "(no fault)";
}

TEST(TransposeTile, RefusesByName) {
  const auto fault = [](int64_t dst, VectorType type) {
    return FaultOf([=](Core& core) {
      TransposeTile(core, In(Memory::kUb, dst), In(Memory::kUb, 0), type, SourceLine::Here());
    });
  };
  EXPECT_SAYS(fault(512, VectorType::kFp32), "allowed: int16, uint16, fp16");
  EXPECT_SAYS(fault(480, VectorType::kFp16), "overlaps src in part");
  EXPECT_SAYS(fault(520, VectorType::kFp16), "must be a multiple of 32");
}

void TransposesMaps(Random& random, TransposeMaps maps) {
  VectorCore core;
  core.FillUb(random);
  Bytes expected = core.Ub();
  const int64_t bytes = ElementBits(maps.type) / 8;
  const bool from_nchw = maps.order == MapOrder::kNchwToNhwc;
  maps.src = In(Memory::kUb, 0);
  maps.dst = In(Memory::kUb, kThird);
  maps.tmp = In(Memory::kUb, kTmp);
  for (int64_t n = 0; n < maps.n; ++n) {
    for (int64_t c = 0; c < maps.c; ++c) {
      for (int64_t at = 0; at < maps.hw; ++at) {
        const int64_t nchw = ((n * maps.c + c) * maps.hw + at) * bytes;
        const int64_t nhwc = ((n * maps.hw + at) * maps.c + c) * bytes;
        std::memcpy(expected.data() + kThird + (from_nchw ? nhwc : nchw),
                    core->ub() + (from_nchw ? nchw : nhwc), static_cast<size_t>(bytes));
      }
    }
  }
  Transpose(*core, maps, SourceLine::Here());
  // tmp may hold anything, up to its end
  std::memcpy(expected.data() + kTmp, core->ub() + kTmp, static_cast<size_t>(maps.TmpBytes()));
  EXPECT_EQ(FirstDifference<uint8_t>(core.Ub(), expected), -1)
      << Name(maps.type) << " " << maps.n << " " << maps.c << " " << maps.hw;
}

// Positions: one strip, some, whole pieces of 16 (32) strips, and a piece with a tail.
TEST(TransposeMaps, TurnsMapsBothWays) {
  Random random;
  for (const VectorType type : kAllTypes) {
    const int64_t block = 256 / ElementBits(type);
    const int64_t strips = ElementBits(type) == 8 ? 32 : 16;
    for (const MapOrder order : {MapOrder::kNchwToNhwc, MapOrder::kNhwcToNchw}) {
      for (const int64_t of_map : {int64_t{1}, strips / 2 + 3, strips, strips + 5}) {
        const int64_t c = of_map == strips ? 3 : random.Int(1, 20);
        TransposesMaps(random, {.dst = {},
                                .src = {},
                                .tmp = {},
                                .type = type,
                                .order = order,
                                .n = random.Int(1, 2),
                                .c = c,
                                .hw = of_map * block});
      }
    }
  }
}

// More channels than an instruction has repeats.
TEST(TransposeMaps, TakesManyChannels) {
  Random random;
  VectorCore core;
  constexpr int64_t kChannels = 260;
  constexpr int64_t kPositions = 16;
  for (const MapOrder order : {MapOrder::kNchwToNhwc, MapOrder::kNhwcToNchw}) {
    core.FillUb(random);
    const Bytes before = core.Ub();
    Transpose(*core,
              {.dst = In(Memory::kUb, 16 * 1024),
               .src = In(Memory::kUb, 0),
               .tmp = In(Memory::kUb, 32 * 1024),
               .type = VectorType::kUint16,
               .order = order,
               .n = 1,
               .c = kChannels,
               // tmp of the way back would not fit behind: its documented size is twice that
               .hw = order == MapOrder::kNchwToNhwc ? kPositions : 0},
              SourceLine::Here());
    for (uint64_t i = 0; order == MapOrder::kNchwToNhwc && i < kChannels * kPositions; ++i) {
      const uint64_t from = i % kChannels * kPositions + i / kChannels;
      ASSERT_EQ(Load<uint16_t>(core.Ub(), 16 * 1024 + 2 * i), Load<uint16_t>(before, 2 * from)) << i;
    }
  }
}

TEST(TransposeMaps, RefusesByName) {
  const TransposeMaps maps{.dst = In(Memory::kUb, kThird),
                           .src = In(Memory::kUb, 0),
                           .tmp = In(Memory::kUb, kTmp),
                           .n = 1,
                           .c = 4,
                           .hw = 32};
  const auto fault = [](const TransposeMaps& given) {
    return FaultOf([&](Core& core) { Transpose(core, given, SourceLine::Here()); });
  };
  EXPECT_EQ(fault(maps), "(no fault)");
  TransposeMaps other = maps;
  other.type = VectorType::kBf16;
  EXPECT_SAYS(fault(other), "bf16");
  other = maps;
  other.hw = 24;
  EXPECT_SAYS(fault(other), "no whole data blocks");
  other = maps;
  other.c = 4096;
  EXPECT_SAYS(fault(other), "cSize = 4096, must be in [0, 4095]");
  other = maps;
  other.hw = 4096;
  EXPECT_SAYS(fault(other), "hSize * wSize = 4096");
  other = maps;
  other.dst = maps.src;
  EXPECT_SAYS(fault(other), "does not work in place");
  other = maps;
  other.tmp = In(Memory::kUb, 64);
  EXPECT_SAYS(fault(other), "must be apart from both");
  other = maps;
  other.tmp.limit = kTmp + 6 * 512 - 1;
  EXPECT_SAYS(fault(other), "has 3071 bytes, must have 3072");
  other.order = MapOrder::kNhwcToNchw;
  EXPECT_SAYS(fault(other), "must have 4608");
}

}  // namespace
}  // namespace tilesim::isa
