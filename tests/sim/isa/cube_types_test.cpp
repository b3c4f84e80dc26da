// Mmad on whole numbers, and where C starts, against sums in the order of the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/units.h"
#include "sim/isa/cube.h"
#include "tests/sim/isa/isa_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kMatrix = 256;  // words of a fractal of C

// Number `index` of packed int8 or int4.
int64_t WholeAt(CubeType type, const Bytes& bytes, int64_t index) {
  if (type == VectorType::kInt8) {
    return static_cast<int8_t>(bytes[static_cast<size_t>(index)]);
  }
  const auto pair = static_cast<int>(bytes[static_cast<size_t>(index / 2)]);
  const int nibble = index % 2 == 0 ? pair % 16 : pair / 16;
  return nibble >= 8 ? nibble - 16 : nibble;
}

int64_t PlaceInC(const Mmad& op, int64_t i, int64_t j) {
  return (j / 16 * CeilDiv(op.m, 16) + i / 16) * kMatrix + i % 16 * 16 + j % 16;
}

struct Wholes {
  TestCore core;
  Random random;
  Bytes a = Bytes(65536);
  Bytes b = Bytes(65536);

  // Puts bytes into L0A and L0B as a load leaves them; extreme numbers more often than others.
  void Fill() {
    for (Bytes* const bytes : {&a, &b}) {
      for (std::byte& byte : *bytes) {
        byte = static_cast<std::byte>(random.Int(0, 3) == 0 ? random.OneOf<int64_t>({0x80, 0x7F, 0x88, 0})
                                                            : random.Int(0, 255));
      }
    }
    for (int64_t f = 0; f < 128; ++f) {
      std::memcpy(core->l0a().Fractal(f), a.data() + f * 512, 512);
      std::memcpy(core->l0b().Fractal(f), b.data() + f * 512, 512);
      core->l0a().type(f) = core->l0b().type(f) = FractalType::kBytes;
    }
  }
  std::vector<int32_t> C() {
    std::vector<int32_t> c(32768);
    std::memcpy(c.data(), core->l0c(), c.size() * 4);
    return c;
  }
  void FillC() {
    std::vector<int32_t> c(32768);
    for (int32_t& word : c) {
      word = static_cast<int32_t>(
          random.OneOf<int64_t>({0, 5, random.Int(INT32_MIN, INT32_MAX), INT32_MAX - 7, INT32_MIN + 7}));
    }
    std::memcpy(core->l0c(), c.data(), c.size() * 4);
  }
  int64_t Sum(const Mmad& op, int64_t i, int64_t j) const {
    const int64_t c0 = op.dtype.c0();
    int64_t sum = 0;
    for (int64_t l = 0; l < op.k; ++l) {
      const int64_t at_a =
          op.m == 1 ? l : (i / 16 * CeilDiv(op.k, c0) + l / c0) * 16 * c0 + i % 16 * c0 + l % c0;
      const int64_t at_b = (l / c0 * CeilDiv(op.n, 16) + j / 16) * 16 * c0 + j % 16 * c0 + l % c0;
      sum += WholeAt(op.dtype, a, at_a) * WholeAt(op.dtype, b, at_b);
    }
    return sum;
  }
  Mmad Any(CubeType type) {
    for (;;) {
      Mmad op{.dst = In(Memory::kL0C, random.Int(0, 2) * 1024),
              .a = In(Memory::kL0A),
              .b = In(Memory::kL0B),
              .dtype = type,
              .m = random.OneOf<int64_t>({1, 2, 16, 17, 31, random.Int(1, 60)}),
              .n = random.OneOf<int64_t>({1, 15, 16, 17, 33, random.Int(1, 60)}),
              .k = random.OneOf<int64_t>({2, 30, 32, 34, 64, 66, 2 * random.Int(1, 200)}),
              .init = random.Coin()};
      if (type == VectorType::kInt8 && random.Coin()) {
        --op.k;
      }
      if (CeilDiv(op.m, 16) * CeilDiv(op.k, type.c0()) <= 128 &&
          CeilDiv(op.n, 16) * CeilDiv(op.k, type.c0()) <= 128) {
        return op;
      }
    }
  }
};

int32_t Ending(int64_t sum) {
  return static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
}

void ExpectWholeProducts(CubeType type, int rounds) {
  Wholes w;
  w.Fill();
  for (int round = 0; round < rounds; ++round) {
    const Mmad op = w.Any(type);
    w.FillC();
    std::vector<int32_t> expected = w.C();
    for (int64_t i = 0; i < op.m; ++i) {
      for (int64_t j = 0; j < op.n; ++j) {
        int32_t& c = expected[op.dst.begin / 4 + static_cast<uint64_t>(PlaceInC(op, i, j))];
        c = Ending((op.init ? 0 : int64_t{c}) + w.Sum(op, i, j));
      }
    }
    w.core.Issue(op);
    ASSERT_EQ(w.C(), expected) << "m " << op.m << " n " << op.n << " k " << op.k << " init " << op.init;
  }
}

class MmadOfWhole : public testing::TestWithParam<VectorType> {};

TEST_P(MmadOfWhole, IsExactAndEndsAtTheLimits) { ExpectWholeProducts(GetParam(), Repetitions(40)); }

TEST_P(MmadOfWhole, GivesTheSameOnEachInstructionSet) {
  OnEachInstructionSet([&](const char* name) {
    SCOPED_TRACE(name);
    ExpectWholeProducts(GetParam(), 4);
  });
}

