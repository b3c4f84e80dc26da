// The direct loops of the pooling gradient against ones that ask for each element by its coordinate, and
// against the slope of the forward result.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>

#include "ops/max_pool/pool_argmax.h"
#include "ops/max_pool/pool_reference.h"
#include "tests/ops/max_pool/coordinate_pool.h"
#include "tests/ops/max_pool/random_pool.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::DistinctTensor;
using testing::RandomPool;
using testing::TiedTensor;

Tensor AsArgmax(const PoolProblem& p, const std::vector<double>& argmax) {
  Tensor canonical(DType::kInt32, CanonicalLayout(p.YLayout()));
  std::ranges::transform(argmax, canonical.As<int32_t>().begin(),
                         [](double index) { return static_cast<int32_t>(index); });
  return Converted(canonical, p.YLayout());
}

TEST(PoolGradReference, BothFormsAreThatOfLoopsOverCoordinates) {
  constexpr uint32_t kSeed = 42;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  for (int trial = 0; trial < 100; ++trial) {
    const PoolProblem p = RandomPool(random, 1e5);
    const Tensor x = TiedTensor(p.dtype, p.XLayout(), random, 3, trial % 2 == 0);
    const Tensor dy = TiedTensor(p.dtype, p.YLayout(), random, 9, false);
    const ArgmaxIndex index_of(p);
    const int64_t plane = p.windows.in.d * p.windows.in.h * p.windows.in.w;
    std::vector<double> dx(static_cast<size_t>(p.batch * p.channels * plane));
    std::vector<int64_t> met(dx.size());
    testing::ForEachOutput(p, [&](int64_t n, int64_t c, const Extents3& o, size_t) {
      const testing::CoordinateMaximum naive = testing::MaximumOf(p, x, n, c, o);
      if (naive.index >= 0) {
        const auto at =
            static_cast<size_t>((n * p.channels + c) * plane + index_of.PositionOf(n, c, naive.index));
        dx[at] += dy.Get(testing::Coord(p, n, c, o));
        ++met[at];
      }
    });
    const PoolGradReference recomputed = ReferenceMaxPoolGradOfInput(p, dy, x, 2);
    EXPECT_EQ(recomputed.dx, dx) << Description(p);
    EXPECT_EQ(recomputed.absdot, dx) << Description(p);  // dy is not negative
    EXPECT_EQ(recomputed.products, *std::ranges::max_element(met)) << Description(p);
    const Tensor argmax = AsArgmax(p, ReferenceMaxPool(p, x, 2).argmax);
    EXPECT_FALSE(WhyNotArgmax(p, argmax).has_value()) << Description(p);
    const PoolGradReference given = ReferenceMaxPoolGrad(p, dy, argmax, 1);
    EXPECT_EQ(given.dx, dx) << Description(p);
    EXPECT_EQ(given.products, recomputed.products) << Description(p);
  }
}

double Sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(PoolGradReference, ItHasTheSumOfDyWhereThereIsAnArgmax) {
  constexpr uint32_t kSeed = 43;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  for (int trial = 0; trial < 60; ++trial) {
    const PoolProblem p = RandomPool(random, 1e5);
    const Tensor x = TiedTensor(p.dtype, p.XLayout(), random, 3, true);
    const Tensor dy = TiedTensor(p.dtype, p.YLayout(), random, 9, false);
    const PoolReference forward = ReferenceMaxPool(p, x);
    const Tensor gradients = Converted(dy, CanonicalLayout(dy.layout()));
    double wanted = 0;
    for (size_t i = 0; i < forward.argmax.size(); ++i) {
      wanted += forward.argmax[i] < 0 ? 0 : gradients.Get(gradients.layout().Coord(static_cast<int64_t>(i)));
    }
    EXPECT_EQ(Sum(ReferenceMaxPoolGradOfInput(p, dy, x).dx), wanted) << Description(p);
  }
}

// With distinct whole numbers in x, a quarter more or less changes no winner: sum(dy * y) is linear in it.
TEST(PoolGradReference, ItIsTheSlopeOfTheForwardResult) {
  constexpr uint32_t kSeed = 44;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int slopes = 0;
  for (int trial = 0; trial < 40; ++trial) {
    PoolProblem p = RandomPool(random, 2e4);
    p.dtype = DType::kFp32;
    Tensor x = DistinctTensor(p.dtype, p.XLayout(), random);
    const Tensor dy = TiedTensor(p.dtype, p.YLayout(), random, 9, false);
    const Tensor gradients = Converted(dy, CanonicalLayout(dy.layout()));
    const std::vector<double> dx = ReferenceMaxPoolGradOfInput(p, dy, x).dx;
    const auto loss = [&] {
      const PoolReference forward = ReferenceMaxPool(p, x);
      double sum = 0;
      for (size_t i = 0; i < forward.y.size(); ++i) {
        sum += forward.argmax[i] < 0 ? 0 : forward.y[i] * double{gradients.As<float>()[i]};
      }
      return sum;
    };
    for (int probe = 0; probe < 24; ++probe) {
      const int64_t i = std::uniform_int_distribution<int64_t>(0, p.XLayout().LogicalElements() - 1)(random);
      const std::vector<int64_t> at = p.XLayout().Coord(i);
      const double value = x.Get(at);
      x.Set(at, value + 0.25);
      const double above = loss();
      x.Set(at, value - 0.25);
      const double below = loss();
      x.Set(at, value);
      EXPECT_EQ(dx[static_cast<size_t>(i)], (above - below) / 0.5) << Description(p) << " at " << i;
      slopes += dx[static_cast<size_t>(i)] != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(slopes, 50);
}

TEST(PoolGradReference, NaNOfDyStaysWhereItsArgmaxIs) {
  const testing::Plane plane =
      testing::PlaneOf({1, 2, 4}, {1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, NanRule::kPropagate);
  Tensor dy(DType::kFp32, plane.problem.YLayout());
  dy.Set({0, 0, 0, 0, 0}, std::numeric_limits<double>::quiet_NaN());
  dy.Set({0, 0, 0, 0, 1}, 3);
  const PoolGradReference gradient = ReferenceMaxPoolGradOfInput(plane.problem, dy, plane.x);
  for (size_t i = 0; i < gradient.dx.size(); ++i) {
    EXPECT_EQ(std::isnan(gradient.dx[i]), i == 5);
    EXPECT_EQ(gradient.dx[i] == 3, i == 7);
  }
}

TEST(PoolGradReference, ThreadsDoNotChangeABit) {
  std::mt19937 random(45);
  PoolProblem p = RandomPool(random, 1e5);
  const Tensor x = TiedTensor(p.dtype, p.XLayout(), random, 3, true);
  Tensor dy(p.dtype, p.YLayout());
  FillRandom(dy, 1, -1, 1);
  const std::vector<double> one = ReferenceMaxPoolGradOfInput(p, dy, x, 1).dx;
  EXPECT_EQ(ReferenceMaxPoolGradOfInput(p, dy, x, 3).dx, one);
}

}  // namespace
}  // namespace tilesim
