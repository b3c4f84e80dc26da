// Max pooling as users get it, planned, against the direct loops; its plans, and what they refuse.
#include "ops/max_pool/max_pool_operator.h"

#include <iostream>
#include <random>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "ops/max_pool/pool_device.h"
#include "ops/operator_run.h"
#include "tests/ops/max_pool/random_pool.h"
#include "tests/support/repetitions.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

constexpr uint32_t kOperatorSeed = 20261121;

SocConfig OperatorSoc() {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.numerics_ieee = 1;  // inf and NaN stay
  return soc;
}
int64_t Cores(const SocConfig& soc) { return soc.aic_cores * soc.aiv_per_aic; }

PoolProblem Layer(DType dtype, Format layout, int64_t batch, int64_t channels, Extents3 in, Extents3 kernel,
                  Extents3 stride, Pads pad) {
  PoolProblem p;
  p.dtype = dtype;
  p.layout = layout;
  p.batch = batch;
  p.channels = channels;
  p.windows = {.in = in, .kernel = kernel, .stride = stride, .dilation = {}, .pad = pad};
  p.out = ForwardExtents(p.windows, p.rounding);
  EXPECT_FALSE(WhyNot(p));
  return p;
}

// Random values, ties among them, compared to the bit.
void ExpectReference(const PoolProblem& problem, const Plan& plan, const SocConfig& soc, uint64_t seed) {
  const std::string what = testing::Description(problem) + ", seed " + std::to_string(seed);
  const MaxPoolOperator op(problem);
  Tensor x(problem.dtype, problem.XLayout());
  FillRandom(x, seed, -1, 1);
  std::vector<Tensor> inputs;
  inputs.push_back(x);
  const std::vector<Truth> truths = op.Reference(inputs, 2);
  const OperatorRun run = RunOperator(op, plan, soc, std::move(inputs), {.mode = {}, .threads = 2});
  for (const Fault& fault : run.launch.faults) {
    FAIL() << what << ": " << fault.Text();
  }
  for (size_t i = 0; i < truths.size(); ++i) {
    const Comparison comparison =
        Compare(run.outputs[i], truths[i].values, {}, 0, op.RuleOf(plan, truths[i]));
    ASSERT_TRUE(comparison.equal) << what << ": output " << i << ", " << comparison.mismatches << " differ";
  }
}

