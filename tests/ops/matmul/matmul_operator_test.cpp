// The matrix product's tile program against the direct loop: types, transposes, tails, tilings, threads.
#include "ops/matmul/matmul_operator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "formats/compare.h"
#include "ops/cases/case_file.h"
#include "ops/harness/harness.h"
#include "ops/matmul/matmul_reference.h"
#include "tests/ops/matmul/random_matmul.h"
#include "tests/support/default_soc.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"

namespace tilesim {
namespace {

using testing::Description;
using testing::MatmulInputs;
using testing::MatmulPicker;

OperatorRun RunPlan(const MatmulProblem& p, const Plan& plan, uint64_t seed, int threads, bool whole = true) {
  return RunOperator(MatmulOperator(p), plan, Soc(), MatmulInputs(p, seed, whole), {.threads = threads});
}

// Sums of whole numbers are exact: C must be right to the bit of its type, with no fault.
void ExpectExact(const MatmulProblem& p, const Plan& plan, uint64_t seed, const std::string& what) {
  ASSERT_TRUE(plan.legal) << what << ": " << (plan.reasons.empty() ? "" : plan.reasons.front());
  const std::vector<Tensor> inputs = MatmulInputs(p, seed, true);
  const MatmulReference reference = ReferenceMatmul(p, inputs[0], inputs[1], 2);
  const OperatorRun run = RunPlan(p, plan, seed, 2);
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  const Comparison comparison = Compare(run.outputs.front(), reference.c, {}, 0, Rule::kExact);
  EXPECT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " of " << comparison.elements
                                << " differ, first "
                                << Text(comparison.first.value_or(Mismatch{}), run.outputs.front().layout());
}

TEST(MatmulOperator, EqualsTheLoopForRandomProblemsAndTilings) {
  const uint32_t kSeed = 5 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  for (int trial = 0; trial < Repetitions(300); ++trial) {
    const MatmulProblem p = testing::RandomMatmul(pick);
    const MatmulTiling tiling = testing::RandomMatmulTiling(pick, p, Soc());
    ExpectExact(p, testing::PlanOf(p, tiling, Soc()), static_cast<uint64_t>(trial),
                Say("trial ", trial, ", ", Description(p), ", ", JsonOf(tiling)));
    if (HasFailure()) {
      return;
    }
  }
}

TEST(MatmulOperator, EqualsTheLoopForRandomProblemsAsPlanned) {
  const uint32_t kSeed = 6 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  for (int trial = 0; trial < Repetitions(100); ++trial) {
    const MatmulProblem p = testing::RandomMatmul(pick);
    ExpectExact(p, MatmulOperator(p).MakePlan(PlannerKind::kOp, Soc(), pick(1, Soc().aic_cores)),
                static_cast<uint64_t>(trial), Say("trial ", trial, ", ", Description(p)));
  }
}

TEST(MatmulOperator, StaysWithinTheBoundForFractions) {
  const uint32_t kSeed = 7 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  for (int trial = 0; trial < Repetitions(60); ++trial) {
    const MatmulProblem p = testing::RandomMatmul(pick);
    const MatmulOperator op(p);
    const Plan plan = testing::PlanOf(p, testing::RandomMatmulTiling(pick, p, Soc()), Soc());
    const Truth truth = std::move(op.Reference(MatmulInputs(p, 3, false), 2).front());
    const OperatorRun run = RunPlan(p, plan, 3, 2, false);
    const Comparison comparison =
        Compare(run.outputs.front(), truth.values, truth.absdot, truth.products, op.RuleOf(plan, truth));
    EXPECT_TRUE(comparison.equal) << "trial " << trial << ", " << Description(p) << ": "
                                  << Text(comparison.first.value_or(Mismatch{}),
                                          run.outputs.front().layout());
  }
}

// srcDValue has 16 bits.
TEST(MatmulOperator, BringsLongerRowsThanOneMoveCanTell) {
  MatmulProblem p;
  p.m = 17;
  p.n = 18;
  p.k = 65536;
  p.out = DType::kFp32;
  p.transpose_b = true;
  for (const int64_t k : {65535, 65536}) {
    p.k = k;
    ExpectExact(p, MatmulOperator(p).MakePlan(PlannerKind::kOp, Soc(), 24), 1, Description(p));
  }
}

TEST(MatmulOperator, RoundsAndSaturatesAsFixpipeDoes) {
  MatmulProblem p;
  p.m = p.n = 16;
  p.k = 32;
  std::vector<Tensor> inputs = MatmulInputs(p, 1, true);
  for (Tensor& tensor : inputs) {
    for (Half& value : tensor.As<Half>()) {
      value = 64.0F;
    }
  }
  const std::vector<int64_t> first = {0, 0};
  const std::vector<int64_t> second = {1, 0};
  inputs[0].Set(first, 65.0);
  inputs[0].Set(second, 67.0);
  const Plan plan = MatmulOperator(p).MakePlan(PlannerKind::kOp, Soc(), 1);
  const OperatorRun run = RunOperator(MatmulOperator(p), plan, Soc(), inputs, {.threads = 1});
  EXPECT_EQ(run.outputs.front().Get(first), 65504);  // 131136, as all others, is beyond fp16
  for (Half& value : inputs[1].As<Half>()) {
    value = 1.0F;
  }
  const OperatorRun sums = RunOperator(MatmulOperator(p), plan, Soc(), inputs, {.threads = 1});
  EXPECT_EQ(sums.outputs.front().Get(first), 2048);   // 2049 lies between 2048 and 2050
  EXPECT_EQ(sums.outputs.front().Get(second), 2052);  // 2051 between 2050 and 2052
}

// Bits and cycles, however many host threads run the cores.
TEST(MatmulOperator, GivesTheSameForAnyNumberOfThreads) {
  const uint32_t kSeed = 8 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  for (int trial = 0; trial < 20; ++trial) {
    MatmulProblem p = testing::RandomMatmul(pick);
    p.out = DType::kFp32;  // parts of K add up in GM
    const Plan plan = testing::PlanOf(p, testing::RandomMatmulTiling(pick, p, Soc()), Soc());
    const OperatorRun one = RunPlan(p, plan, 9, 1, false);
    for (const int threads : {2, 3, 7}) {
      const OperatorRun run = RunPlan(p, plan, 9, threads, false);
      EXPECT_EQ(run.launch.cycles, one.launch.cycles) << Description(p);
      EXPECT_EQ(std::memcmp(run.outputs.front().data(), one.outputs.front().data(),
                            one.outputs.front().size_bytes()),
                0)
          << Description(p);
    }
    const LaunchResult timed = TimeOperator(MatmulOperator(p), plan, Soc(), {.threads = 2});
    EXPECT_EQ(timed.cycles, one.launch.cycles) << Description(p);
  }
}

TEST(MatmulOperator, NeverTakesLessThanItsLeastWork) {
  const uint32_t kSeed = 9 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  MatmulPicker pick(kSeed);
  for (int trial = 0; trial < Repetitions(50); ++trial) {
    const MatmulProblem p = testing::RandomMatmul(pick);
    const MatmulOperator op(p);
    const Plan plan = testing::PlanOf(p, testing::RandomMatmulTiling(pick, p, Soc()), Soc());
    const LaunchResult timed = TimeOperator(op, plan, Soc(), {.threads = 2});
    const LaunchSummary summary = Summarise(Soc(), timed);
    const Work least = op.LeastWork(Soc());
    EXPECT_GE(summary.work.cube_cycles, least.cube_cycles) << Description(p);
    EXPECT_GE(summary.gm_read_bytes, least.gm_read_bytes) << Description(p);
    EXPECT_GE(summary.gm_write_bytes, least.gm_write_bytes) << Description(p);
  }
}

// Both planners give a tiling that may be run; that of the tiling classes leaves none of its rules to the
// caller.
TEST(MatmulOperator, PlansAsTheTilingClassesAnswer) {
  std::mt19937_64 random(testing::TestSeed());
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int i = 0; i < Repetitions(20); ++i) {
    MatmulProblem p;
    p.dtype = pick(0, 1) == 0 ? DType::kFp16 : DType::kFp32;
    p.out = pick(0, 1) == 0 ? p.dtype : DType::kFp32;
    p.m = pick(1, 700);
    p.n = pick(1, 700);
    p.k = pick(1, 700);
    p.transpose_a = pick(0, 1) == 1;
    p.transpose_b = pick(0, 1) == 1;
    const Plan plan = MatmulOperator(p).MakePlan(PlannerKind::kApi, Soc(), 24);
    ASSERT_TRUE(plan.legal) << Description(p) << (plan.reasons.empty() ? "" : plan.reasons.front());
    EXPECT_EQ(plan.planner, "api");
    const MatmulTiling& tiling = std::get<MatmulTiling>(plan.tiling);
    EXPECT_LE(tiling.split.used_cores, 24);
    EXPECT_EQ(TasksOf(tiling.split), tiling.split.used_cores) << Description(p);
  }
  MatmulProblem too_many;
  const Plan none = MatmulOperator(too_many).MakePlan(PlannerKind::kApi, Soc(), 1000);
  EXPECT_FALSE(none.legal);
  ASSERT_EQ(none.reasons.size(), 1U);
  EXPECT_NE(none.reasons.front().find("SetDim: cores of the part"), std::string::npos);
}

TEST(MatmulOperator, RunsAsACase) {
  const Case problem =
      ReadCase({{"op", "matmul"}, {"m", "40"}, {"n", "24"}, {"k", "70"}, {"out_dtype", "fp32"}}, 0, "");
  const CaseResult result = RunCase(problem, Soc(), {.plan = {}, .mode = {}, .threads = 2, .compare = true});
  EXPECT_EQ(result.verdict, Verdict::kOk) << result.message;
  EXPECT_EQ(result.op, "matmul");
  ASSERT_TRUE(result.comparison.has_value());
  EXPECT_EQ(result.comparison->elements, 40 * 24);
  EXPECT_EQ(result.outputs.front().dtype(), DType::kFp32);
}

}  // namespace
}  // namespace tilesim
