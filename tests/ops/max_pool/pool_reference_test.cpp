// The direct loops of pooling against ones that ask for each element by its coordinate, and what they say of
// ties, NaN, -inf and windows without elements.
#include "ops/max_pool/pool_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>

#include "ops/max_pool/pool_argmax.h"
#include "tests/ops/max_pool/random_pool.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::DistinctTensor;
using testing::RandomPool;
using testing::TiedTensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<int64_t> Coord(const PoolProblem& p, int64_t n, int64_t c, const Extents3& at) {
  return p.Is2d() ? std::vector{n, c, at.h, at.w} : std::vector{n, c, at.d, at.h, at.w};
}

// In the words of the case file's columns `nan` and `argmax`.
struct Naive {
  double value = -kInfinity;
  int64_t index = -1;
};

Naive NaiveMaximum(const PoolProblem& p, const Tensor& x, int64_t n, int64_t c, const Extents3& o) {
  const Windows& w = p.windows;
  Naive best;
  for (int64_t kd = 0; kd < w.kernel.d; ++kd) {
    for (int64_t kh = 0; kh < w.kernel.h; ++kh) {
      for (int64_t kw = 0; kw < w.kernel.w; ++kw) {
        const Extents3 at = {o.d * w.stride.d + kd * w.dilation.d - w.pad.front,
                             o.h * w.stride.h + kh * w.dilation.h - w.pad.top,
                             o.w * w.stride.w + kw * w.dilation.w - w.pad.left};
        if (at.d < 0 || at.d >= w.in.d || at.h < 0 || at.h >= w.in.h || at.w < 0 || at.w >= w.in.w) {
          continue;
        }
        const int64_t plane = (at.d * w.in.h + at.h) * w.in.w + at.w;
        const std::map<ArgmaxOrder, int64_t> indices = {
            {ArgmaxOrder::kPlane, plane},
            {ArgmaxOrder::kNhwc, plane * p.channels + c},
            {ArgmaxOrder::kBatchNhwc, (n * w.in.d * w.in.h * w.in.w + plane) * p.channels + c}};
        const double value = x.Get(Coord(p, n, c, at));
        const bool first = best.index == -1 && p.nan == NanRule::kPropagate;
        const bool nan_wins = std::isnan(value) && p.nan == NanRule::kPropagate;
        if (value > best.value || nan_wins || first) {
          best = {value, indices.at(p.argmax)};
        }
      }
    }
  }
  return best;
}

// Calls visit(n, c, o, index of the output in canonical order).
template <class Visit>
void ForEachOutput(const PoolProblem& p, const Visit& visit) {
  size_t index = 0;
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t c = 0; c < p.channels; ++c) {
      for (int64_t d = 0; d < p.out.d; ++d) {
        for (int64_t h = 0; h < p.out.h; ++h) {
          for (int64_t w = 0; w < p.out.w; ++w) {
            visit(n, c, Extents3{d, h, w}, index++);
          }
        }
      }
    }
  }
}

TEST(PoolReference, EqualsLoopsOverCoordinates) {
  constexpr uint32_t kSeed = 41;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int empty_windows = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const PoolProblem p = RandomPool(random, 1e5);
    const Tensor x = TiedTensor(p.dtype, p.XLayout(), random, 3, trial % 2 == 0);
    const PoolReference reference = ReferenceMaxPool(p, x, 1 + trial % 3);
    ForEachOutput(p, [&](int64_t n, int64_t c, const Extents3& o, size_t i) {
      const Naive naive = NaiveMaximum(p, x, n, c, o);
      empty_windows += naive.index == -1 ? 1 : 0;
      ASSERT_EQ(static_cast<int64_t>(reference.argmax[i]), naive.index) << Description(p) << " at " << i;
      ASSERT_TRUE(reference.y[i] == naive.value || (std::isnan(reference.y[i]) && std::isnan(naive.value)))
          << Description(p) << " at " << i << ": " << reference.y[i] << ", not " << naive.value;
    });
  }
  EXPECT_GT(empty_windows, 100);
}