TEST(MaxPoolOperator, EqualsTheDirectLoopsOverRandomProblems) {
  const SocConfig soc = OperatorSoc();
  std::mt19937 random(kOperatorSeed + static_cast<uint32_t>(TestTurn()));
  std::cout << "seed " << kOperatorSeed << "\n";
  for (int trial = 0; trial < Repetitions(200); ++trial) {
    const PoolProblem problem = testing::RandomPool(random, 40000);
    const Plan plan =
        MaxPoolOperator(problem).MakePlan(PlannerKind::kOp, soc, trial % 3 == 0 ? 5 : Cores(soc));
    ASSERT_TRUE(plan.legal) << testing::Description(problem);
    ExpectReference(problem, plan, soc, static_cast<uint64_t>(trial));
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(MaxPoolOperator, TakesWindowsWhoseRowsDoNotFitUb) {
  const SocConfig soc = OperatorSoc();
  for (const DType dtype : {DType::kFp16, DType::kFp32}) {
    for (const Format layout : {Format::kNCDHW, Format::kNDHWC}) {
      const PoolProblem problem =
          Layer(dtype, layout, 1, 3, {2, 3, 1500}, {2, 2, 1100}, {1, 1, 300}, {0, 0, 0, 0, 90, 50});
      const Plan plan = MaxPoolOperator(problem).MakePlan(PlannerKind::kOp, soc, Cores(soc));
      ASSERT_TRUE(plan.legal);
      EXPECT_EQ(StrategyOf(plan.tiling), "huge");
      ExpectReference(problem, plan, soc, 5);
    }
  }
}

TEST(MaxPoolOperator, TakesTheSameCyclesWithAndWithoutValues) {
  const SocConfig soc = OperatorSoc();
  const PoolProblem problem =
      Layer(DType::kFp16, Format::kNCDHW, 1, 64, {4, 20, 20}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1, 1, 1, 1});
  const MaxPoolOperator op(problem);
  const Plan plan = op.MakePlan(PlannerKind::kOp, soc, Cores(soc));
  std::vector<Tensor> inputs;
  inputs.emplace_back(problem.dtype, problem.XLayout());
  const OperatorRun run = RunOperator(op, plan, soc, std::move(inputs), {});
  EXPECT_GT(run.launch.cycles, 0);
  EXPECT_EQ(run.launch.cycles, TimeOperator(op, plan, soc, {}).cycles);
}

// The window slides along one axis only, whichever that is.
TEST(MaxPoolOperator, PoolsAColumnAndARunOfPlanesAsARow) {
  const SocConfig soc = OperatorSoc();
  const auto plan_of = [&](const PoolProblem& problem) {
    return MaxPoolOperator(problem).MakePlan(PlannerKind::kOp, soc, Cores(soc));
  };
  const auto along = [](Extents3 in, Extents3 window, Extents3 stride, Pads pads) {
    return Layer(DType::kFp16, Format::kNCDHW, 2, 70, in, window, stride, pads);
  };
  const Plan of_row = plan_of(along({1, 1, 900}, {1, 1, 3}, {1, 1, 2}, {0, 0, 0, 0, 1, 1}));
  for (const PoolProblem& problem : {along({1, 900, 1}, {1, 3, 1}, {1, 2, 1}, {0, 0, 1, 1, 0, 0}),
                                     along({900, 1, 1}, {3, 1, 1}, {2, 1, 1}, {1, 1, 0, 0, 0, 0})}) {
    const Plan plan = plan_of(problem);
    EXPECT_EQ(JsonOf(std::get<MaxPoolTiling>(plan.tiling)), JsonOf(std::get<MaxPoolTiling>(of_row.tiling)))
        << testing::Description(problem);
    EXPECT_EQ(plan.why.back(),
              "axes of one position come first: planned with an x of 1 x 1 x 900 (D x H x W)");
    ExpectReference(problem, plan, soc, 7);
  }
}

TEST(MaxPoolOperator, MovesAnAxisOfOnePositionInTheMiddleAndWithChannelsLast) {
  const SocConfig soc = OperatorSoc();
  for (const Format layout : {Format::kNCDHW, Format::kNDHWC}) {
    for (const ArgmaxOrder order : {ArgmaxOrder::kPlane, ArgmaxOrder::kBatchNhwc}) {
      PoolProblem problem =
          Layer(DType::kFp32, layout, 2, 19, {9, 1, 14}, {3, 1, 2}, {2, 1, 1}, {1, 1, 0, 0, 0, 1});
      problem.argmax = order;
      ExpectReference(problem, MaxPoolOperator(problem).MakePlan(PlannerKind::kOp, soc, 5), soc, 8);
    }
  }
}

// This holds of the search for one number of cores. Planner op may take the plan for another, where that is
// simulated in less time.
TEST(MaxPoolOperator, LeavesNoCoreMoreBlocksThanAllCoresWould) {
  const SocConfig soc = OperatorSoc();
  const Extents3 three{3, 3, 3};
  const Extents3 two{2, 2, 2};
  const Pads one{1, 1, 1, 1, 1, 1};
  for (const Format layout : {Format::kNCDHW, Format::kNDHWC}) {
    for (const PoolProblem& problem :
         {Layer(DType::kFp32, layout, 32, 64, {1, 56, 56}, {1, 3, 3}, {1, 2, 2}, {0, 0, 1, 1, 1, 1}),
          Layer(DType::kFp16, layout, 1, 64, {16, 112, 112}, {1, 2, 2}, {1, 2, 2}, {}),
          Layer(DType::kBf16, layout, 4, 192, {16, 28, 28}, two, two, {})}) {
      const MaxPoolOpPlan plan = PlanMaxPoolOp(ToPoolShape(problem), soc, Cores(soc));
      const auto blocks = static_cast<int64_t>(plan.tiling.data.totalIdx);
      const int64_t used = plan.tiling.split.used_cores;
      const int64_t most = (blocks + Cores(soc) - 1) / Cores(soc);
      EXPECT_LE(blocks, most * used) << testing::Description(problem);
      EXPECT_GT(blocks, most * (used - 1)) << testing::Description(problem);  // none to spare
      EXPECT_GE(used, Cores(soc) * 7 / 8) << testing::Description(problem);
      EXPECT_TRUE(plan.legal);
    }
    // blocks of one size over 48 cores would overlap more: work that is done twice
    const PoolProblem overlapping = Layer(DType::kFp32, layout, 2, 64, {16, 56, 56}, three, two, one);
    EXPECT_GE(PlanMaxPoolOp(ToPoolShape(overlapping), soc, Cores(soc)).tiling.split.used_cores, 40);
  }
}

// A run that is bound by nothing the tile program does wrong: the pipes work side by side.
TEST(MaxPoolOperator, OverlapsItsPipes) {
  const SocConfig soc = OperatorSoc();
  const PoolProblem problem =
      Layer(DType::kFp32, Format::kNCDHW, 2, 64, {16, 56, 56}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1, 1, 1, 1});
  const MaxPoolOperator op(problem);
  const LaunchResult result = TimeOperator(op, op.MakePlan(PlannerKind::kOp, soc, Cores(soc)), soc, {});
  int64_t most = 0;
  for (const CoreResult& core : result.cores) {
    for (const Pipe pipe : {Pipe::kV, Pipe::kMte2, Pipe::kMte3}) {
      most = std::max(most, core.statistics.busy_cycles[static_cast<size_t>(Index(pipe))]);
    }
  }
  EXPECT_GT(static_cast<double>(most), 0.6 * static_cast<double>(result.cycles));
}

