// Which outputs of the input gradient are marked as NaN on the hardware, against what plain loops make of the
// zeros.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "ops/conv3d_backprop/input_gather_reference.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "tests/ops/conv3d_backprop/random_conv.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::RandomConv;
using testing::RandomTensor;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(InputPadding, MarksTheOutputsWhereAZeroMeetsAWeightThatIsNotFinite) {
  const uint32_t kSeed = 5 + static_cast<uint32_t>(TestTurn());
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int64_t marked = 0;
  for (int trial = 0; trial < Repetitions(60); ++trial) {
    const Conv3dProblem p = RandomConv(random, 1e5);
    Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), random(), 0.5, 1);
    const int64_t index = static_cast<int64_t>(random()) % filter.layout().LogicalElements();
    const std::vector<int64_t> weight = filter.layout().Coord(index);
    filter.Set(weight, kInf);
    const Tensor finite(p.dtype, p.DyLayout());
    const std::vector<uint8_t> touched = ZerosMeetNonFinite(p, finite, filter);
    // dy of that one output channel is 1, the others 0: an output either takes the infinity, or (its plane
    // being there) a zero stands in its place
    Tensor dy(p.dtype, p.DyLayout());
    for (int64_t i = 0; i < dy.layout().LogicalElements(); ++i) {
      const std::vector<int64_t> at = dy.layout().Coord(i);
      dy.Set(at, at[1] == weight[0] ? 1 : 0);
    }
    const std::vector<double> dx = GatherInputGradient(p, dy, filter);
    const int64_t kd = p.Is2d() ? 0 : weight[2];
    const int64_t channel = weight[0] / p.CoutPerGroup() * p.CinPerGroup() + weight[1];
    for (size_t i = 0; i < dx.size(); ++i) {
      const int64_t plane = static_cast<int64_t>(i) / (p.in.h * p.in.w);
      const int64_t d = plane % p.in.d + p.pad.front - kd * p.dilation.d;
      const bool plane_is_there = d >= 0 && d % p.stride.d == 0 && d / p.stride.d < p.out.d;
      const bool expected = plane / p.in.d % p.cin == channel && plane_is_there && !std::isinf(dx[i]);
      ASSERT_EQ(!touched.empty() && touched[i] != 0, expected)
          << Description(p) << " at " << i << ", trial " << trial;
      marked += expected ? 1 : 0;
    }
  }
  EXPECT_GE(marked, SomeOf(101));
}

TEST(InputPadding, MarksNothingWhereAllIsFinite) {
  std::mt19937 random(1);
  const Conv3dProblem p = RandomConv(random, 1e4);
  EXPECT_TRUE(ZerosMeetNonFinite(p, RandomTensor(p.dtype, p.DyLayout(), 1, -1, 1),
                                 RandomTensor(p.dtype, p.FilterLayout(), 1, -1, 1))
                  .empty());
}

// A problem whose groups all lie in one block, as the dense convolution that the block is: zeros between
// groups.
Tensor DenseFilter(const Conv3dProblem& grouped, const Conv3dProblem& dense, const Tensor& filter) {
  Tensor block(dense.dtype, dense.FilterLayout());
  for (int64_t i = 0; i < filter.layout().LogicalElements(); ++i) {
    std::vector<int64_t> at = filter.layout().Coord(i);
    const double weight = filter.Get(at);
    at[1] += at[0] / grouped.CoutPerGroup() * grouped.CinPerGroup();
    block.Set(at, weight);
  }
  return block;
}

TEST(InputPadding, MarksTheOutputsWhereAZeroBetweenMergedGroupsMeetsADyThatIsNotFinite) {
  constexpr uint32_t kSeed = 6;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int64_t marked = 0;
  for (int trial = 0; trial < 40;) {
    const Conv3dProblem p = RandomConv(random, 1e4);
    if (p.groups == 1 || p.cin > 16 || p.cout > 16) {
      continue;  // up to 16 channels lie in one block, whatever the groups
    }
    ++trial;
    Tensor dy = RandomTensor(p.dtype, p.DyLayout(), random(), 0.5, 1);
    for (int i = 0; i < 2; ++i) {
      dy.Set(dy.layout().Coord(static_cast<int64_t>(random()) % dy.layout().LogicalElements()), kInf);
    }
    const Tensor filter = RandomTensor(p.dtype, p.FilterLayout(), random(), 0.5, 1);
    const std::vector<uint8_t> touched = ZerosMeetNonFinite(p, dy, filter);
    Conv3dProblem dense = p;
    dense.groups = 1;
    const std::vector<double> dx = GatherInputGradient(dense, dy, DenseFilter(p, dense, filter));
    for (size_t i = 0; i < dx.size(); ++i) {
      ASSERT_EQ(!touched.empty() && touched[i] != 0, std::isnan(dx[i]))
          << Description(p) << " at " << i << ", trial " << trial;
      marked += std::isnan(dx[i]) ? 1 : 0;
    }
  }
  EXPECT_GT(marked, 100);
}

TEST(InputPadding, MarksNothingInTheGroupsOfOtherBlocks) {
  // 16 channels a group fill a block: two groups, two blocks
  Conv3dProblem p;
  p.cin = p.cout = 32;
  p.in = p.out = {.d = 1, .h = 2, .w = 2};
  p.groups = 2;
  Tensor dy(p.dtype, p.DyLayout());
  dy.Set({0, 20, 0, 1, 1}, kNan);
  EXPECT_TRUE(ZerosMeetNonFinite(p, dy, Tensor(p.dtype, p.FilterLayout())).empty());
  p.groups = 4;  // of 8: groups 2 and 3 share one, of which group 2 has the NaN
  const std::vector<uint8_t> touched = ZerosMeetNonFinite(p, dy, Tensor(p.dtype, p.FilterLayout()));
  ASSERT_EQ(touched.size(), 32U * 4);
  for (size_t i = 0; i < touched.size(); ++i) {
    EXPECT_EQ(touched[i] != 0, i / 4 >= 24 && i % 4 == 3) << i;
  }
}

}  // namespace
}  // namespace tilesim
