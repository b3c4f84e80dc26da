// The direct loops of pooling against ones that ask for each element by its coordinate, and what they say of
// ties, NaN, -inf and windows without elements.
#include "ops/max_pool/pool_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <iostream>
#include <limits>

#include "tests/ops/max_pool/coordinate_pool.h"
#include "tests/ops/max_pool/random_pool.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::ForEachOutput;
using testing::Plane;
using testing::PlaneOf;
using testing::RandomPool;
using testing::TiedTensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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
      const testing::CoordinateMaximum naive = testing::MaximumOf(p, x, n, c, o);
      empty_windows += naive.index == -1 ? 1 : 0;
      ASSERT_EQ(static_cast<int64_t>(reference.argmax[i]), naive.index) << Description(p) << " at " << i;
      ASSERT_TRUE(reference.y[i] == naive.value || (std::isnan(reference.y[i]) && std::isnan(naive.value)))
          << Description(p) << " at " << i << ": " << reference.y[i] << ", not " << naive.value;
    });
  }
  EXPECT_GT(empty_windows, 100);
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

TEST(PoolReference, RefusesTensorsOfAnotherProblem) {
  const Plane plane = PlaneOf({1, 2, 4}, {1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, NanRule::kPropagate);
  EXPECT_THROW((void)ReferenceMaxPool(plane.problem, Rounded(plane.x, DType::kFp16)), std::logic_error);
  EXPECT_THROW((void)ReferenceMaxPoolGradOfInput(plane.problem, plane.x, plane.x), std::logic_error);
}

}  // namespace
}  // namespace tilesim
