#include "sim/isa/cube.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats/units.h"
#include "tests/sim/isa/isa_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

// The nearest number of 11 mantissa bits, in arithmetic on its size rather than its bits.
double Hf32(float value, bool ties_away) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -126) - 11);
  const double steps = value / unit;
  const double below = std::floor(std::fabs(steps));
  const double rest = std::fabs(steps) - below;
  const bool up = rest > 0.5 || (rest == 0.5 && (ties_away || std::fmod(below, 2) == 1));
  return std::copysign((below + (up ? 1 : 0)) * unit, value);
}

// The documented definition on bytes: indices of the fractal layouts, products added in ascending k.
struct Model {
  const Mmad& op;
  const CoreRegisters& registers;

  float Operand(const std::byte* bytes, int64_t index) const {
    const float value = ValueOf(op.dtype, ElementAt(op.dtype, bytes, index));
    const bool rounds = op.dtype == DType::kFp32 && registers.hf32;
    return rounds ? static_cast<float>(Hf32(value, registers.hf32_ties_away)) : value;
  }

  void Run(const Bytes& a, const Bytes& b, std::vector<float>& c) const {
    const int64_t c0 = op.dtype == DType::kFp32 ? 8 : 16;
    const int64_t m1 = (op.m + 15) / 16;
    const int64_t n1 = (op.n + 15) / 16;
    int64_t k1 = (op.k + c0 - 1) / c0;
    if (op.dtype == DType::kFp32 && op.k_align) {
      k1 = (op.k + 15) / 16 * 2;
    }
    for (int64_t i = 0; i < op.m; ++i) {
      for (int64_t j = 0; j < op.n; ++j) {
        float& element =
            c[op.dst.begin / 4 + static_cast<uint64_t>((j / 16 * m1 + i / 16) * 256 + i % 16 * 16 + j % 16)];
        float sum = op.init && !op.bias ? 0.0F : element;
        for (int64_t l = 0; l < op.k; ++l) {
          const int64_t at_a = op.m == 1 ? l : (i / 16 * k1 + l / c0) * 16 * c0 + i % 16 * c0 + l % c0;
          const int64_t at_b = (l / c0 * n1 + j / 16) * 16 * c0 + j % 16 * c0 + l % c0;
          sum = std::fma(Operand(a.data() + op.a.begin, at_a), Operand(b.data() + op.b.begin, at_b), sum);
        }
        element = sum;
      }
    }
  }
};

Bytes RandomBytes(Random& random, DType dtype, int64_t bytes) {
  Bytes result(static_cast<size_t>(bytes));
  FillWith(random, dtype, result.data(), bytes / static_cast<int64_t>(SizeOf(dtype)));
  return result;
}

Mmad RandomMmad(Random& random, DType dtype) {
  const int64_t c0 = dtype == DType::kFp32 ? 8 : 16;
  for (;;) {
    Mmad op{.dst = In(Memory::kL0C, random.Int(0, 3) * 1024),
            .a = In(Memory::kL0A, random.Int(0, 3) * 512),
            .b = In(Memory::kL0B, random.Int(0, 3) * 512),
            .dtype = dtype,
            .m = random.OneOf<int64_t>({1, 2, 15, 16, 17, 32, 48, 64, random.Int(1, 130)}),
            .n = random.OneOf<int64_t>({1, 7, 8, 9, 16, 17, 40, 48, 64, 80, random.Int(1, 130)}),
            .k = random.OneOf<int64_t>({1, 7, 8, 9, 16, 17, 49, 64, random.Int(1, 130)}),
            .init = random.Coin(),
            .bias = random.Int(0, 3) == 0,
            .k_align = random.Coin()};
    const int64_t k1 = AlignUp(CeilDiv(op.k, c0), 2);
    if (CeilDiv(op.m, 16) * k1 <= 120 && CeilDiv(op.n, 16) * k1 <= 120 &&
        CeilDiv(op.m, 16) * CeilDiv(op.n, 16) <= 120) {
      return op;
    }
  }
}

class MmadOf : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    a_ = RandomBytes(random_, GetParam(), core_.soc().l0a_bytes);
    b_ = RandomBytes(random_, GetParam(), core_.soc().l0b_bytes);
    SetL0Bytes(core_->l0a(), GetParam(), a_);
    SetL0Bytes(core_->l0b(), GetParam(), b_);
  }
  std::vector<float> C() { return {core_->l0c(), core_->l0c() + core_.soc().l0c_bytes / 4}; }
  void FillC() {
    for (int64_t i = 0; i < core_.soc().l0c_bytes / 4; ++i) {
      core_->l0c()[i] = static_cast<float>(random_.Real(-4, 4));
    }
  }
  void ExpectAsDefined(const Mmad& op) {
    FillC();
    std::vector<float> expected = C();
    Model{op, core_->registers()}.Run(a_, b_, expected);
    core_.Issue(op);
    ASSERT_EQ(std::memcmp(expected.data(), core_->l0c(), expected.size() * 4), 0)
        << "m " << op.m << " n " << op.n << " k " << op.k << " init " << op.init << " k_align " << op.k_align;
  }

  Random random_;
  TestCore core_;
  Bytes a_;
  Bytes b_;
};

TEST_P(MmadOf, AddsProductsInAscendingKAndTouchesNothingElse) {
  for (int round = 0; round < Repetitions(60); ++round) {
    ExpectAsDefined(RandomMmad(random_, GetParam()));
  }
}

