#include "formats/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr double kU = 0x1p-24;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMostUlps = std::numeric_limits<int64_t>::max();

// One element of a type against what is expected of it.
Comparison CompareOne(DType dtype, double result, double expected, double absdot, double products, Rule rule,
                      Overflow overflow = Overflow::kIeee) {
  Tensor tensor(dtype, Layout(Format::kND, {1, 1}));
  tensor.Set({0, 0}, result);
  return Compare(tensor, std::vector{expected}, std::vector{absdot}, products, rule, overflow);
}

TEST(BoundFactor, GrowsWithTheSquareRootOfTheProducts) {
  EXPECT_EQ(BoundFactor(Rule::kExact, 100), 0);
  EXPECT_EQ(BoundFactor(Rule::kAnyOrder, 0), 4);
  EXPECT_EQ(BoundFactor(Rule::kAnyOrder, 65536), 4 + 4 * 256);
  EXPECT_EQ(BoundFactor(Rule::kBlocked, 16), 4 + 4 * 4);         // the least of 20 and 33
  EXPECT_EQ(BoundFactor(Rule::kBlocked, 65536), 32 + 256 / 4.);  // the least of 1028 and 96
}

TEST(Compare, Fp32PassesAtTheBoundAndFailsBeyondIt) {
  // e = 1, A = 3, K = 16: u (1 + 20 * 3) = 61 u. Floats above 1 are 2 u apart.
  const auto at = [](double steps, Rule rule) {
    return CompareOne(DType::kFp32, 1 + steps * kU, 1, 3, 16, rule);
  };
  EXPECT_TRUE(at(60, Rule::kAnyOrder).equal);
  EXPECT_FALSE(at(62, Rule::kAnyOrder).equal);
  EXPECT_TRUE(at(60, Rule::kBlocked).equal);
  EXPECT_FALSE(at(62, Rule::kBlocked).equal);
  EXPECT_TRUE(at(0, Rule::kExact).equal);
  EXPECT_FALSE(at(2, Rule::kExact).equal);
  const Comparison passed = at(60, Rule::kAnyOrder);
  EXPECT_DOUBLE_EQ(passed.max_error_over_bound, 60. / 61);
  EXPECT_EQ(passed.max_ulp, 30);
  EXPECT_DOUBLE_EQ(passed.mare, 60 * kU / (1 + 1e-7));
  EXPECT_FALSE(passed.worst.has_value());
}

TEST(Compare, BlockedSumsOfManyProductsAreBoundTighter) {
  // K = 2^20: 4100 against 288. e = 0, A = 1.
  EXPECT_TRUE(CompareOne(DType::kFp32, 4000 * kU, 0, 1, 0x1p20, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kFp32, 4000 * kU, 0, 1, 0x1p20, Rule::kBlocked).equal);
  EXPECT_TRUE(CompareOne(DType::kFp32, 288 * kU, 0, 1, 0x1p20, Rule::kBlocked).equal);
  EXPECT_FALSE(CompareOne(DType::kFp32, 288.1 * kU, 0, 1, 0x1p20, Rule::kBlocked).equal);
}

TEST(Compare, SixteenBitResultsMayBeOneUlpFromTheRoundedValue) {
  const double ulp = 0x1p-10;  // of fp16 at 1
  // e rounds to 1; with A = 0 the bound is one ulp and u.
  const auto fp16 = [&](double result) {
    return CompareOne(DType::kFp16, result, 1 + 0.4 * ulp, 0, 1, Rule::kAnyOrder);
  };
  EXPECT_TRUE(fp16(1).equal);
  EXPECT_TRUE(fp16(1 + ulp).equal);
  EXPECT_FALSE(fp16(1 + 2 * ulp).equal);
  EXPECT_TRUE(fp16(1 - ulp).equal);
  EXPECT_FALSE(fp16(1 - 1.5 * ulp).equal);
  EXPECT_EQ(fp16(1).max_ulp, 0);
  EXPECT_EQ(fp16(1 + 2 * ulp).max_ulp, 2);
  EXPECT_EQ(fp16(1 + 2 * ulp).first->expected, 1) << "the expected value is shown as rounded";
  EXPECT_TRUE(CompareOne(DType::kBf16, 1 + 0x1p-7, 1, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kBf16, 1 + 0x1p-6, 1, 0, 1, Rule::kAnyOrder).equal);
  // subnormals are 2^-24 apart
  EXPECT_TRUE(CompareOne(DType::kFp16, 0x1p-24, 0, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kFp16, 0x1p-23, 0, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kFp16, 0x1p-16 + 0x1p-23, 0x1p-16, 0, 1, Rule::kAnyOrder).equal);
}

