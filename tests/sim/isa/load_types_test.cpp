// Loads of every element type into L0A, L0B and L1, byte by byte and element by element as documented.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "formats/units.h"
#include "sim/isa/data_move.h"
#include "sim/isa/l0_values.h"
#include "sim/isa/load.h"
#include "sim/isa/load3d.h"
#include "tests/sim/isa/isa_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr VectorType kWholes[] = {VectorType::kInt4,   VectorType::kInt8,   VectorType::kUint8,
                                  VectorType::kInt16,  VectorType::kUint16, VectorType::kInt32,
                                  VectorType::kUint32, VectorType::kFp32};

void FillRandom(Random& random, std::byte* bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(random.Int(0, 255));
  }
}

// The bytes of a fractal.
Bytes FractalOf(L0Memory& l0, int64_t index) {
  Reinterpret(l0, index, FractalType::kBytes);
  return {l0.FractalBytes(index), l0.FractalBytes(index) + 512};
}

// Element `index` of packed elements of `bits`; and its place.
uint32_t Element(const std::byte* bytes, int64_t bits, int64_t index) {
  uint32_t element = 0;
  for (int64_t b = 0; b < bits; ++b) {
    const int64_t at = index * bits + b;
    element |= (static_cast<uint32_t>(bytes[at / 8]) >> (at % 8) & 1U) << b;
  }
  return element;
}

class LoadOf : public testing::TestWithParam<VectorType> {
 protected:
  void SetUp() override {
    FillRandom(random_, core_->l1(), 200 * 512);
    FillRandom(random_, core_.gm().data(), 200 * 512);
  }
  L0Memory& L0(Memory memory) { return memory == Memory::kL0A ? core_->l0a() : core_->l0b(); }
  Random random_;
  TestCore core_;
};

TEST_P(LoadOf, MovesFractalsAsTheyAre) {
  const CubeType type = GetParam();
  for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
    for (const Memory src : {Memory::kL1, Memory::kGm}) {
      if (src == Memory::kGm && type == VectorType::kInt4) {
        continue;
      }
      const LoadData2D op{.dst = In(memory, 1024),
                          .src = src == Memory::kL1 ? In(src, 64) : core_.Gm(64),
                          .dtype = type,
                          .start_index = 3,
                          .repeat_times = 4,
                          .src_stride = 2,
                          .dst_gap = 1};
      core_.Issue(op);
      const std::byte* const from = (src == Memory::kL1 ? core_->l1() : core_.gm().data()) + 64;
      for (int64_t i = 0; i < 4; ++i) {
        const Bytes expected(from + (3 + 2 * i) * 512, from + (4 + 2 * i) * 512);
        EXPECT_EQ(FractalOf(L0(memory), 2 + 2 * i), expected);
      }
    }
  }
}

TEST_P(LoadOf, TransposesSquares) {
  const CubeType type = GetParam();
  const int64_t bits = type.bits();
  if (bits == 16) {
    return;  // not taken; ifTranspose is
  }
  const int64_t parts = bits == 4 ? 4 : 2;
  const int64_t c0 = 256 / bits;
  for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
    if (memory == Memory::kL0A && bits == 4) {
      continue;
    }
    const LoadDataTransposed op{.dst = In(memory, 512),
                                .src = In(Memory::kL1, 32),
                                .dtype = type,
                                .start_index = 1,
                                .repeat_times = 3,
                                .src_stride = 2,
                                .dst_gap = 0,
                                .dst_fractal_gap = 3};
    core_.Issue(op);
    for (int64_t i = 0; i < 3; ++i) {
      const std::byte* const square = core_->l1() + 32 + (1 + 2 * i) * parts * 512;
      for (int64_t j = 0; j < parts; ++j) {
        const Bytes found = FractalOf(L0(memory), 1 + i + 4 * j);
        for (int64_t r = 0; r < 16; ++r) {
          for (int64_t c = 0; c < c0; ++c) {
            // 32 bits: the square's halves lie side by side
            const int64_t from = bits == 32 ? r / 8 * 128 + (8 * j + c) * 8 + r % 8 : c * c0 + 16 * j + r;
            ASSERT_EQ(Element(found.data(), bits, r * c0 + c), Element(square, bits, from))
                << "square " << i << " part " << j << " row " << r << " column " << c;
          }
        }
      }
    }
  }
}

