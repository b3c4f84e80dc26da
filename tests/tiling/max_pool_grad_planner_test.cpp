// The planner of the pooling gradient: what it plans is legal and not slower than what it could have planned.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "gtest/gtest.h"
#include "tests/tiling/pool_grad_examples.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

using testing::Axis;
using testing::kCores;
using testing::Reasons;
using testing::Stem;

TEST(MaxPoolGradPlanner, FillsUbAndLeavesNoCoreMoreBlocksThanAllCoresWould) {
  for (const bool recomputes : {false, true}) {
    const PoolGradProblem problem = Stem(recomputes);
    const PoolGradOpPlan plan = PlanInOnePhase(problem, Soc(), kCores);
    ASSERT_TRUE(plan.legal);
    EXPECT_EQ(Reasons(plan.tiling, problem, Soc().ub_bytes), "");
    const int64_t used = plan.tiling.split.used_cores;
    const auto blocks = static_cast<int64_t>(plan.tiling.data.totalCnt);
    const int64_t most = (blocks + kCores - 1) / kCores;
    EXPECT_LE(blocks, most * used);
    EXPECT_GT(blocks, most * (used - 1));  // none to spare
    EXPECT_GE(used, kCores * 7 / 8);
    const auto ub = static_cast<int64_t>(plan.tiling.data.totalUBSize);
    EXPECT_EQ(ub, UbOf(plan.tiling, 4).Total());
    EXPECT_LE(ub, Soc().ub_bytes - 8192);
    EXPECT_GT(ub, Soc().ub_bytes / 2);
    EXPECT_EQ(plan.tiling.data.baseNc, 64U);
  }
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(Stem(), Soc(), kCores);
  ASSERT_EQ(plan.explanation.size(), 5U);
  EXPECT_NE(plan.explanation[0].find(Say("on ", plan.tiling.split.used_cores, " cores")), std::string::npos)
      << plan.explanation[0];
  EXPECT_FALSE(plan.not_larger.empty());
}

// One n with 2D rows, whose argmax is made from x.
PoolGradProblem Rows(int64_t channels, const PoolAxis& h, const PoolAxis& w) {
  PoolGradProblem problem = Stem(true);
  problem.shape.dtype = DType::kFp16;
  problem.shape.batch = 1;
  problem.shape.channels = channels;
  problem.shape.d = Axis(1, 1, 1, 0);
  problem.shape.h = h;
  problem.shape.w = w;
  return problem;
}

TEST(MaxPoolGradPlanner, GrowsWithRowsNoFasterThanTheirWork) {
  for (const bool recomputes : {false, true}) {
    double before = 0;
    for (int64_t width = 512; width < 50000; width = width * 6 / 5) {
      PoolGradProblem problem = Rows(16, Axis(16, 2, 2, 0), Axis(width, 2, 2, 0));
      problem.recomputes = recomputes;
      const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
      ASSERT_TRUE(plan.legal);
      if (before > 0) {
        EXPECT_LT(plan.cycles, 1.5 * 1.2 * before) << "rows of " << width;  // 1.2 times the work
      }
      before = plan.cycles;
    }
  }
}

TEST(MaxPoolGradPlanner, CountsNoPositionsBeyondAnAxisThatTheStridePasses) {
  for (const size_t axis : {0, 1, 2}) {
    const auto cycles = [&](int64_t stride) {
      PoolGradProblem problem = Stem();
      PoolAxis* const axes[] = {&problem.shape.d, &problem.shape.h, &problem.shape.w};
      *axes[axis] = Axis(1, 1, stride, 0);
      const PoolGradOpPlan plan = PlanInOnePhase(problem, Soc(), kCores);
      EXPECT_TRUE(plan.legal);
      return plan.cycles;
    };
    EXPECT_EQ(cycles(50000), cycles(1)) << "axis " << axis;
  }
}

TEST(MaxPoolGradPlanner, NamesWhatStopsEachSize) {
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(Stem(), Soc(), kCores);
  const auto of_w = std::ranges::find(plan.not_larger, "data.baseWo", &Rejection::field);
  ASSERT_NE(of_w, plan.not_larger.end());
  EXPECT_EQ(Sentence(*of_w),
            "data.baseWo: with baseWo 30, slots of dx in a block: found 30, must be at most 29; "
            "baseWo 29 fits");
}

TEST(MaxPoolGradPlanner, UsesNoMoreCoresThanThereIsWork) {
  PoolGradProblem problem = Stem();
  problem.shape.d = problem.shape.h = problem.shape.w = Axis(1, 1, 1, 0);
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_TRUE(plan.legal);
  EXPECT_EQ(plan.tiling.split.used_cores, 2);  // groups of 64 of 128 n, c
}

TEST(MaxPoolGradPlanner, TakesAnEmptyBatch) {
  PoolGradProblem problem = Stem();
  problem.shape.batch = 0;
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_TRUE(plan.legal);
  EXPECT_EQ(plan.tiling.data.totalCnt, 0U);
  EXPECT_EQ(plan.tiling.split.used_cores, 1);
}

TEST(MaxPoolGradPlanner, RefusesWithTheBudget) {
  SocConfig soc = Soc();
  soc.ub_bytes = 24 * 1024;
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(Stem(), soc, kCores);
  ASSERT_FALSE(plan.legal);
  ASSERT_EQ(plan.reasons.size(), 1U);
  const std::string sentence = Sentence(plan.reasons[0]);
  EXPECT_TRUE(sentence.starts_with("UB: bytes of UB, less 8 KiB that Select overwrites: found ")) << sentence;
  EXPECT_NE(sentence.find("must be at most 16384; this is the smallest block: memory.ub_bytes "),
            std::string::npos)
      << sentence;
  soc.ub_bytes = plan.reasons[0].value + 8192;
  EXPECT_TRUE(sentence.ends_with(Say(" ", soc.ub_bytes, " fits"))) << sentence;
  EXPECT_TRUE(PlanMaxPoolGradOp(Stem(), soc, kCores).legal);
  --soc.ub_bytes;
  EXPECT_FALSE(PlanMaxPoolGradOp(Stem(), soc, kCores).legal);
  EXPECT_EQ(Sentence(PlanMaxPoolGradOp(Stem(), Soc(), 0).reasons.at(0)),
            "cores: cores to deal the work over: found 0, must be at least 1; cores 1 fits");
}

TEST(MaxPoolGradPlanner, RefusesWindowsWhoseTapsHaveNoNumber) {
  PoolGradProblem problem = Stem(true);
  problem.shape.d = problem.shape.h = problem.shape.w = Axis(2000, 2000, 1, 0);
  const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
  ASSERT_EQ(plan.reasons.size(), 1U);
  EXPECT_EQ(
      Sentence(plan.reasons[0]),
      "kd * kh * kw: taps of a window, which are numbered in 32 bits: found 8000000000, must be at most "
      "2147483647; give the argmax, or a smaller window");
}

}  // namespace
}  // namespace tilesim