TEST(Compare, ExactRoundsTheExpectedValueToTheTypeFirst) {
  EXPECT_TRUE(CompareOne(DType::kFp16, 1, 1 + 0x1p-12, 0, 1, Rule::kExact).equal);
  EXPECT_TRUE(CompareOne(DType::kFp32, 0.1, 0.1, 0, 1, Rule::kExact).equal);
  EXPECT_FALSE(CompareOne(DType::kBf16, 1 + 0x1p-7, 1, 0, 1, Rule::kExact).equal);
  EXPECT_TRUE(CompareOne(DType::kFp32, -0.0, 0, 0, 1, Rule::kExact).equal);
  EXPECT_TRUE(CompareOne(DType::kFp32, kNan, kNan, 0, 1, Rule::kExact).equal);
  EXPECT_FALSE(CompareOne(DType::kInt32, 4, 3, 9, 9, Rule::kAnyOrder).equal)
      << "whole types are always exact";
}

TEST(Compare, NanAndInfinityAreRightOnlyWhereTheyAreExpected) {
  for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp32}) {
    for (const Rule rule : {Rule::kExact, Rule::kAnyOrder, Rule::kBlocked}) {
      for (const double expected : {1.0, -1.0, kInf, -kInf, kNan}) {
        for (const double result : {1.0, -1.0, kInf, -kInf, kNan}) {
          const bool same = result == expected || (std::isnan(result) && std::isnan(expected));
          const Comparison found = CompareOne(dtype, result, expected, 1, 1, rule);
          EXPECT_EQ(found.equal, same) << Name(dtype) << ": " << result << " for " << expected;
          EXPECT_EQ(found.max_error_over_bound > 1, !same) << result << " for " << expected;
          EXPECT_EQ(found.mare == 0, same);
          if (std::isnan(result) != std::isnan(expected)) {
            EXPECT_EQ(found.max_ulp, kMostUlps);
            EXPECT_EQ(found.mere, kInf);
            EXPECT_EQ(found.worst->error, kInf);
          }
        }
      }
    }
  }
}

