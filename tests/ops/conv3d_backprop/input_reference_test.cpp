// The fast scattering loops against plain ones written straight from the definition, and against the
// gathering reference.
#include "ops/conv3d_backprop/input_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "ops/conv3d_backprop/input_gather_reference.h"
#include "tests/formats/every_target.h"
#include "tests/ops/conv3d_backprop/random_conv.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::RandomConv;
using testing::RandomTensor;
using testing::WholeTensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<int64_t> Coord(const Conv3dProblem& p, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  return p.Is2d() ? std::vector{n, c, h, w} : std::vector{n, c, d, h, w};
}

struct Naive {
  std::vector<double> dx;
  std::vector<double> absdot;
  std::vector<int64_t> products;
};

// One element of dy over its window: the taps and the input channels of its group.
void ScatterElement(const Conv3dProblem& p, double gradient, const Tensor& filter, int64_t n, int64_t o,
                    const Extents3& at, Naive& naive) {
  const int64_t cin = p.cin / p.groups;
  for (int64_t kd = 0; kd < p.kernel.d; ++kd) {
    for (int64_t kh = 0; kh < p.kernel.h; ++kh) {
      for (int64_t kw = 0; kw < p.kernel.w; ++kw) {
        const int64_t d = at.d * p.stride.d + kd * p.dilation.d - p.pad.front;
        const int64_t h = at.h * p.stride.h + kh * p.dilation.h - p.pad.top;
        const int64_t w = at.w * p.stride.w + kw * p.dilation.w - p.pad.left;
        if (d < 0 || d >= p.in.d || h < 0 || h >= p.in.h || w < 0 || w >= p.in.w) {
          continue;
        }
        for (int64_t i = 0; i < cin; ++i) {
          const int64_t c = o / (p.cout / p.groups) * cin + i;
          const auto to = static_cast<size_t>((((n * p.cin + c) * p.in.d + d) * p.in.h + h) * p.in.w + w);
          const double product = gradient * filter.Get(Coord(p, o, i, kd, kh, kw));
          naive.dx[to] += product;
          naive.absdot[to] += std::abs(product);
          ++naive.products[to];
        }
      }
    }
  }
}

Naive NaiveGradient(const Conv3dProblem& p, const Tensor& dy, const Tensor& filter) {
  Naive naive;
  const auto outputs = static_cast<size_t>(p.batch * p.cin * p.in.d * p.in.h * p.in.w);
  naive.dx.resize(outputs);
  naive.absdot.resize(outputs);
  naive.products.resize(outputs);
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t d = 0; d < p.out.d; ++d) {
      for (int64_t h = 0; h < p.out.h; ++h) {
        for (int64_t w = 0; w < p.out.w; ++w) {
          for (int64_t o = 0; o < p.cout; ++o) {
            ScatterElement(p, dy.Get(Coord(p, n, o, d, h, w)), filter, n, o, {d, h, w}, naive);
          }
        }
      }
    }
  }
  return naive;
}

void ExpectEqual(const std::vector<double>& found, const std::vector<double>& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << what << " at " << i;
    } else if (std::isinf(expected[i])) {
      ASSERT_EQ(found[i], expected[i]) << what << " at " << i;
    } else {
      ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * std::abs(expected[i])) << what << " at " << i;
    }
  }
}

// Each product of two inputs is exact in double and the order is that of the definition: dx is equal to the
// bit, whatever the numbers.
void ExpectAsNaive(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter) {
  const std::string what = Description(problem);
  const Naive naive = NaiveGradient(problem, dy, filter);
  const InputReference reference = ReferenceInputGradient(problem, dy, filter, 2);
  ExpectEqual(reference.dx, naive.dx, 0, Say("dx of ", what));
  ExpectEqual(reference.absdot, naive.absdot, 1e-5, Say("absdot of ", what));
  EXPECT_EQ(reference.products, std::ranges::max(naive.products)) << what;
}

void ExpectAsNaiveOnRandomNumbers(const Conv3dProblem& p, uint64_t seed) {
  ExpectAsNaive(p, RandomTensor(p.dtype, p.DyLayout(), seed, -1, 1),
                RandomTensor(p.dtype, p.FilterLayout(), seed + 1, -2, 3));
}