TEST_P(LoadOf, TransposesSixteenBitFractalsOnTheWay) {
  if (CubeType(GetParam()).bits() != 16) {
    return;
  }
  core_.Issue(LoadData2D{.dst = In(Memory::kL0B),
                         .src = In(Memory::kL1),
                         .dtype = GetParam(),
                         .repeat_times = 1,
                         .transpose = true});
  const Bytes found = FractalOf(core_->l0b(), 0);
  for (int64_t i = 0; i < 256; ++i) {
    ASSERT_EQ(Element(found.data(), 16, i), Element(core_->l1(), 16, i % 16 * 16 + i / 16));
  }
}

TEST_P(LoadOf, TakesAWindowOfImg2Col) {
  const CubeType type = GetParam();
  if (type.bits() == 16) {
    return;
  }
  const int64_t c0 = type.c0();
  const FeatureMap map{.height = 5, .width = 6, .pad = {1, 2, 1, 0}};
  core_->registers().feature_map[0] = map;
  core_->registers().pad_bits = 0xA3A3'A3A3U;
  const uint32_t pad = type.bits() == 32 ? 0xA3A3'A3A3U : type.bits() == 8 ? 0xA3U : 3U;
  for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
    if (memory == Memory::kL0B) {
      continue;  // of 32 bits as fp32, of fewer not
    }
    LoadData3D op{.dst = In(memory, 512),
                  .src = In(Memory::kL1, 96),
                  .dtype = type,
                  .channels = 2 * c0,
                  .k_extension = 5 * c0,
                  .m_extension = 20,
                  .k_start = 3 * c0,
                  .m_start = 2,
                  .stride_w = 1,
                  .stride_h = 1,
                  .filter_w = 2,
                  .filter_h = 2};
    const int64_t wo = 6 + 3 - 2 + 1;
    op.m_extension = type.bits() == 32 ? 20 : 32;
    core_.Issue(op);
    for (int64_t m = 0; m < op.m_extension; ++m) {
      for (int64_t k = 0; k < op.k_extension; ++k) {
        const int64_t column = op.k_start + k;
        const int64_t hi = (2 + m) / wo + column / c0 / 2 % 2 - 1;
        const int64_t wi = (2 + m) % wo + column / c0 % 2 - 1;
        const int64_t from = ((column / c0 / 4 * 5 + hi) * 6 + wi) * c0 + column % c0;
        const bool inside = hi >= 0 && hi < 5 && wi >= 0 && wi < 6;
        const Bytes fractal = FractalOf(core_->l0a(), 1 + m / 16 * 5 + k / c0);
        ASSERT_EQ(Element(fractal.data(), type.bits(), m % 16 * c0 + k % c0),
                  inside ? Element(core_->l1() + 96, type.bits(), from) : pad)
            << "m " << m << " k " << k;
        k += type.bits() < 16 ? 6 : 0;  // not each of them
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, LoadOf, testing::ValuesIn(kWholes),
                         [](const auto& test) { return std::string(Name(test.param)); });

TEST(LoadData2D, GoesForwardsAndBackwardsFromGmToL1) {
  Random random;
  TestCore core;
  FillRandom(random, core.gm().data(), 20 * 512);
  for (const bool backwards : {false, true}) {
    const LoadData2D op{.dst = In(Memory::kL1, 32),
                        .src = core.Gm(3),
                        .dtype = VectorType::kUint8,
                        .start_index = 7,
                        .repeat_times = 3,
                        .src_stride = 3,
                        .dst_gap = 1,
                        .backwards = backwards};
    EXPECT_EQ(op.pipe(), Pipe::kMte2);
    core.Issue(op);
    const auto read = Covered(op.Footprint(*core), Memory::kGm, Use::kRead, core.address(), 20 * 512);
    EXPECT_EQ(std::count(read.begin(), read.end(), true), 3 * 512);
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t from = 3 + (7 + (backwards ? -3 : 3) * i) * 512;
      EXPECT_EQ(std::memcmp(core->l1() + 32 + i * 1024, core.gm().data() + from, 512), 0) << i;
      EXPECT_TRUE(read[static_cast<size_t>(from)] && read[static_cast<size_t>(from) + 511]);
    }
  }
}

TEST(LoadData3D, ReadsFromTheStartOfL1BeyondTheBoundary) {
  Random random;
  TestCore core;
  FillRandom(random, core->l1(), 4096);
  core->registers().feature_map[0] = {.height = 1, .width = 32, .pad = {}};
  core->registers().load3d_boundary_bytes = 2048;
  const LoadData3D op{.dst = In(Memory::kL0A),
                      .src = In(Memory::kL1, 1536),
                      .dtype = VectorType::kInt8,
                      .channels = 32,
                      .k_extension = 32,
                      .m_extension = 32};
  core.Issue(op);
  for (int64_t m = 0; m < 32; ++m) {
    const Bytes fractal = FractalOf(core->l0a(), m / 16);
    EXPECT_EQ(std::memcmp(fractal.data() + m % 16 * 32, core->l1() + (1536 + m * 32) % 2048, 32), 0) << m;
  }
  const auto read = Covered(op.Footprint(*core), Memory::kL1, Use::kRead, 0, 4096);
  for (size_t i = 0; i < 4096; ++i) {
    ASSERT_EQ(read[i], i < 512 || (i >= 1536 && i < 2048)) << i;
  }
  core->registers().load3d_boundary_bytes = 1000;
  EXPECT_SAYS(core.FaultOf(op), "a boundary of 1000 bytes, must be 0 (off) or at least 1024");
}

TEST(LoadData3D, RefusesNarrowTypesWhereTheyDoNotGo) {
  TestCore core;
  core->registers().feature_map[0] = {.height = 1, .width = 32, .pad = {}};
  LoadData3D op{.dst = In(Memory::kL0A),
                .src = In(Memory::kL1),
                .dtype = VectorType::kInt8,
                .channels = 32,
                .k_extension = 32,
                .m_extension = 32};
  ASSERT_EQ(core.FaultOf(op), "(no fault)");
  op.transpose = true;
  EXPECT_SAYS(core.FaultOf(op), "enTranspose with int8, must be a type of 16 or 32 bits");
  op.transpose = false;
  op.dst = In(Memory::kL0B);
  EXPECT_SAYS(core.FaultOf(op), "has elements of type int8; allowed here: fp16, bf16");
  op.dst = In(Memory::kL0A);
  op.channels = 36 + 2;
  EXPECT_SAYS(core.FaultOf(op), "channelSize = 38, must be a multiple of 32, or one and 4, 8 or 16 more");
}

TEST(InitConst, FillsWithTheBitsOfEveryType) {
  for (const VectorType type : {VectorType::kInt16, VectorType::kUint16, VectorType::kFp16, VectorType::kBf16,
                                VectorType::kInt32, VectorType::kUint32, VectorType::kFp32}) {
    TestCore core;
    const int64_t size = ElementBits(type) / 8;
    const uint32_t bits = size == 2 ? 0xBC01U : 0xBC01'8765U;
    for (const Memory memory : {Memory::kL0A, Memory::kL0B, Memory::kL1}) {
      core.Issue(InitConst{.dst = In(memory, 512),
                           .dtype = type,
                           .value_bits = bits,
                           .repeat_times = 2,
                           .num_blocks = 2,
                           .gap_blocks = 1});
      for (const int64_t block : {0, 1, 3, 4}) {
        const Bytes filled = memory == Memory::kL1
                                 ? Bytes(core->l1() + 512 + block * 32, core->l1() + 544 + block * 32)
                                 : FractalOf(memory == Memory::kL0A ? core->l0a() : core->l0b(), 1 + block);
        for (int64_t at = 0; at < static_cast<int64_t>(filled.size()); at += size) {
          ASSERT_EQ(Element(filled.data() + at, size * 8, 0), bits) << Name(type) << " byte " << at;
        }
      }
    }
    EXPECT_EQ(core->l0a().type(3), FractalType::kNone);
    EXPECT_EQ(core->l0a().type(6), FractalType::kNone);
  }
}

}  // namespace
}  // namespace tilesim::isa