TEST(Compare, AnInfinityIsOneStepBeyondTheLargestFiniteValue) {
  // Half way between 65504 and 65536: rounds to infinity, and one ulp below it is 65504.
  EXPECT_TRUE(CompareOne(DType::kFp16, 65504, 65520, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_TRUE(CompareOne(DType::kFp16, kInf, 65519, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_EQ(CompareOne(DType::kFp16, kInf, 65519, 0, 1, Rule::kAnyOrder).max_ulp, 1);
  EXPECT_FALSE(CompareOne(DType::kFp16, kInf, 65400, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kFp16, -kInf, 65519, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_TRUE(CompareOne(DType::kFp16, kInf, 1e9, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kFp16, 65504, 65520, 0, 1, Rule::kExact).equal);
  EXPECT_TRUE(CompareOne(DType::kFp32, kInf, 1e39, 0, 1, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kFp32, kInf, 1e38, 0, 1, Rule::kAnyOrder).equal);
}

TEST(Compare, AnInfinityIsInfinitelyFarFromANumberWhereNothingIsSummed) {
  for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp32}) {
    for (const double expected : {-65504.0, 1.0}) {
      const Comparison found = CompareOne(dtype, -kInf, expected, 0, 1, Rule::kExact);
      EXPECT_FALSE(found.equal);
      EXPECT_EQ(found.worst->error, kInf) << Name(dtype);
      EXPECT_EQ(found.mare, kInf) << Name(dtype);
    }
  }
  EXPECT_EQ(CompareOne(DType::kFp16, 65504, 65520, 0, 1, Rule::kExact).worst->error, kInf);
  EXPECT_TRUE(CompareOne(DType::kFp16, kInf, 65520, 0, 1, Rule::kExact).equal) << "rounded it is the same";
}

TEST(Compare, SaturatingExpectsTheLargestFiniteValueAndZeroForNan) {
  const auto saturating = [](DType dtype, double result, double expected, Rule rule) {
    return CompareOne(dtype, result, expected, 0, 1, rule, Overflow::kSaturate).equal;
  };
  for (const Rule rule : {Rule::kExact, Rule::kAnyOrder}) {
    EXPECT_TRUE(saturating(DType::kFp16, 65504, 1e9, rule));
    EXPECT_FALSE(saturating(DType::kFp16, kNan, kNan, rule));
    EXPECT_TRUE(saturating(DType::kFp16, 0, kNan, rule));
    EXPECT_TRUE(saturating(DType::kFp16, -65504, -kInf, rule));
    EXPECT_FALSE(saturating(DType::kFp16, -kInf, -kInf, rule));
    EXPECT_TRUE(saturating(DType::kBf16, 0x1.fep127, kInf, rule));
    EXPECT_TRUE(saturating(DType::kFp32, kInf, kInf, rule)) << "fp32 keeps its infinities";
  }
}

TEST(Compare, Fp32ProductsThatUnderflowMayEachBeHalfAStepOff) {
  // Steps are 2^-149. e = 0 and A = 2^-145: 16 products take 8 steps, the relative part is far below one.
  const auto off_by = [](double steps, double products) {
    return CompareOne(DType::kFp32, steps * 0x1p-149, 0, 0x1p-145, products, Rule::kAnyOrder).equal;
  };
  EXPECT_TRUE(off_by(8, 16));
  EXPECT_FALSE(off_by(9, 16));
  EXPECT_FALSE(off_by(1, 1));
  EXPECT_TRUE(CompareOne(DType::kFp32, 0x1p-149, 0x1p-150, 0x1p-150, 1, Rule::kBlocked).equal)
      << "one product half way between 0 and the least value rounds to either";
  EXPECT_FALSE(CompareOne(DType::kFp32, 0x1p-149, 0, 0, 4096, Rule::kExact).equal);
  // of bf16 a step is 2^-133: one is allowed, and what 16 products of fp32 are off is nothing beside it
  EXPECT_TRUE(CompareOne(DType::kBf16, 0x1p-133, 0, 0, 16, Rule::kAnyOrder).equal);
  EXPECT_FALSE(CompareOne(DType::kBf16, 0x1p-132, 0, 0, 16, Rule::kAnyOrder).equal);
}

TEST(Compare, HonestFp32SumsPassWhereTheirProductsUnderflow) {
  constexpr unsigned kSeed = 20261121;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> uniform(-1e-20F, 1e-20F);
  constexpr int kProducts = 256;
  constexpr int kOutputs = 64;
  Tensor chain(DType::kFp32, Layout(Format::kND, {1, kOutputs}));
  std::vector<double> expected(kOutputs);
  std::vector<double> absdot(kOutputs);
  for (size_t out = 0; out < kOutputs; ++out) {
    float sum = 0;
    for (int k = 0; k < kProducts; ++k) {
      const float a = uniform(random);
      const float b = uniform(random);
      sum += a * b;
      expected[out] += static_cast<double>(a) * b;
      absdot[out] += std::abs(static_cast<double>(a) * b);
    }
    chain.As<float>()[out] = sum;
  }
  EXPECT_TRUE(Compare(chain, expected, absdot, kProducts, Rule::kAnyOrder).equal);
  chain.As<float>()[7] += 1e-42F;  // 714 steps
  EXPECT_EQ(Compare(chain, expected, absdot, kProducts, Rule::kAnyOrder).mismatches, 1);
}

// 4 x 6 with two errors: the first at (1, 2), the worst at (3, 5).
TEST(Compare, FindsFirstAndWorstByLogicalCoordinateInEveryLayout) {
  for (const Layout& layout :
       {Layout(Format::kND, {4, 6}), Layout(Format::kNZ, {4, 6}, 8), Layout(Format::kZZ, {4, 6}, 16)}) {
    Tensor tensor(DType::kFp32, layout);
    std::vector<double> expected(24);
    for (int64_t i = 0; i < 24; ++i) {
      expected[static_cast<size_t>(i)] = static_cast<double>(i);
      tensor.Set(layout.Coord(i), static_cast<double>(i));
    }
    tensor.Set({1, 2}, 8.5);
    tensor.Set({3, 5}, 25);
    const Comparison found = Compare(tensor, expected, {}, 0, Rule::kExact);
    EXPECT_FALSE(found.equal);
    EXPECT_EQ(found.elements, 24);
    EXPECT_EQ(found.mismatches, 2);
    ASSERT_TRUE(found.first.has_value() && found.worst.has_value());
    EXPECT_EQ(found.first->coord, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(found.first->result, 8.5);
    EXPECT_EQ(found.first->expected, 8);
    EXPECT_EQ(found.first->error, 0.5);
    EXPECT_EQ(found.first->bound, 0);
    EXPECT_EQ(found.worst->coord, found.first->coord)
        << "both are infinitely beyond a bound of 0: the first stays";
    EXPECT_DOUBLE_EQ(found.mere, (0.5 / (8 + 1e-7) + 2 / (23 + 1e-7)) / 24);
    EXPECT_DOUBLE_EQ(found.mare, 2 / (23 + 1e-7));
    EXPECT_EQ(found.max_ulp, 1 << 20);  // 23 to 25 is 2 / 2^-19 steps, 8 to 8.5 is 0.5 / 2^-20
    const Comparison bounded = Compare(tensor, expected, std::vector<double>(24, 1.0), 16, Rule::kAnyOrder);
    EXPECT_EQ(bounded.mismatches, 2);
    EXPECT_EQ(bounded.worst->coord, (std::vector<int64_t>{3, 5}));
    EXPECT_DOUBLE_EQ(bounded.worst->bound, kU * (23 + 20));
    EXPECT_DOUBLE_EQ(bounded.max_error_over_bound, 2 / (kU * 43));
    EXPECT_EQ(Text(*bounded.first, layout).substr(0, 53),
              "(m=1, n=2): found 8.5, expected 8, error 0.5, allowed");
  }
}

TEST(Compare, PrintsEveryDigitOfWholeValues) {
  const Layout layout(Format::kND, {1, 2});
  const double expected[] = {0, 1208900};
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    for (const auto& [value, text] :
         {std::pair<double, std::string>{1208901, "1208901"}, {-1, "-1"}, {2147483647, "2147483647"}}) {
      Tensor tensor(dtype, layout);
      tensor.Set({0, 1}, value);
      const Comparison found = Compare(tensor, expected, {}, 0, Rule::kExact);
      ASSERT_TRUE(found.first.has_value());
      EXPECT_EQ(Text(*found.first, layout), "(m=0, n=1): found " + text + ", expected 1208900");
    }
  }
}

TEST(Compare, TellsInt64ApartThatOneDoubleStandsFor) {
  constexpr int64_t kBeyond = (int64_t{1} << 53) + 1;
  const Layout layout(Format::kND, {2, 2});
  Tensor tensor(DType::kInt64, layout);
  const int64_t values[] = {kBeyond, -kBeyond, std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min()};
  std::ranges::copy(values, tensor.As<int64_t>().begin());
  EXPECT_TRUE(Compare(tensor, values).equal);
  for (size_t i = 0; i < 4; ++i) {
    std::vector<int64_t> expected(std::begin(values), std::end(values));
    expected[i] += values[i] < 0 ? 1 : -1;
    const Comparison found = Compare(tensor, expected);
    EXPECT_FALSE(found.equal);
    EXPECT_EQ(found.mismatches, 1);
    EXPECT_EQ(found.max_ulp, 1);
    EXPECT_EQ(found.first->error, 1);
    EXPECT_EQ(Text(*found.first, layout), Say(layout.CoordText(layout.Coord(static_cast<int64_t>(i))),
                                              ": found ", values[i], ", expected ", expected[i]));
  }
  EXPECT_THROW(Compare(tensor, std::vector<int64_t>(3)), std::logic_error);
  EXPECT_THROW(Compare(Tensor(DType::kInt32, layout), values), std::logic_error);
}

TEST(Compare, CountsUlpsAcrossZeroAndAtTheEnds) {
  EXPECT_EQ(CompareOne(DType::kFp16, 0x1p-24, -0x1p-24, 0, 1, Rule::kExact).max_ulp, 2);
  EXPECT_EQ(CompareOne(DType::kFp16, -0.0, 0.0, 0, 1, Rule::kExact).max_ulp, 0);
  EXPECT_EQ(CompareOne(DType::kBf16, kInf, 0x1.fep127, 0, 1, Rule::kExact).max_ulp, 1);
  EXPECT_EQ(CompareOne(DType::kFp32, kInf, -kInf, 0, 1, Rule::kExact).max_ulp, 2 * int64_t{0x7f80'0000});
  EXPECT_EQ(CompareOne(DType::kInt64, -0x1p63, 0x1p63, 0, 1, Rule::kExact).max_ulp, kMostUlps);
  EXPECT_EQ(CompareOne(DType::kUint8, 250, 3, 0, 1, Rule::kExact).max_ulp, 247);
}

TEST(Compare, ASumOfProductsThatIsNoNumberAllowsNothingMore) {
  for (const double absdot : {kNan, kInf, -1.0}) {
    EXPECT_FALSE(CompareOne(DType::kFp32, 1 + 0x1p-20, 1, absdot, 100, Rule::kAnyOrder).equal) << absdot;
  }
}

TEST(Compare, HonestFp32SumsPassAndAnFp16AccumulatorDoesNot) {
  constexpr unsigned kSeed = 20240607;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> uniform(0, 1);
  constexpr int kProducts = 4096;
  constexpr int kOutputs = 32;
  Tensor chain(DType::kFp32, Layout(Format::kND, {1, kOutputs}));
  Tensor narrow = chain;
  std::vector<double> expected(kOutputs);
  for (size_t out = 0; out < kOutputs; ++out) {
    float sum = 0;
    Half half_sum = 0;
    for (int k = 0; k < kProducts; ++k) {
      const float product = float(Half(uniform(random))) * float(Half(uniform(random)));
      expected[out] += static_cast<double>(product);
      sum += product;
      half_sum += Half(product);
    }
    chain.As<float>()[out] = sum;
    narrow.As<float>()[out] = half_sum;
  }
  const std::vector<double>& absdot = expected;  // all products are positive
  EXPECT_TRUE(Compare(chain, expected, absdot, kProducts, Rule::kAnyOrder).equal);
  EXPECT_EQ(Compare(narrow, expected, absdot, kProducts, Rule::kAnyOrder).mismatches, kOutputs);
}

TEST(Compare, RefusesSpansOfAnotherLength) {
  const Tensor tensor(DType::kFp32, Layout(Format::kND, {2, 2}));
  const std::vector<double> four(4);
  const std::vector<double> three(3);
  EXPECT_THROW(Compare(tensor, three, four, 1, Rule::kAnyOrder), std::logic_error);
  EXPECT_THROW(Compare(tensor, four, three, 1, Rule::kAnyOrder), std::logic_error);
  EXPECT_THROW(Compare(tensor, four, {}, 1, Rule::kAnyOrder), std::logic_error);
  EXPECT_NO_THROW(Compare(tensor, four, {}, 1, Rule::kExact));
  EXPECT_NO_THROW(Compare(tensor, four, four, 1, Rule::kBlocked));
}

}  // namespace
}  // namespace tilesim