Conv3dProblem Problem(DType dtype, int64_t batch, int64_t cin, int64_t cout, Extents3 in, Extents3 kernel,
                      Pads pad = {}) {
  Conv3dProblem p;
  p.dtype = dtype;
  p.batch = batch;
  p.cin = cin;
  p.cout = cout;
  p.in = in;
  p.kernel = kernel;
  p.pad = pad;
  p.out = ForwardExtents(p);
  return p;
}

TEST(InputReference, EqualsTheDefinitionOnRandomProblems) {
  const uint32_t kSeed = 20261121 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  for (int trial = 0; trial < Repetitions(150); ++trial) {
    ExpectAsNaiveOnRandomNumbers(RandomConv(random, 4e5), random());
    ASSERT_FALSE(HasFailure()) << "trial " << trial;
  }
}

// Sums of whole numbers are exact, so the two orders of addition give the same bits.
TEST(InputReference, EqualsTheGatheringReferenceToTheBitOnWholeNumbers) {
  const uint32_t kSeed = 20261122 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int64_t not_reached = 0;
  for (int trial = 0; trial < Repetitions(300); ++trial) {
    Conv3dProblem p = RandomConv(random, 2e5);
    p.hf32 = p.dtype == DType::kFp32 && trial % 2 == 0;
    const int64_t most = p.dtype == DType::kFp32 ? 65535 : 100;  // 16 bits: HF32 rounds them
    const Tensor dy = WholeTensor(p.dtype, p.DyLayout(), random, most);
    const Tensor filter = WholeTensor(p.dtype, p.FilterLayout(), random, most);
    const InputReference scattered = ReferenceInputGradient(p, dy, filter, 2);
    ASSERT_EQ(scattered.dx, GatherInputGradient(p, dy, filter)) << Description(p) << ", trial " << trial;
    not_reached += std::ranges::count(scattered.absdot, 0.0);
  }
  EXPECT_GE(not_reached, SomeOf(1001));  // outputs that no window reaches: 0 in both
}

TEST(InputReference, EqualsTheDefinitionWhereItsBlocksEnd) {
  // input channels: 16 a block; output channels: 128 a chunk; rows: as many as the caches hold
  for (const auto& [cin, cout] : {std::pair<int64_t, int64_t>{15, 127}, {16, 128}, {17, 129}, {33, 300}}) {
    ExpectAsNaiveOnRandomNumbers(
        Problem(DType::kBf16, 1, cin, cout, {1, 3, 4}, {1, 2, 3}, {0, 0, 1, 1, 2, 0}), 1);
  }
  for (const int64_t width : {1, 7, 8, 9, 300}) {
    ExpectAsNaiveOnRandomNumbers(Problem(DType::kFp16, 1, 3, 2, {1, 3, width}, {1, 2, 3}, {0, 0, 0, 1, 1, 1}),
                                 3);
  }
  ExpectAsNaiveOnRandomNumbers(Problem(DType::kFp32, 1, 2, 3, {2, 700, 4}, {1, 3, 1}, {0, 0, 1, 1, 0, 0}), 5);
}

TEST(InputReference, EqualsTheDefinitionWhereStridesLeaveGaps) {
  for (const int64_t stride : {2, 3, 7, 63}) {
    Conv3dProblem p = Problem(DType::kFp16, 2, 5, 3, {4, 9, 11}, {2, 3, 2}, {1, 0, 2, 1, 0, 3});
    p.stride = {2, stride, stride};
    p.out = ForwardExtents(p);
    ExpectAsNaiveOnRandomNumbers(p, 7);
  }
}

TEST(InputReference, DoesNotDependOnThreads) {
  Conv3dProblem p = Problem(DType::kFp32, 2, 24, 36, {3, 8, 9}, {3, 3, 3}, {1, 1, 1, 1, 1, 1});
  p.groups = 3;
  const Tensor dy = RandomTensor(p.dtype, p.DyLayout(), 9, -1, 1);
  const Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), 10, -1, 1);
  const InputReference one = ReferenceInputGradient(p, dy, filter, 1);
  for (const int threads : {0, 2, 3, 7}) {
    const InputReference other = ReferenceInputGradient(p, dy, filter, threads);
    EXPECT_EQ(one.dx, other.dx) << threads;
    EXPECT_EQ(one.absdot, other.absdot) << threads;
  }
}

