#include "tiling/conv_backprop/input_step_order.h"

#include <gtest/gtest.h>

#include <vector>

#include "tiling/conv_backprop/input_spread_write.h"

namespace ConvBackpropApi {
namespace {

// Walks over 2 x 1 blocks of 4 rows of 8 pixels, a kernel of one tap in H and W.
InputBlockWalk Walk() {
  InputBlockWalk walk;
  walk.Start({.pixels = 4, .gradient = 4}, {.pixels = 8, .gradient = 8}, {.base_m = 16});
  return walk;
}

TEST(InputStepOrder, TakesLinesThenTapsThenBlocks) {
  InputStepOrder order;
  order.Init({.di = 3, .dout = 3, .dk = 3, .pad_front = 1}, 4, 2);
  order.Start(5, 0);  // plane 0 of dx: taps 0 and 1 bring planes 1 and 0
  InputStep step;
  ASSERT_TRUE(order.First(Walk(), step));
  std::vector<std::vector<int64_t>> steps;
  do {
    steps.push_back({step.walk.m(), order.PlaneOf(step), step.plane, order.LinesOf(step),
                     order.TileOfA(step).first, order.TileOfA(step).count, order.TileOfB(step).first});
  } while (order.NextAnywhere(step));
  const std::vector<std::vector<int64_t>> expected = {
      {0, 1, 0, 2, 0, 4, 0}, {0, 1, 2, 2, 0, 4, 2}, {0, 1, 4, 1, 4, 1, 4},  // of block 0, tap 0
      {0, 0, 0, 2, 0, 4, 0}, {0, 0, 2, 2, 0, 4, 2}, {0, 0, 4, 1, 4, 1, 4},
      {1, 1, 0, 2, 0, 4, 0}, {1, 1, 2, 2, 0, 4, 2}, {1, 1, 4, 1, 4, 1, 4},
      {1, 0, 0, 2, 0, 4, 0}, {1, 0, 2, 2, 0, 4, 2}, {1, 0, 4, 1, 4, 1, 4}};
  EXPECT_EQ(steps, expected);
  EXPECT_EQ(order.StepsOfTile(), 2);
}

TEST(InputStepOrder, HasNoStepWhereNoTapReaches) {
  InputStepOrder order;
  order.Init({.di = 3, .dout = 2, .dk = 1, .stride = 2}, 1, 1);
  order.Start(1, 1);
  InputStep step;
  EXPECT_FALSE(order.First(Walk(), step));
}

TEST(SpreadWrite, TakesTogetherWhatIsMoreAndWhatStridesReach) {
  const auto moves = [](const SpreadBlock& block) {
    const SpreadWrite write = SpreadWrite::Of(block);
    EXPECT_FALSE(write.rows_together && write.lines_together);
    return write.row_moves * write.line_moves;
  };
  EXPECT_EQ(moves({.rows = 5, .columns = 16, .lines = 2, .row_step = 320, .line_step = 4096}), 2);
  EXPECT_EQ(moves({.rows = 2, .columns = 16, .lines = 5, .row_step = 320, .line_step = 4096}), 2);
  EXPECT_EQ(moves({.rows = 5, .columns = 12, .lines = 2, .row_step = 320, .line_step = 4096}), 5);
  EXPECT_EQ(moves({.rows = 2, .columns = 16, .lines = 5, .row_step = 320, .line_step = 65536}), 5);
  EXPECT_EQ(moves({.rows = 5, .columns = 12, .lines = 2, .row_step = 320, .line_step = 65536}), 10);
}

}  // namespace
}  // namespace ConvBackpropApi
