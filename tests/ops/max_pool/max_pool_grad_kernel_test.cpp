// The tile program of the pooling gradient against loops of the test's own: the same bits, and no report of
// the checker.
#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "tests/ops/max_pool/pool_grad_run.h"
#include "tiling/max_pool/max_pool_grad_fit.h"
#include "tiling/max_pool/max_pool_grad_legality.h"
#include "tiling/max_pool/max_pool_grad_op_planner.h"

namespace tilesim {
namespace {

using testing::PoolGradData;
using testing::PoolGradRun;

const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

PoolGradOpPlan PlanOf(const PoolGradProblem& problem, const SocConfig& soc = Soc()) {
  return PlanMaxPoolGradOp(problem, soc, soc.aic_cores * soc.aiv_per_aic);
}

void ExpectRight(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, const PoolGradData& data,
                 const SocConfig& soc, const std::string& what) {
  const PoolGradRun run = testing::RunPoolGrad(problem, tiling, data, soc);
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  EXPECT_TRUE(run.launch.completed) << what;
  EXPECT_EQ(testing::FirstDifference(run.dx, testing::ScatteredPoolGrad(problem, data)), "") << what;
}

TEST(MaxPoolGradKernel, HasTheBitsOfALoopOnRandomShapes) {
  const char* const given = std::getenv("TILESIM_SEED");
  const uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  const uint64_t seeds = given != nullptr ? 1 : 120;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    std::mt19937_64 random(seed);
    const PoolGradProblem problem = testing::RandomPoolGradProblem(random);
    const std::string what = "seed " + std::to_string(seed) + ": " + testing::Text(problem);
    const PoolGradOpPlan plan = PlanOf(problem);
    ASSERT_TRUE(plan.legal) << what;
    const PoolGradData data = testing::RandomPoolGradData(problem, seed, 7, seed % 2 == 0);
    ExpectRight(problem, plan.tiling, data, Soc(), what);
    if (HasFailure()) {
      return;
    }
  }
}

// Everything in parts: less UB than one output's window takes.
TEST(MaxPoolGradKernel, HasTheSameBitsWithLittleUb) {
  const char* const given = std::getenv("TILESIM_SEED");
  const uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  const uint64_t seeds = given != nullptr ? 1 : 120;
  constexpr std::array kUbBytes = {40 * 1024, 44 * 1024, 48 * 1024, 64 * 1024};
  std::array<int, 4> strategies{};
  int cuts = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    std::mt19937_64 random(seed);
    const PoolGradProblem problem = testing::RandomPoolGradProblem(random);
    SocConfig soc = Soc();
    soc.ub_bytes = kUbBytes[seed % kUbBytes.size()];
    const std::string what = "seed " + std::to_string(seed) + ": " + testing::Text(problem);
    const PoolGradOpPlan plan = PlanOf(problem, soc);
    ASSERT_TRUE(plan.legal) << what << (plan.reasons.empty() ? "" : Sentence(plan.reasons.front()));
    ++strategies[static_cast<size_t>(plan.tiling.split.strategy)];
    cuts +=
        plan.tiling.split.cut_w < problem.shape.w.stride || plan.tiling.split.cut_h < problem.shape.h.stride;
    const PoolGradData data = testing::RandomPoolGradData(problem, seed, 7, seed % 2 == 0);
    ExpectRight(problem, plan.tiling, data, soc, what);
    if (HasFailure()) {
      return;
    }
  }
  for (const int met : strategies) {
    EXPECT_GT(met, 0);
  }
  EXPECT_GT(cuts, 0);
}

}  // namespace
}  // namespace tilesim
