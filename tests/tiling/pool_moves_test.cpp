// What single instructions of the poolings' tile programs take: tilings on both sides of each limit, with so
// much UB that nothing else stops them.
#include <gtest/gtest.h>

#include <string>

#include "formats/error.h"
#include "tests/tiling/pool_mends.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

constexpr int64_t kUbBytes = int64_t{256} << 20;

PoolAxis Axis(int64_t out, int64_t window = 1, int64_t stride = 1) {
  return {.in = (out - 1) * stride + window,
          .out = out,
          .window = window,
          .stride = stride,
          .dilation = 1,
          .before = 0};
}

PoolShape ShapeOf(bool channels_last, const PoolAxis& h, const PoolAxis& w) {
  return {.dtype = DType::kFp32,
          .batch = 1,
          .channels = 64,
          .channels_last = channels_last,
          .ignores_nan = false,
          .index = PoolIndex::kPlane,
          .d = Axis(1),
          .h = h,
          .w = w};
}

std::string TextOf(const Rejections& reasons) {
  std::string text;
  for (const Rejection& rejection : reasons) {
    text += Sentence(rejection) + "\n";
  }
  return text;
}

class PoolGradMoves : public ::testing::Test {
 protected:
  // All of dx in a block, and of dy `rows` rows, or where there is but one row that many columns.
  void Begin(const PoolGradProblem& problem, int64_t rows, int64_t columns) {
    problem_ = problem;
    const PoolShape& s = problem.shape;
    const bool by_rows = s.h.out > 1;
    const auto tiling =
        FittedTiling(problem_,
                     {.sizes = {.h = s.h.out, .w = s.w.out},
                      .strategy = by_rows ? PoolGradStrategy::kRows : PoolGradStrategy::kColumns,
                      .outputs = by_rows ? rows : columns},
                     kUbBytes, 1);
    ASSERT_TRUE(tiling);
    tiling_ = *tiling;
    EXPECT_EQ(WhyNotText(), "");
  }
  // The same with other parts, and all that follows from them.
  std::string WhyNotWith(int64_t rows, int64_t columns) {
    tiling_.split.part_ho = rows;
    tiling_.split.part_wo = columns;
    return WhyNotText();
  }
  std::string WhyNotWithLoadsOf(int64_t rows) {
    tiling_.split.x_rows = rows;
    return WhyNotText();
  }
  MaxPoolGradTiling& tiling() { return tiling_; }

 private:
  std::string WhyNotText() {
    tiling_.data.totalUBSize = Unsigned(UbOf(tiling_, 4).Total());
    const Rejections reasons = WhyNot(tiling_, problem_, kUbBytes, 1);
    const std::string mended = testing::Mended(JsonOf(tiling_), reasons);
    EXPECT_EQ(TextOf(WhyNot(ParseMaxPoolGradTiling(mended, "a.json"), problem_, kUbBytes, 1)), "") << mended;
    const std::string text = TextOf(reasons);  // what follows from its mend comes behind
    return text.substr(0, text.find('\n') + 1);
  }

  PoolGradProblem problem_;
  MaxPoolGradTiling tiling_;
};

TEST_F(PoolGradMoves, TakeLanesOfAGivenArgmaxUpTo255DataBlocksApart) {
  Begin({.shape = ShapeOf(false, Axis(1), Axis(4000)), .recomputes = false}, 1, 2040);
  EXPECT_EQ(WhyNotWith(1, 2041), Say("split.partHo: data blocks from lane to lane of the argmax, which an "
                                     "instruction counts in 8 bits: found 257, must be at most 255; "
                                     "data.baseWo 2040 with split.partWo 2040 fits\n"));
}

TEST_F(PoolGradMoves, BringUpTo4095PointsOfDyWithChannelsLast) {
  Begin({.shape = ShapeOf(true, Axis(1), Axis(9000)), .recomputes = false}, 1, 4095);
  EXPECT_EQ(WhyNotWith(1, 4096),
            Say("split.partWo: points of a row of dy, the blocks of one move from GM: "
                "found 4096, must be at most 4095; data.baseWo 4095 with split.partWo 4095 fits\n"));
}