// x as a tensor of one plane, and the pooling of it.
struct Plane {
  PoolProblem problem;
  Tensor x;
};
Plane PlaneOf(Extents3 in, Extents3 kernel, std::initializer_list<double> values, NanRule nan) {
  PoolProblem p;
  p.dtype = DType::kFp32;
  p.windows = {.in = in, .kernel = kernel, .stride = kernel, .dilation = {}, .pad = {}};
  p.out = ForwardExtents(p.windows, p.rounding);
  p.nan = nan;
  Tensor x(DType::kFp32, p.XLayout());
  std::ranges::transform(values, x.As<float>().begin(), [](double v) { return static_cast<float>(v); });
  return {p, x};
}

struct Winner {
  double value;
  int64_t index;
};
void ExpectWinner(std::initializer_list<double> window, const Winner& propagate, const Winner& ignore) {
  for (const NanRule rule : {NanRule::kPropagate, NanRule::kIgnore}) {
    const auto count = static_cast<int64_t>(window.size());
    const Plane plane = PlaneOf({1, 1, count}, {1, 1, count}, window, rule);
    const PoolReference reference = ReferenceMaxPool(plane.problem, plane.x);
    const Winner& wanted = rule == NanRule::kPropagate ? propagate : ignore;
    EXPECT_EQ(reference.argmax.front(), wanted.index) << Name(rule);
    if (std::isnan(wanted.value)) {
      EXPECT_TRUE(std::isnan(reference.y.front())) << Name(rule);
    } else {
      EXPECT_EQ(reference.y.front(), wanted.value) << Name(rule);
    }
  }
}

TEST(PoolReference, TheFirstMaximumWinsAndNaNAsTheRuleSays) {
  ExpectWinner({1, 3, 3, 2}, {3, 1}, {3, 1});
  ExpectWinner({-0.0, 0.0, -1}, {0, 0}, {0, 0});  // equal: the first stays
  ExpectWinner({1, kNaN, 3, kNaN, 2}, {kNaN, 3}, {3, 2});
  ExpectWinner({kNaN, 1}, {kNaN, 0}, {1, 1});
  ExpectWinner({kNaN, kNaN}, {kNaN, 1}, {-kInfinity, -1});
  ExpectWinner({kInfinity, kNaN}, {kNaN, 1}, {kInfinity, 0});
  ExpectWinner({-kInfinity, -kInfinity}, {-kInfinity, 0}, {-kInfinity, -1});
  ExpectWinner({-kInfinity, -0x1p100}, {-0x1p100, 1}, {-0x1p100, 1});
}

TEST(PoolReference, APaddedWindowOfNothingButMinusInfinityHasItsFirstInBoundsElement) {
  Plane plane = PlaneOf({1, 2, 3}, {1, 2, 2}, {-kInfinity, -kInfinity, 5, -kInfinity, -kInfinity, 4},
                        NanRule::kPropagate);
  plane.problem.windows.stride = {1, 1, 2};
  plane.problem.windows.pad = {0, 0, 1, 1, 1, 1};
  plane.problem.out = ForwardExtents(plane.problem.windows, Rounding::kFloor);
  const PoolReference reference = ReferenceMaxPool(plane.problem, plane.x);
  EXPECT_EQ(reference.argmax, (std::vector<double>{0, 2, 0, 2, 3, 5}));
}

TEST(PoolReference, AWindowWithoutElementsGivesMinusInfinityAndNoArgmax) {
  for (const NanRule rule : {NanRule::kPropagate, NanRule::kIgnore}) {
    Plane plane = PlaneOf({1, 1, 2}, {1, 1, 2}, {1, 2}, rule);
    plane.problem.windows.pad = {0, 0, 0, 0, 2, 2};
    plane.problem.out = ForwardExtents(plane.problem.windows, Rounding::kFloor);
    const PoolReference reference = ReferenceMaxPool(plane.problem, plane.x);
    EXPECT_EQ(reference.y, (std::vector<double>{-kInfinity, 2, -kInfinity}));
    EXPECT_EQ(reference.argmax, (std::vector<double>{-1, 1, -1}));
  }
}

