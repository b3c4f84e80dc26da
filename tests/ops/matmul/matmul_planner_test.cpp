// The planner of the matrix product, against the simulator's clock.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "ops/plans/plan_cost.h"
#include "tests/ops/matmul/random_matmul.h"
#include "tests/ops/tune/random_tiling.h"
#include "tests/support/default_soc.h"
#include "tests/support/repetitions.h"
#include "tiling/matmul/matmul_op_planner.h"

namespace tilesim {
namespace {

using testing::MatmulPicker;

MatmulProblem Problem(int64_t m, int64_t n, int64_t k) {
  MatmulProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

LaunchResult Timed(const MatmulProblem& p, const MatmulTiling& tiling) {
  return TimeOperator(MatmulOperator(p), testing::PlanOf(p, tiling, Soc()), Soc(), {});
}

MatmulTiling Planned(const MatmulProblem& p, int64_t cores) {
  return std::get<MatmulTiling>(MatmulOperator(p).MakePlan(PlannerKind::kOp, Soc(), cores).tiling);
}

// 24 tasks with small steps of K, by hand.
MatmulTiling ByHand(const MatmulProblem& p, int64_t m_dim, int64_t n_dim) {
  MatmulTiling tiling;
  MatmulTilingData& t = tiling.data;
  t.usedCoreNum = static_cast<uint32_t>(m_dim * n_dim);
  t.M = static_cast<uint32_t>(p.m);
  t.N = static_cast<uint32_t>(p.n);
  t.Ka = t.Kb = static_cast<uint32_t>(p.k);
  t.singleCoreM = static_cast<uint32_t>(AlignUp(CeilDiv(p.m, m_dim), int64_t{16}));
  t.singleCoreN = static_cast<uint32_t>(AlignUp(CeilDiv(p.n, n_dim), int64_t{16}));
  t.singleCoreK = t.Ka;
  t.baseM = 96;
  t.baseN = 256;
  t.baseK = 64;
  t.stepKa = t.stepKb = 2;
  t.depthA1 = t.depthB1 = 4;
  t.dbL0A = t.dbL0B = 2;
  tiling.split.used_cores = m_dim * n_dim;
  tiling.split.m_dim = m_dim;
  tiling.split.n_dim = n_dim;
  tiling.split.unit_flag = 1;
  return tiling;
}

TEST(MatmulPlanner, IsNotBeatenByATilingByHand) {
  for (const MatmulProblem& p : {Problem(1024, 1024, 1024), Problem(1021, 1024, 1024)}) {
    const LaunchResult planned = Timed(p, Planned(p, Soc().aic_cores));
    const LaunchResult by_hand = Timed(p, ByHand(p, 6, 4));
    EXPECT_LT(planned.time_us, 1.06 * by_hand.time_us) << p.m << " x " << p.n << " x " << p.k;
  }
}

TEST(MatmulPlanner, GivesALegalTilingForEveryShape) {
  const uint32_t kSeed = 4 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  const auto extent = [&] { return pick(1, int64_t{1} << pick(1, 12)); };
  for (int trial = 0; trial < Repetitions(40); ++trial) {
    MatmulProblem p = testing::RandomMatmul(pick);
    p.m = extent();
    p.n = extent();
    p.k = extent();
    const int64_t cores = pick(1, 24);
    const Plan plan = MatmulOperator(p).MakePlan(PlannerKind::kOp, Soc(), cores);
    ASSERT_TRUE(plan.legal) << testing::Description(p) << " on " << cores;
    const auto& tiling = std::get<MatmulTiling>(plan.tiling);
    EXPECT_TRUE(WhyNot(tiling, ToMatmulShape(p), CoreMemoryOf(Soc()), cores).empty());
    EXPECT_FALSE(plan.why.empty());
    EXPECT_LE(plan.UsedCores(), cores);
  }
}

TEST(MatmulPlanner, RunsNoLaunchThatIsTooLongForAPlan) {
  const MatmulShape shape{.m = 32768, .n = 32768, .k = 32768};
  int runs = 0;
  const CostModel<MatmulTiling> counted = {
      .launch = [&](const MatmulTiling&, int64_t) -> std::optional<LaunchCost> {
        ++runs;
        return std::nullopt;
      },
      .core = [&](const MatmulTiling&, size_t, size_t) -> std::optional<PartCost> {
        ++runs;
        return std::nullopt;
      },
      .first_tasks = {}};
  const MatmulOpPlan planned = PlanMatmulOp(shape, Soc(), 24, counted);
  EXPECT_EQ(runs, 0);
  ASSERT_TRUE(planned.legal);
  EXPECT_FALSE(planned.cost.has_value());
  EXPECT_EQ(planned.tiling.split.used_cores, 24);
  EXPECT_TRUE(planned.explanation.at(3).ends_with(" cycles; not simulated as a whole"))
      << planned.explanation.at(3);
  // one that may be run and cannot be recorded is planned, too
  const MatmulOpPlan unknown = PlanMatmulOp({.m = 512, .n = 512, .k = 512}, Soc(), 24, counted);
  EXPECT_GT(runs, 0);
  EXPECT_TRUE(unknown.legal);
  EXPECT_FALSE(unknown.cost.has_value());
}

TEST(MatmulPlanner, SaysWhatItsAnswerTakesOnAnyPart) {
  const uint32_t kSeed = 10 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  std::mt19937_64 random(kSeed);
  for (int trial = 0; trial < Repetitions(200); ++trial) {
    const MatmulProblem p = testing::RandomMatmul(pick);
    const SocConfig soc = testing::RandomPart(random);
    const MatmulOperator op(p);
    const MatmulOpPlan planned =
        PlanMatmulOp(ToMatmulShape(p), soc, pick(1, soc.aic_cores), CostModelOf<MatmulTiling>(op, soc));
    ASSERT_TRUE(planned.legal) << testing::Description(p);
    const Plan plan = testing::PlanOf(p, planned.tiling, soc);
    const LaunchResult launch = TimeOperator(op, plan, soc, {});
    ASSERT_EQ(planned.cost->cycles, launch.cycles) << testing::Description(p);
    const auto said = Say("simulated ", launch.cycles, " cycles");
    EXPECT_TRUE(planned.explanation.at(3).starts_with(said)) << planned.explanation.at(3);
  }
}

TEST(MatmulPlanner, SaysWhatStopsTheSmallestBlock) {
  SocConfig soc = Soc();
  soc.l0c_bytes = 512;
  const Plan plan = MatmulOperator(Problem(1000, 1536, 2048)).MakePlan(PlannerKind::kOp, soc, 24);
  EXPECT_FALSE(plan.legal);
  ASSERT_FALSE(plan.reasons.empty());
  EXPECT_NE(plan.reasons.front().find("bytes of L0C: found 1024, must be at most 512"), std::string::npos)
      << plan.reasons.front();
}

}  // namespace
}  // namespace tilesim