// absdot too: products of fp16 are exact in float, so an instruction set without fused multiply-add rounds
// alike.
TEST(InputReference, DoesNotDependOnTheInstructionSet) {
  const Conv3dProblem p = Problem(DType::kFp16, 2, 35, 15, {2, 5, 7}, {2, 3, 3}, {1, 1, 1, 1, 1, 1});
  const Tensor dy = RandomTensor(p.dtype, p.DyLayout(), 17, -1, 1);
  const Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), 18, -1, 1);
  const InputReference best = ReferenceInputGradient(p, dy, filter, 1);
  OnEveryTarget([&] {
    const InputReference other = ReferenceInputGradient(p, dy, filter, 1);
    EXPECT_EQ(best.dx, other.dx);
    EXPECT_EQ(best.absdot, other.absdot);
  });
}

TEST(InputReference, HoldsNumbersWhoseProductsFloatCannot) {
  const Conv3dProblem p = Problem(DType::kBf16, 1, 3, 4, {2, 4, 5}, {1, 2, 3});
  for (const double scale : {1e-38, 1e-30, 1e30, 1e38}) {
    ExpectAsNaive(p, RandomTensor(p.dtype, p.DyLayout(), 11, -scale, scale),
                  RandomTensor(p.dtype, p.FilterLayout(), 12, -scale, scale));
  }
  Tensor dy = RandomTensor(p.dtype, p.DyLayout(), 13, -1, 1);
  dy.Set({0, 1, 0, 0, 0}, 1e-35);
  Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), 14, -1, 1);
  filter.Set({1, 2, 0, 1, 1}, 1e-20);
  ExpectAsNaive(p, dy, filter);
}

TEST(InputReference, CarriesInfinitiesAndNaN) {
  const Conv3dProblem p = Problem(DType::kFp16, 1, 17, 3, {2, 4, 5}, {2, 2, 3}, {1, 0, 1, 1, 1, 1});
  Tensor dy = RandomTensor(p.dtype, p.DyLayout(), 15, 0.5, 1);
  Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), 16, 0.5, 1);
  dy.Set({0, 1, 1, 2, 3}, kInfinity);
  filter.Set({2, 16, 0, 1, 1}, -kInfinity);
  filter.Set({0, 3, 1, 0, 0}, kNaN);
  ExpectAsNaive(p, dy, filter);
}

TEST(InputReference, RoundsToHf32WhenAsked) {
  Conv3dProblem p = Problem(DType::kFp32, 1, 1, 1, {1, 1, 1}, {1, 1, 1});
  Tensor dy(p.dtype, p.DyLayout());
  Tensor filter(p.dtype, p.FilterLayout());
  const auto dx = [&](double gradient, double weight, bool hf32) {
    dy.Set({0, 0, 0, 0, 0}, gradient);
    filter.Set({0, 0, 0, 0, 0}, weight);
    p.hf32 = hf32;
    const double scattered = ReferenceInputGradient(p, dy, filter, 1).dx[0];
    EXPECT_EQ(scattered, GatherInputGradient(p, dy, filter)[0]);
    return scattered;
  };
  // 11 bits of mantissa remain: steps of 2^-11 above 1; ties go to even
  EXPECT_EQ(dx(1 + 0x1p-12, 1, true), 1);
  EXPECT_EQ(dx(1, 1 + 0x1p-12 + 0x1p-23, true), 1 + 0x1p-11);
  EXPECT_EQ(dx(1 + 0x1p-11 + 0x1p-12, 1, true), 1 + 0x1p-10);
  EXPECT_EQ(dx(1, -1 - 0x1p-12 - 0x1p-23, true), -1 - 0x1p-11);
  EXPECT_EQ(dx(0x1.8p-138, 1, true), 0x1p-137);  // below 2^-126 the steps are 2^-137
  EXPECT_EQ(dx(-kInfinity, 1, true), -kInfinity);
  EXPECT_EQ(dx(1 + 0x1p-12, 1, false), 1 + 0x1p-12);
}

}  // namespace
}  // namespace tilesim