TEST(PoolReference, AnEmptyBatchGivesNothing) {
  Plane plane = PlaneOf({1, 4, 4}, {1, 2, 2}, {}, NanRule::kPropagate);
  plane.problem.batch = 0;
  const Tensor x(DType::kFp32, plane.problem.XLayout());
  const Tensor dy(DType::kFp32, plane.problem.YLayout());
  EXPECT_TRUE(ReferenceMaxPool(plane.problem, x).y.empty());
  const PoolGradReference gradient = ReferenceMaxPoolGradOfInput(plane.problem, dy, x);
  EXPECT_TRUE(gradient.dx.empty());
  EXPECT_EQ(gradient.products, 0);
}

// Walking over 2^31 taps one by one would take minutes.
TEST(PoolReference, TapsOutsideTheInputCostNothing) {
  Plane plane = PlaneOf({1, 1, 3}, {1, 1, 3}, {1, 7, 2}, NanRule::kPropagate);
  const int64_t most = INT32_MAX;
  plane.problem.windows.kernel = plane.problem.windows.stride = {most, most, most};
  plane.problem.windows.pad = {most - 1, 0, most - 1, 0, most - 2, 0};
  plane.problem.out = ForwardExtents(plane.problem.windows, Rounding::kFloor);
  ASSERT_EQ(plane.problem.out, (Extents3{1, 1, 1}));
  const PoolReference reference = ReferenceMaxPool(plane.problem, plane.x);
  EXPECT_EQ(reference.y.front(), 7);
  EXPECT_EQ(reference.argmax.front(), 1);
}

Tensor AsArgmax(const PoolProblem& p, const std::vector<double>& argmax) {
  Tensor canonical(DType::kInt32, CanonicalLayout(p.YLayout()));
  std::ranges::transform(argmax, canonical.As<int32_t>().begin(),
                         [](double index) { return static_cast<int32_t>(index); });
  return Converted(canonical, p.YLayout());
}

TEST(PoolReference, BothFormsOfTheGradientAreThatOfLoopsOverCoordinates) {
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
    ForEachOutput(p, [&](int64_t n, int64_t c, const Extents3& o, size_t) {
      const Naive naive = NaiveMaximum(p, x, n, c, o);
      if (naive.index >= 0) {
        const auto at =
            static_cast<size_t>((n * p.channels + c) * plane + index_of.PositionOf(n, c, naive.index));
        dx[at] += dy.Get(Coord(p, n, c, o));
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

TEST(PoolReference, TheGradientHasTheSumOfDyWhereThereIsAnArgmax) {
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
TEST(PoolReference, TheGradientIsTheSlopeOfTheForwardResult) {
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

TEST(PoolReference, NaNOfDyStaysWhereItsArgmaxIs) {
  const Plane plane = PlaneOf({1, 2, 4}, {1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, NanRule::kPropagate);
  Tensor dy(DType::kFp32, plane.problem.YLayout());
  dy.Set({0, 0, 0, 0, 0}, kNaN);
  dy.Set({0, 0, 0, 0, 1}, 3);
  const PoolGradReference gradient = ReferenceMaxPoolGradOfInput(plane.problem, dy, plane.x);
  for (size_t i = 0; i < gradient.dx.size(); ++i) {
    EXPECT_EQ(std::isnan(gradient.dx[i]), i == 5);
    EXPECT_EQ(gradient.dx[i] == 3, i == 7);
  }
}

TEST(PoolReference, ThreadsDoNotChangeABit) {
  std::mt19937 random(45);
  PoolProblem p = RandomPool(random, 1e5);
  const Tensor x = TiedTensor(p.dtype, p.XLayout(), random, 3, true);
  Tensor dy(p.dtype, p.YLayout());
  FillRandom(dy, 1, -1, 1);
  const std::vector<double> one = ReferenceMaxPoolGradOfInput(p, dy, x, 1).dx;
  EXPECT_EQ(ReferenceMaxPoolGradOfInput(p, dy, x, 3).dx, one);
}

TEST(PoolReference, RefusesTensorsOfAnotherProblem) {
  const Plane plane = PlaneOf({1, 2, 4}, {1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, NanRule::kPropagate);
  EXPECT_THROW((void)ReferenceMaxPool(plane.problem, Rounded(plane.x, DType::kFp16)), std::logic_error);
  EXPECT_THROW((void)ReferenceMaxPoolGradOfInput(plane.problem, plane.x, plane.x), std::logic_error);
}

}  // namespace
}  // namespace tilesim
