// The tile program of the pooling gradient in two phases, where it is not like that in one: its cores, its
// workspace, and windows that only it pools once. max_pool_grad_kernel_test.cpp has all else.
#include <cstdint>
#include <utility>

#include "gtest/gtest.h"
#include "tests/ops/max_pool/pool_grad_run.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

using testing::ExpectRight;
using testing::PoolGradData;

constexpr int64_t kCores = 48;

const SocConfig& TwoPhaseSoc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

TEST(MaxPoolGradTwoPhaseKernel, TakesAnEmptyBatch) {
  PoolGradProblem problem;
  problem.recomputes = true;
  problem.shape.batch = 0;
  problem.shape.channels = 3;
  problem.shape.w = {.in = 6, .out = 3, .window = 2, .stride = 2, .dilation = 1, .before = 0};
  const PoolGradOpPlan plan = PlanInTwoPhases(problem, TwoPhaseSoc(), kCores);
  ASSERT_TRUE(plan.legal);
  ExpectRight(problem, plan.tiling, {}, TwoPhaseSoc(), testing::Text(problem));
}

// Either phase may leave cores idle that the other one uses.
TEST(MaxPoolGradTwoPhaseKernel, MeetsOnAllCoresOfBothPhases) {
  const PoolAxis axis = {.in = 13, .out = 7, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  PoolGradProblem problem;
  problem.recomputes = true;
  problem.shape.channels = 5;
  problem.shape.h = problem.shape.w = axis;
  const PoolGradData data = testing::RandomPoolGradData(problem, 5, 0, true);
  const MaxPoolGradTiling on_one = PlanInTwoPhases(problem, TwoPhaseSoc(), 1).tiling;
  const MaxPoolGradTiling on_five = PlanInTwoPhases(problem, TwoPhaseSoc(), 5).tiling;
  for (const auto& [first, second] : {std::pair(on_one, on_five), std::pair(on_five, on_one)}) {
    MaxPoolGradTiling tiling = second;
    tiling.pooling = first.pooling;
    ASSERT_NE(tiling.pooling->split.used_cores, tiling.split.used_cores);
    ASSERT_TRUE(WhyNot(tiling, problem, TwoPhaseSoc().ub_bytes, 5).empty());
    EXPECT_GT(LaunchedCores(tiling), 1);
    ExpectRight(problem, tiling, data, TwoPhaseSoc(), testing::Text(problem));
  }
}

// Windows so large that dx is cut within them: in one phase they would be pooled again for each block.
TEST(MaxPoolGradTwoPhaseKernel, PoolsLargeWindowsOnce) {
  const auto large = [](int64_t window) {
    return PoolAxis{
        .in = 2 * window, .out = 2, .window = window, .stride = window, .dilation = 1, .before = 0};
  };
  PoolGradProblem problem;
  problem.recomputes = true;
  problem.shape.channels = 3;
  problem.shape.h = problem.shape.w = large(100);
  const MaxPoolGradTiling tiling = PlanMaxPoolGradOp(problem, TwoPhaseSoc(), kCores).tiling;
  ASSERT_TRUE(tiling.pooling.has_value());
  const PoolGradData data = testing::RandomPoolGradData(problem, 3, 0, false);
  ExpectRight(problem, tiling, data, TwoPhaseSoc(), testing::Text(problem));
  const int64_t cycles = testing::RunPoolGrad(problem, tiling, data, TwoPhaseSoc()).launch.cycles;
  PoolGradProblem given = problem;
  given.recomputes = false;
  const MaxPoolGradTiling of_given = PlanMaxPoolGradOp(given, TwoPhaseSoc(), kCores).tiling;
  // 10'000 taps, each a maximum and its index: two phases take what these take on one core, and little more
  constexpr int64_t kTapCycles = 100;
  EXPECT_LT(cycles, 100 * 100 * kTapCycles +
                        2 * testing::RunPoolGrad(given, of_given, data, TwoPhaseSoc()).launch.cycles);
}

}  // namespace
}  // namespace tilesim
