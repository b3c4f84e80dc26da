// What an argmax counts, and which given ones are refused.
#include "ops/max_pool/pool_argmax.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/error.h"

namespace tilesim {
namespace {

PoolProblem Overlapping(ArgmaxOrder order) {
  PoolProblem p;
  p.layout = Format::kNDHWC;
  p.batch = 2;
  p.channels = 3;
  p.windows = {.in = {2, 4, 5}, .kernel = {2, 2, 2}, .stride = {2, 1, 3}, .dilation = {1, 2, 1}, .pad = {}};
  p.windows.pad.left = 1;
  p.out = ForwardExtents(p.windows, p.rounding);
  p.argmax = order;
  return p;
}

TEST(PoolArgmax, CountsAsTheOrderSays) {
  // d 1, h 2, w 3: 1 * 20 + 2 * 5 + 3
  EXPECT_EQ(ArgmaxIndex(Overlapping(ArgmaxOrder::kPlane)).Of(1, 2, 33), 33);
  EXPECT_EQ(ArgmaxIndex(Overlapping(ArgmaxOrder::kNhwc)).Of(1, 2, 33), 33 * 3 + 2);
  EXPECT_EQ(ArgmaxIndex(Overlapping(ArgmaxOrder::kBatchNhwc)).Of(1, 2, 33), (40 + 33) * 3 + 2);
}

TEST(PoolArgmax, GivesThePositionBackAndNoneForOthers) {
  for (const ArgmaxOrder order : {ArgmaxOrder::kPlane, ArgmaxOrder::kNhwc, ArgmaxOrder::kBatchNhwc}) {
    const ArgmaxIndex index_of(Overlapping(order));
    for (int64_t position = 0; position < 40; ++position) {
      EXPECT_EQ(index_of.PositionOf(1, 2, index_of.Of(1, 2, position)), position);
    }
    EXPECT_EQ(index_of.Of(1, 2, kNoPosition), -1);
    EXPECT_EQ(index_of.PositionOf(1, 2, -1), kNoPosition);
    EXPECT_EQ(index_of.PositionOf(0, 0, index_of.Of(0, 0, 40)), kNoPosition);
  }
  const ArgmaxIndex nhwc(Overlapping(ArgmaxOrder::kNhwc));
  EXPECT_EQ(nhwc.PositionOf(0, 1, nhwc.Of(0, 2, 7)), kNoPosition);  // of another channel
  const ArgmaxIndex batch(Overlapping(ArgmaxOrder::kBatchNhwc));
  EXPECT_EQ(batch.PositionOf(1, 1, batch.Of(0, 1, 7)), kNoPosition);  // of another item
}

std::optional<Refusal> RefusalOf(ArgmaxOrder order, int64_t position) {
  const PoolProblem p = Overlapping(order);
  Tensor argmax(DType::kInt32, p.YLayout());
  for (int64_t i = 0; i < p.YLayout().LogicalElements(); ++i) {
    argmax.Set(p.YLayout().Coord(i), -1);
  }
  const ArgmaxIndex index_of(p);
  argmax.Set({1, 2, 0, 1, 1}, static_cast<double>(index_of.Of(1, 2, position)));
  return WhyNotArgmax(p, argmax, 2);
}

// The window of output d 0, h 1, w 1 has d 0 and 1, h 1 and 3, w 2 and 3.
TEST(PoolArgmax, TakesElementsOfItsWindowOnly) {
  for (const ArgmaxOrder order : {ArgmaxOrder::kPlane, ArgmaxOrder::kNhwc, ArgmaxOrder::kBatchNhwc}) {
    for (int64_t position = -1; position < 42; ++position) {
      const bool wanted = position == -1 || ((position / 5 % 4 == 1 || position / 5 % 4 == 3) &&
                                             (position % 5 == 2 || position % 5 == 3) && position < 40);
      EXPECT_EQ(!RefusalOf(order, position).has_value(), wanted) << Name(order) << " " << position;
    }
  }
  const Refusal no = *RefusalOf(ArgmaxOrder::kPlane, 99);
  EXPECT_EQ(no.where, "argmax at (n=1, c=2, d=0, h=1, w=1)");
  EXPECT_EQ(no.found, "99");
  EXPECT_EQ(
      no.allowed,
      "must be an element of that output's window (d 0 to 1, h 1 to 3 in steps of 2, w 2 to 3), counted "
      "as plane, or -1 for none");
  EXPECT_FALSE(no.mend.empty());
}

TEST(PoolArgmax, IsRefusedWithTheOrderThatItIsCountedIn) {
  for (const ArgmaxOrder order : {ArgmaxOrder::kNhwc, ArgmaxOrder::kBatchNhwc}) {
    PoolProblem p = Overlapping(order);
    Tensor argmax(DType::kInt32, p.YLayout());
    const ArgmaxIndex index_of(p);
    const Layout y = p.YLayout();
    for (int64_t i = 0; i < y.LogicalElements(); ++i) {
      const std::vector<int64_t> at = y.Coord(i);  // the first element of each window
      argmax.Set(at, static_cast<double>(index_of.Of(at[0], at[1], at[3] * 5 + at[4] * 2)));
    }
    ASSERT_FALSE(WhyNotArgmax(p, argmax).has_value());
    p.argmax = ArgmaxOrder::kPlane;
    const auto no = WhyNotArgmax(p, argmax);
    ASSERT_TRUE(no.has_value());
    EXPECT_EQ(no->mend, Say("counted as ", Name(order), " all of them are: give argmax ", Name(order)));
  }
}

TEST(PoolArgmax, MustBeMinusOneWhereAWindowHoldsNoElement) {
  PoolProblem p;
  p.layout = Format::kNCHW;
  p.windows = {.in = {1, 2, 2}, .kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {}, .pad = {}};
  p.windows.pad.top = 1;
  p.out = ForwardExtents(p.windows, p.rounding);
  const Tensor zeros(DType::kInt32, p.YLayout());
  EXPECT_EQ(WhyNotArgmax(p, zeros)->allowed, "must be -1: that output's window holds no element");
}

// Request e24 of the project's oracle list: PyTorch writes out of bounds.
TEST(PoolArgmax, RefusesAnIndexOutsideThePlane) {
  PoolProblem p;
  p.layout = Format::kNCHW;
  p.windows = {.in = {1, 4, 4}, .kernel = {1, 2, 2}, .stride = {1, 2, 2}, .dilation = {}, .pad = {}};
  p.out = {1, 2, 2};
  Tensor argmax(DType::kInt32, p.YLayout());
  const int32_t right[] = {0, 7, 8, 15};
  std::ranges::copy(right, argmax.As<int32_t>().begin());
  EXPECT_FALSE(WhyNotArgmax(p, argmax).has_value());
  for (const int32_t wrong : {99, 16, -2, INT32_MIN, INT32_MAX}) {
    argmax.As<int32_t>()[3] = wrong;
    EXPECT_TRUE(WhyNotArgmax(p, argmax).has_value()) << wrong;
  }
}

TEST(PoolArgmax, RefusesTensorsThatAreNoArgmax) {
  const PoolProblem p = Overlapping(ArgmaxOrder::kPlane);
  EXPECT_THROW((void)WhyNotArgmax(p, Tensor(DType::kInt64, p.YLayout())), std::logic_error);
  EXPECT_THROW((void)WhyNotArgmax(p, Tensor(DType::kInt32, p.XLayout())), std::logic_error);
}

}  // namespace
}  // namespace tilesim