TEST_P(MmadOfWhole, StatesTheBytesItReads) {
  Wholes w;
  for (int round = 0; round < Repetitions(20); ++round) {
    const Mmad op = w.Any(GetParam());
    const int64_t k1 = CeilDiv(op.k, op.dtype.c0());
    uint64_t a = 0;
    uint64_t b = 0;
    for (const Region& region : op.Footprint(*w.core)) {
      a = region.memory == Memory::kL0A ? std::max(a, region.end()) : a;
      b = region.memory == Memory::kL0B ? std::max(b, region.end()) : b;
    }
    const int64_t tail = op.k - (k1 - 1) * op.dtype.c0();
    const int64_t used = tail * 512 / op.dtype.c0();
    EXPECT_EQ(static_cast<int64_t>(b), (k1 * CeilDiv(op.n, 16) - 1) * 512 + used);
    if (op.m > 1) {
      EXPECT_EQ(static_cast<int64_t>(a), (CeilDiv(op.m, 16) * k1 - 1) * 512 + used);
    } else {
      EXPECT_EQ(static_cast<int64_t>(a), AlignUp(CeilDiv(op.k * op.dtype.bits(), 8), 512));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MmadOfWhole, testing::Values(VectorType::kInt8, VectorType::kInt4),
                         [](const auto& test) { return std::string(Name(test.param)); });

TEST(Mmad, TakesAFractalOfWholeNumbersFor32AndFor64ColumnsOfK) {
  TestCore core;
  const auto cycles = [&](CubeType type) {
    Mmad op;
    op.dtype = type;
    op.m = op.n = 16;
    op.k = 640;
    return op.TimeOn(*core).busy_cycles;
  };
  const int64_t issue = Mmad{}.TimeOn(*core).busy_cycles;
  const int64_t one = (cycles(DType::kFp16) - issue) / 40;
  EXPECT_EQ(cycles(VectorType::kInt8), issue + 20 * one);
  EXPECT_EQ(cycles(VectorType::kInt4), issue + 10 * one);
}

// C of one product of ones over k, which starts at `start`.
template <class T>
std::vector<T> StartingAt(TestCore& core, const Mmad& op) {
  core.Issue(op);
  std::vector<T> c(static_cast<size_t>(op.m * op.n));
  for (int64_t i = 0; i < op.m; ++i) {
    for (int64_t j = 0; j < op.n; ++j) {
      std::memcpy(&c[static_cast<size_t>(i * op.n + j)], core->l0c() + op.dst.begin / 4 + PlaceInC(op, i, j),
                  4);
    }
  }
  return c;
}

// Ones in all of L0A and L0B.
void FillOnes(TestCore& core, CubeType type) {
  for (L0Memory* const l0 : {&core->l0a(), &core->l0b()}) {
    for (int64_t f = 0; f < 128; ++f) {
      l0->type(f) = FractalTypeOf(type);
      if (type == VectorType::kInt8) {
        std::memset(l0->Fractal(f), 1, 512);
      } else {
        std::fill_n(l0->Fractal(f), 256, 1.0F);
      }
    }
  }
}

template <class T>
void StartsAtRowOfBt(CubeType type) {
  TestCore core;
  FillOnes(core, type);
  std::vector<T> bias(256);
  for (size_t j = 0; j < bias.size(); ++j) {
    bias[j] = static_cast<T>(1000 + 3 * static_cast<int>(j));
  }
  std::memcpy(core->bt(), bias.data(), 1024);
  for (const bool init : {false, true}) {
    const Mmad op{.dst = In(Memory::kL0C),
                  .a = In(Memory::kL0A),
                  .b = In(Memory::kL0B),
                  .dtype = type,
                  .m = 21,
                  .n = 37,
                  .k = 8,
                  .init = init,
                  .start = In(Memory::kBt, 64)};
    const std::vector<T> c = StartingAt<T>(core, op);
    for (size_t i = 0; i < c.size(); ++i) {
      ASSERT_EQ(c[i], init ? T(8) : static_cast<T>(bias[16 + i % 37] + T(8))) << i;
    }
    EXPECT_EQ(Covered(op.Footprint(*core), Memory::kBt, Use::kRead, 0, 1024)[64 + 37 * 4 - 1], !init);
    EXPECT_FALSE(Covered(op.Footprint(*core), Memory::kBt, Use::kRead, 0, 1024)[64 + 37 * 4]);
  }
}

TEST(Mmad, StartsAtARowOfTheBiasTableUnlessAtZero) {
  StartsAtRowOfBt<float>(DType::kFp16);
  StartsAtRowOfBt<float>(DType::kBf16);
  StartsAtRowOfBt<float>(DType::kFp32);
  StartsAtRowOfBt<int32_t>(VectorType::kInt8);
}

TEST(Mmad, StartsAtAnotherMatrixInL0C) {
  TestCore core;
  FillOnes(core, DType::kFp16);
  for (int64_t i = 0; i < 32768; ++i) {
    core->l0c()[i] = static_cast<float>(i);
  }
  const Mmad op{.dst = In(Memory::kL0C),
                .a = In(Memory::kL0A),
                .b = In(Memory::kL0B),
                .m = 17,
                .n = 20,
                .k = 3,
                .init = false,
                .start = In(Memory::kL0C, 4096)};
  const std::vector<float> c = StartingAt<float>(core, op);
  for (int64_t i = 0; i < op.m; ++i) {
    for (int64_t j = 0; j < op.n; ++j) {
      ASSERT_EQ(c[static_cast<size_t>(i * op.n + j)], static_cast<float>(1024 + PlaceInC(op, i, j) + 3));
    }
  }
  const int64_t beyond = PlaceInC(op, 16, 19) + 1;
  EXPECT_EQ(core->l0c()[beyond], static_cast<float>(beyond));
}

}  // namespace
}  // namespace tilesim::isa