TEST(MaxPoolOperator, GivesWhatPlannersSayBackAsATiling) {
  const SocConfig soc = OperatorSoc();
  const PoolProblem problem =
      Layer(DType::kFp16, Format::kNDHWC, 2, 70, {5, 9, 9}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1, 1, 1, 1});
  const MaxPoolOperator op(problem);
  const Plan planned = op.MakePlan(PlannerKind::kOp, soc, Cores(soc));
  const Plan given = op.GivenPlan(JsonOf(planned.tiling), "test", soc, Cores(soc));
  EXPECT_TRUE(given.legal) << (given.reasons.empty() ? "" : given.reasons.front());
  EXPECT_EQ(JsonOf(given.tiling), JsonOf(planned.tiling));
  EXPECT_EQ(FieldOf(given.tiling, "kh"), 3);
  EXPECT_EQ(ToBytes(planned.tiling).size(), 8 * 46U);
}

TEST(MaxPoolOperator, RefusesPlannerApiByName) {
  const SocConfig soc = OperatorSoc();
  const PoolProblem problem = Layer(DType::kFp16, Format::kNCDHW, 1, 4, {4, 4, 4}, {2, 2, 2}, {2, 2, 2}, {});
  const Plan plan = MaxPoolOperator(problem).MakePlan(PlannerKind::kApi, soc, Cores(soc));
  EXPECT_FALSE(plan.legal);
  EXPECT_FALSE(plan.HasTiling());
  ASSERT_EQ(plan.reasons.size(), 1);
  EXPECT_NE(plan.reasons[0].find("the vendor ships no tiling class for pooling"), std::string::npos);
}

TEST(MaxPoolOperator, RefusesWithTheBudgetWhatNoSplitFits) {
  SocConfig soc = OperatorSoc();
  soc.ub_bytes = 24 * 1024;
  const PoolProblem problem = Layer(DType::kFp32, Format::kNCDHW, 1, 4, {4, 4, 4}, {2, 2, 2}, {1, 1, 1}, {});
  const Plan plan = MaxPoolOperator(problem).MakePlan(PlannerKind::kOp, soc, Cores(soc));
  EXPECT_FALSE(plan.legal);
  ASSERT_EQ(plan.reasons.size(), 1);
  EXPECT_NE(plan.reasons[0].find("must be at most 16384"), std::string::npos) << plan.reasons[0];
  EXPECT_NE(plan.reasons[0].find("8192 of 24576 are Select's"), std::string::npos) << plan.reasons[0];
}

TEST(MaxPoolOperator, CountsEachElementThatIsReadOnceAndBothOutputs) {
  const PoolProblem problem = Layer(DType::kFp16, Format::kNCDHW, 2, 5, {7, 9, 11}, {1, 2, 3}, {2, 4, 3}, {});
  // planes 0, 2, 4, 6; rows 0, 1, 4, 5; columns 0 to 8
  const Work work = MaxPoolOperator(problem).LeastWork(OperatorSoc());
  EXPECT_EQ(work.gm_read_bytes, 2 * 5 * 4 * 4 * 9 * 2);
  EXPECT_EQ(work.gm_write_bytes, 2 * 5 * 4 * 2 * 3 * (2 + 4));
  EXPECT_EQ(work.cube_cycles, 0);
}

}  // namespace
}  // namespace tilesim
