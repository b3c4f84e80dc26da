#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "tests/support/default_soc.h"
#include "tests/support/repetitions.h"
#include "tests/tiling/conv_layers.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

using testing::Told;

InputProblem Layer() { return testing::BenchLayer<InputProblem>(); }

struct Kind {
  const char* name;
  const char* soc;
  DType dtype;
  int64_t groups;
  int64_t cores;
};
class InputOpPlannerOver : public ::testing::TestWithParam<Kind> {};

TEST_P(InputOpPlannerOver, RandomProblemsReturnsOnlyWhatFits) {
  const Kind& kind = GetParam();
  const SocConfig soc = LoadSoc(kind.soc);
  std::mt19937_64 random(20261121);
  int planned = 0;
  for (int round = 0; round < Repetitions(30); ++round) {
    const InputProblem p = testing::RandomInputProblem(random, kind.dtype, kind.groups);
    const InputOpPlan plan = PlanInputOp(p, soc, kind.cores);
    if (!plan.legal) {
      EXPECT_FALSE(plan.reasons.empty()) << "round " << round;
      continue;
    }
    ++planned;
    EXPECT_EQ(Told(WhyNot(plan.tiling, p, CoreMemoryOf(soc), kind.cores)), "") << "round " << round;
    EXPECT_LE(plan.tiling.split.used_cores, kind.cores);
    EXPECT_TRUE(plan.reasons.empty());
    EXPECT_GE(plan.explanation.size(), 3u);
  }
  EXPECT_GT(planned, PartOf(25));
}

INSTANTIATE_TEST_SUITE_P(Of, InputOpPlannerOver,
                         ::testing::Values(Kind{"fp16", "ascend910b2", DType::kFp16, 1, 24},
                                           Kind{"bf16OneCore", "ascend910b2", DType::kBf16, 1, 1},
                                           Kind{"fp32", "ascend910b2", DType::kFp32, 1, 20},
                                           Kind{"groups", "ascend910b2", DType::kFp16, 6, 24},
                                           Kind{"unevenGroups", "ascend910b2", DType::kFp32, 19, 7},
                                           Kind{"unit", "unit", DType::kFp16, 1, 2},
                                           Kind{"unitFp32", "unit", DType::kFp32, 3, 1}),
                         [](const auto& test) { return test.param.name; });

// Extents of any order of magnitude, on a part of two cores and on a real one: what planning costs is bounded
// by the planner, not by the problem.
TEST(InputOpPlanner, WorksWithinBoundsOnProblemsOfAnySize) {
  std::mt19937_64 random(20261121);
  int legal = 0;
  int refused = 0;
  for (const char* name : {"unit", "ascend910b2"}) {
    const SocConfig soc = LoadSoc(name);
    for (int round = 0; round < Repetitions(40); ++round) {
      const InputProblem p = testing::ProblemOfAnySize<InputProblem>(random, 60);
      const int64_t cores = std::uniform_int_distribution<int64_t>(1, soc.aic_cores)(random);
      const InputOpPlan plan = PlanInputOp(p, soc, cores);
      if (plan.legal) {
        ++legal;
        EXPECT_EQ(Told(WhyNot(plan.tiling, p, CoreMemoryOf(soc), cores)), "") << name << ", round " << round;
        EXPECT_GT(plan.cycles, 0);
        EXPECT_TRUE(std::isfinite(plan.cycles));
      } else {
        ++refused;
        EXPECT_NE(Told(plan.reasons).find(": found "), std::string::npos) << name << ", round " << round;
      }
    }
  }
  EXPECT_GT(legal, PartOf(30));
  EXPECT_GT(refused, PartOf(5));
}

TEST(InputOpPlanner, TakesEveryCoreWhereThereIsWork) {
  for (const int64_t cores : {1, 5, 20, 24}) {
    EXPECT_EQ(PlanInputOp(Layer(), Soc(), cores).tiling.split.used_cores, cores);
  }
}

TEST(InputOpPlanner, AnswersTheSameEachTime) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    const InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    const InputOpPlan first = PlanInputOp(p, Soc(), 24);
    const InputOpPlan second = PlanInputOp(p, Soc(), 24);
    EXPECT_TRUE(Differences(first.tiling.data, second.tiling.data).empty());
    EXPECT_EQ(first.tiling.split, second.tiling.split);
    EXPECT_EQ(first.explanation, second.explanation);
  }
}

TEST(InputOpPlanner, UsesTheWholeOfTheMemoriesItIsGiven) {
  InputProblem p = Layer();
  p.wi = 402, p.wo = 400;
  const InputOpPlan large = PlanInputOp(p, Soc(), 24);
  SocConfig small = Soc();
  small.l1_bytes = 131072;
  const InputOpPlan tight = PlanInputOp(p, small, 24);
  ASSERT_TRUE(large.legal);
  ASSERT_TRUE(tight.legal);
  EXPECT_EQ(Told(WhyNot(tight.tiling, p, CoreMemoryOf(small), 24)), "");
  EXPECT_NE(Told(WhyNot(large.tiling, p, CoreMemoryOf(small), 24)), "");
  EXPECT_LT(large.cycles, tight.cycles);
}

TEST(InputOpPlanner, NamesTheWidthThatFitsWhenNothingDoes) {
  InputProblem p = Layer();
  p.hk = 7, p.hi = 36;
  p.wi = 4002, p.wo = 4000;
  const InputOpPlan plan = PlanInputOp(p, Soc(), 24);
  EXPECT_FALSE(plan.legal);
  const std::string told = Told(plan.reasons);
  EXPECT_EQ(told.rfind("wo: bytes of L1 for the smallest step, which holds 7 whole rows of the "
                       "stride-expanded gradient (W is never cut): found ",
                       0),
            0u)
      << told;
  const size_t at = told.find("wo ", told.find(';'));
  ASSERT_NE(at, std::string::npos) << told;
  p.wo = std::stoll(told.substr(at + 3));
  p.wi = p.wo + 2;
  EXPECT_TRUE(PlanInputOp(p, Soc(), 24).legal) << told;
  p.wo += 16;
  p.wi += 16;
  EXPECT_FALSE(PlanInputOp(p, Soc(), 24).legal);
}

TEST(InputOpPlanner, ExplainsTheTilingAndWhatStopsALargerOne) {
  const InputOpPlan plan = PlanInputOp(Layer(), Soc(), 24);
  ASSERT_TRUE(plan.legal);
  EXPECT_NE(plan.explanation[0].find(" tasks of "), std::string::npos) << plan.explanation[0];
  EXPECT_NE(plan.explanation[1].find(" % of L0C, its L1 steps "), std::string::npos) << plan.explanation[1];
  EXPECT_TRUE(plan.explanation[2].starts_with("about ")) << plan.explanation[2];
  ASSERT_FALSE(plan.not_larger.empty());
  EXPECT_EQ(Told(plan.not_larger).rfind("conv3DDxTiling.", 0), 0u);
}

TEST(InputOpPlanner, SaysWhyAProblemIsRefused) {
  InputProblem p = Layer();
  p.ho = 31;
  InputOpPlan plan = PlanInputOp(p, Soc(), 24);
  EXPECT_FALSE(plan.legal);
  EXPECT_NE(Told(plan.reasons).find("ho: "), std::string::npos);
  plan = PlanInputOp(Layer(), Soc(), 0);
  EXPECT_FALSE(plan.legal);
  EXPECT_EQ(Told(plan.reasons),
            "cores: cores to deal the work over: found 0, must be at least 1; cores 1 fits\n");
}

}  // namespace
}  // namespace tilesim