TEST_F(PoolGradMoves, BringWholeRowsOfDyUpTo4095Points) {
  Begin({.shape = ShapeOf(true, Axis(10), Axis(1000)), .recomputes = false}, 4, 1000);
  EXPECT_EQ(
      WhyNotWith(5, 1000),
      Say("split.partHo: points of whole rows of dy, the blocks of one move from GM: found 5000, must be "
          "at most 4095; split.partHo 4 fits\n"));
}

TEST_F(PoolGradMoves, CopyUpTo8191PointsOfAPlane) {
  Begin({.shape = ShapeOf(false, Axis(1), Axis(20000)), .recomputes = true}, 1, 8184);
  EXPECT_EQ(
      WhyNotWith(1, 8185),
      Say("split.partHo: points of a plane of dy in UB, which one copy takes: found 8192, must be at most "
          "8191; data.baseWo 8184 with split.partWo 8184 fits\n"));
}

TEST_F(PoolGradMoves, BringUpTo4095PointsOfXWithChannelsLast) {
  Begin({.shape = ShapeOf(true, Axis(1), Axis(4000, 1, 2)), .recomputes = true}, 1, 2048);
  EXPECT_EQ(WhyNotWith(1, 2049),
            "split.partWo: points of a row of x, the blocks of one move from GM: found 4097, must be at most "
            "4095; data.baseWo 2048 with split.partWo 2048 fits\n");
}

TEST_F(PoolGradMoves, BringWholeRowsOfXUpTo4095Points) {
  Begin({.shape = ShapeOf(true, Axis(10), Axis(1000)), .recomputes = true}, 4, 1000);
  EXPECT_EQ(tiling().split.x_rows, 4);
  EXPECT_EQ(
      WhyNotWithLoadsOf(5),
      "split.xRows: points of whole rows of x, the blocks of one move from GM: found 5000, must be at most "
      "4095; split.xRows 4 fits\n");
}

TEST(PoolGradMovesOfPlans, StayWithinWhatInstructionsTake) {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.ub_bytes = kUbBytes;
  for (const bool recomputes : {false, true}) {
    for (const bool channels_last : {false, true}) {
      for (const auto& [h, w] : {std::pair(Axis(299, 2), Axis(299, 2)), std::pair(Axis(1), Axis(9000)),
                                 std::pair(Axis(3000, 3, 2), Axis(5))}) {
        const PoolGradProblem problem = {.shape = ShapeOf(channels_last, h, w), .recomputes = recomputes};
        const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, soc, 1);
        ASSERT_TRUE(plan.legal);
        EXPECT_TRUE(MovesFit(plan.tiling, 4));
        EXPECT_EQ(TextOf(WhyNot(plan.tiling, problem, kUbBytes, 1)), "");
      }
    }
  }
}

TEST(MaxPoolMoves, CopyUpTo8191PointsOfAPlane) {
  const PoolShape shape = ShapeOf(false, Axis(9000, 2), Axis(1));
  PoolTile tile = {.lanes = 64, .d = 1, .h = 1023, .w = 1, .rows = 1, .taps_w = 1, .store_rows = 1};
  const auto why_not = [&](int64_t rows) {
    tile.h = rows;
    const std::string text = TextOf(WhyNot(TilingOf(shape, tile, 1), shape, kUbBytes, 1));
    return text.substr(0, text.find('\n') + 1);
  };
  EXPECT_EQ(why_not(8191), "");
  EXPECT_EQ(
      why_not(8192),
      "data.hyFactor: points of a plane of results, which one copy within UB takes: found 8192, must be at "
      "most 8191; data.hyFactor 8191 fits\n");
  SocConfig soc = LoadSoc("ascend910b2");
  soc.ub_bytes = kUbBytes;
  EXPECT_TRUE(PlanMaxPoolOp(shape, soc, 1).legal);
}

}  // namespace
}  // namespace tilesim