TEST_P(MmadOf, GivesTheSameBitsOnEachInstructionSet) {
  const Mmad op{.dst = In(Memory::kL0C),
                .a = In(Memory::kL0A),
                .b = In(Memory::kL0B),
                .dtype = GetParam(),
                .m = 61,
                .n = 75,
                .k = 77,
                .init = false};
  int num_sets = 0;
  OnEachInstructionSet([&](const char* name) {
    SCOPED_TRACE(name);
    ++num_sets;
    ExpectAsDefined(op);
  });
  EXPECT_GE(num_sets, 1);
}

TEST_P(MmadOf, StatesTheBytesItTouches) {
  const int64_t c0 = GetParam() == DType::kFp32 ? 8 : 16;
  for (int round = 0; round < Repetitions(60); ++round) {
    const Mmad op = RandomMmad(random_, GetParam());
    const int64_t m1 = CeilDiv(op.m, 16);
    const int64_t n1 = CeilDiv(op.n, 16);
    const int64_t k1 = c0 == 8 && op.k_align ? AlignUp(CeilDiv(op.k, 8), 2) : CeilDiv(op.k, c0);
    const auto fill = [](std::vector<bool>& bytes, uint64_t begin, int64_t size) {
      std::fill_n(bytes.begin() + static_cast<int64_t>(begin), size, true);
    };
    std::vector<bool> a(a_.size());
    std::vector<bool> b(b_.size());
    std::vector<bool> c(static_cast<size_t>(core_.soc().l0c_bytes));
    for (int64_t l = 0; l < op.k; ++l) {
      const uint64_t k_major = static_cast<uint64_t>(l % c0 * (512 / c0));
      for (int64_t i = 0; i < m1 && op.m > 1; ++i) {
        fill(a, op.a.begin + static_cast<uint64_t>((i * k1 + l / c0) * 512) + k_major, 512 / c0);
      }
      for (int64_t j = 0; j < n1; ++j) {
        fill(b, op.b.begin + static_cast<uint64_t>((l / c0 * n1 + j) * 512) + k_major, 512 / c0);
      }
    }
    if (op.m == 1) {
      fill(a, op.a.begin, AlignUp(op.k * 32 / c0, 512));
    }
    fill(c, op.dst.begin, m1 * n1 * 1024);
    const Operands operands = op.Footprint(*core_);
    ASSERT_EQ(Covered(operands, Memory::kL0A, Use::kRead, 0, a.size()), a);
    ASSERT_EQ(Covered(operands, Memory::kL0B, Use::kRead, 0, b.size()), b);
    ASSERT_EQ(Covered(operands, Memory::kL0C, Use::kWrite, 0, c.size()), c);
    const bool reads_c = !op.init || op.bias;
    ASSERT_EQ(Covered(operands, Memory::kL0C, Use::kRead, 0, c.size()),
              reads_c ? c : std::vector<bool>(c.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MmadOf, testing::Values(DType::kFp16, DType::kBf16, DType::kFp32),
                         [](const auto& test) { return std::string(tilesim::Name(test.param)); });

class MmadHf32 : public MmadOf {};

TEST_P(MmadHf32, RoundsOperandsTo11BitsTiesToEvenOrAway) {
  // ties and neighbours of ties among the operands
  for (int64_t i = 0; i < 4000; ++i) {
    const auto bits = static_cast<uint32_t>(0x3F800000 + random_.Int(0, 2047) * 4096 +
                                            random_.OneOf<int64_t>({2047, 2048, 2049}));
    PutElement(DType::kFp32, a_.data(), i, bits | (random_.Coin() ? 0x80000000U : 0U));
  }
  SetL0Bytes(core_->l0a(), DType::kFp32, a_);
  for (const bool ties_away : {false, true}) {
    core_->registers().hf32 = true;
    core_->registers().hf32_ties_away = ties_away;
    for (int round = 0; round < 15; ++round) {
      ExpectAsDefined(RandomMmad(random_, DType::kFp32));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MmadHf32, testing::Values(DType::kFp32),
                         [](const auto& /*test*/) { return "fp32"; });

TEST(Mmad, LeavesHf32AloneForSixteenBitTypes) {
  TestCore core;
  core->registers().hf32 = true;
  core->l0a().type(0) = FractalType::kFp16;
  core->l0a().Fractal(0)[0] = 1.0F + 1.0F / 1024;  // a vector's first element
  core->l0b().type(0) = FractalType::kFp16;
  core->l0b().Fractal(0)[0] = 1.0F;
  core.Issue(
      Mmad{.dst = In(Memory::kL0C), .a = In(Memory::kL0A), .b = In(Memory::kL0B), .m = 1, .n = 1, .k = 1});
  EXPECT_EQ(core->l0c()[0], 1.0F + 1.0F / 1024);
}

TEST(Mmad, ReadsTheBytesOfAnotherTypeAsItsOwn) {
  Random random;
  TestCore core;
  Bytes a(512 * 4);
  Bytes b(512 * 4);
  FillWith(random, DType::kFp16, a.data(), 1024);
  FillWith(random, DType::kFp16, b.data(), 1024);
  SetL0Bytes(core->l0a(), DType::kFp16, a);
  SetL0Bytes(core->l0b(), DType::kFp16, b);
  const Mmad op{.dst = In(Memory::kL0C),
                .a = In(Memory::kL0A),
                .b = In(Memory::kL0B),
                .dtype = DType::kBf16,
                .m = 32,
                .n = 32,
                .k = 32};
  std::vector<float> expected(1024);
  Model{op, core->registers()}.Run(a, b, expected);
  core.Issue(op);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), core->l0c()));
}

}  // namespace
}  // namespace tilesim::isa
