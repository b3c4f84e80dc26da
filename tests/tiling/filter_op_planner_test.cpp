#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/error.h"
#include "tests/support/default_soc.h"
#include "tests/support/repetitions.h"
#include "tests/tiling/conv_layers.h"
#include "tests/tiling/random_filter_problem.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

using testing::Told;

FilterProblem Layer() { return testing::BenchLayer<FilterProblem>(); }

struct Kind {
  const char* name;
  DType dtype;
  int64_t groups;
  int64_t cores;
};
class FilterOpPlannerOver : public ::testing::TestWithParam<Kind> {};

TEST_P(FilterOpPlannerOver, RandomProblemsReturnsOnlyWhatFits) {
  const Kind& kind = GetParam();
  std::mt19937_64 random(20261121);
  int planned = 0;
  for (int round = 0; round < Repetitions(40); ++round) {
    const FilterProblem p = testing::RandomFilterProblem(random, kind.dtype, kind.groups);
    const FilterOpPlan plan = PlanFilterOp(p, Soc(), kind.cores);
    if (!plan.legal) {
      EXPECT_FALSE(plan.reasons.empty()) << "round " << round;
      continue;
    }
    ++planned;
    EXPECT_EQ(Told(WhyNot(plan.tiling, p, CoreMemoryOf(Soc()), kind.cores)), "") << "round " << round;
    EXPECT_LE(plan.tiling.split.used_cores, kind.cores);
    EXPECT_TRUE(plan.reasons.empty());
    EXPECT_GE(plan.explanation.size(), 3u);
  }
  EXPECT_GT(planned, PartOf(30));
}

INSTANTIATE_TEST_SUITE_P(Of, FilterOpPlannerOver,
                         ::testing::Values(Kind{"fp16", DType::kFp16, 1, 24},
                                           Kind{"bf16OneCore", DType::kBf16, 1, 1},
                                           Kind{"fp32", DType::kFp32, 1, 20},
                                           Kind{"groups", DType::kFp16, 6, 24},
                                           Kind{"unevenGroups", DType::kFp32, 19, 7}),
                         [](const auto& test) { return test.param.name; });

// Extents of any order of magnitude, on a part of two cores and on a real one: what planning costs is bounded
// by the planner, not by the problem.
TEST(FilterOpPlanner, WorksWithinBoundsOnProblemsOfAnySize) {
  std::mt19937_64 random(20261121);
  int legal = 0;
  int refused = 0;
  for (const char* name : {"unit", "ascend910b2"}) {
    const SocConfig soc = LoadSoc(name);
    for (int round = 0; round < Repetitions(40); ++round) {
      const FilterProblem p = testing::ProblemOfAnySize<FilterProblem>(random, 32);
      const int64_t cores = std::uniform_int_distribution<int64_t>(1, soc.aic_cores)(random);
      const FilterOpPlan plan = PlanFilterOp(p, soc, cores);
      EXPECT_LE(plan.tried, 120 * 16) << name << ", round " << round;
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

// All of them, but for a few where the core with most to do has no less for it.
TEST(FilterOpPlanner, TakesTheCoresThatThereIsWorkFor) {
  for (const int64_t cores : {1, 5, 20, 24}) {
    const int64_t used = PlanFilterOp(Layer(), Soc(), cores).tiling.split.used_cores;
    EXPECT_LE(used, cores);
    EXPECT_GE(used, cores - cores / 10);
  }
}

// A window of one row and a stride of two: what it costs must be near what it would without the rows between.
TEST(FilterOpPlanner, LeavesOutRowsThatNoWindowReads) {
  FilterProblem p = Layer();
  p.hk = 1;
  p.pad_up = p.pad_down = 0;
  p.stride_h = 2;
  p.wi = 1024;
  p.ho = 200;
  p.hi = 2 * p.ho;
  p.wo = (p.wi + p.pad_left + p.pad_right - p.wk) / p.stride_w + 1;
  FilterProblem dense = p;
  dense.stride_h = 1;
  dense.hi = p.ho;
  const FilterOpPlan of_rows = PlanFilterOp(p, Soc(), 24);
  ASSERT_TRUE(of_rows.legal);
  EXPECT_LT(of_rows.cycles, 1.2 * PlanFilterOp(dense, Soc(), 24).cycles);
}

TEST(FilterOpPlanner, AnswersTheSameEachTime) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    const FilterProblem p = testing::RandomFilterProblem(random, DType::kFp16, 1);
    const FilterOpPlan first = PlanFilterOp(p, Soc(), 24);
    const FilterOpPlan second = PlanFilterOp(p, Soc(), 24);
    EXPECT_TRUE(Differences(first.tiling.data, second.tiling.data).empty());
    EXPECT_EQ(first.tiling.split, second.tiling.split);
    EXPECT_EQ(first.explanation, second.explanation);
  }
}

TEST(FilterOpPlanner, UsesTheWholeOfTheMemoriesItIsGiven) {
  // the layer with rows of 400 pixels: A and B steps together want all of L1
  FilterProblem p = Layer();
  p.wi = 402, p.wo = 400;
  const FilterOpPlan large = PlanFilterOp(p, Soc(), 24);
  SocConfig small = Soc();
  small.l1_bytes = 131072;
  const FilterOpPlan tight = PlanFilterOp(p, small, 24);
  ASSERT_TRUE(large.legal);
  ASSERT_TRUE(tight.legal);
  EXPECT_EQ(Told(WhyNot(tight.tiling, p, CoreMemoryOf(small), 24)), "");
  EXPECT_NE(Told(WhyNot(large.tiling, p, CoreMemoryOf(small), 24)), "");
  EXPECT_LT(large.cycles, tight.cycles);
}

TEST(FilterOpPlanner, NamesTheWidthThatFitsWhenNothingDoes) {
  FilterProblem p = Layer();
  p.hk = 7, p.hi = 36;
  p.wi = 2500, p.wo = 2498;
  const FilterOpPlan plan = PlanFilterOp(p, Soc(), 24);
  ASSERT_FALSE(plan.legal);
  ASSERT_EQ(plan.reasons.size(), 1u);
  // 7 rows of 2500 pixels of 32 bytes, and one fractal of A
  EXPECT_EQ(
      Sentence(plan.reasons[0]),
      "wi: bytes of L1 for the smallest step, which holds 7 whole rows of the feature map (W is never "
      "cut): found 560512, must be at most 524288; wi 2338 fits, as does a kernel that spans fewer rows");
  p.wi = 2338, p.wo = 2336;
  EXPECT_TRUE(PlanFilterOp(p, Soc(), 24).legal);
  p.wi = 2339, p.wo = 2337;
  EXPECT_FALSE(PlanFilterOp(p, Soc(), 24).legal);
  p.wk = 11, p.dilation_w = 255, p.wi = 2600, p.wo = 50;  // a window of 2551 pixels is wider than what fits
  EXPECT_EQ(Sentence(PlanFilterOp(p, Soc(), 24).reasons.at(0)),
            "wi: bytes of L1 for the smallest step, which holds 7 whole rows of the feature map (W is never "
            "cut): found 582912, must be at most 524288; a kernel that spans fewer rows fits");
}

TEST(FilterOpPlanner, RefusesAProblemWithEveryRuleItBreaks) {
  FilterProblem p = Layer();
  p.wk = 33;
  p.stride_h = 64;
  EXPECT_EQ(Told(PlanFilterOp(p, Soc(), 24).reasons),
            "wk: limit of the operator: found 33, must be at most 32; wk 32 fits\n"
            "strideH: limit of the operator: found 64, must be at most 63; strideH 63 fits\n");
  EXPECT_EQ(Told(PlanFilterOp(Layer(), Soc(), 0).reasons),
            "cores: cores to deal the work over: found 0, must be at least 1; cores 1 fits\n");
}

TEST(FilterOpPlanner, SaysWhatItTakes) {
  const FilterOpPlan plan = PlanFilterOp(Layer(), Soc(), 24);
  ASSERT_TRUE(plan.legal);
  const TConv3DBpFilterBasicBlockTiling& task = plan.tiling.data.basicBlockTiling;
  ASSERT_GE(plan.explanation.size(), 4u);
  EXPECT_NE(plan.explanation[0].find(Say(" tasks of ", task.singleCoreM, " x ", task.singleCoreN, " x ",
                                         task.singleCoreK, " (M x N x K) on 24 cores")),
            std::string::npos);
  EXPECT_NE(plan.explanation[1].find(" of L1"), std::string::npos);
  EXPECT_EQ(plan.explanation[2],
            Say("about ", static_cast<int64_t>(plan.cycles), " cycles; not simulated as a whole"));
  EXPECT_EQ(plan.explanation[3], Say("the fastest of those that promise most of ", plan.tried, " tilings"));
}

TEST(FilterOpPlanner, SaysWhatStopsItFromMore) {
  FilterProblem p = Layer();
  p.cin = 64, p.cout = 256, p.wi = 400, p.wo = 398;
  const FilterOpPlan plan = PlanFilterOp(p, Soc(), 24);
  ASSERT_TRUE(plan.legal);
  EXPECT_GE(plan.not_larger.size(), 2u) << Told(plan.not_larger);
  for (const Rejection& reason : plan.not_larger) {
    EXPECT_GT(reason.value, reason.limit) << Sentence(reason);
    EXPECT_NE(reason.mend.find(" fits"), std::string::npos) << Sentence(reason);
  }
}

TEST(FilterOpPlanner, MergesGroupsAsOneDenseBlock) {
  FilterProblem p = Layer();
  p.cin = p.cout = p.groups = 64;  // depthwise
  const FilterOpPlan plan = PlanFilterOp(p, Soc(), 24);
  ASSERT_TRUE(plan.legal);
  EXPECT_EQ(plan.tiling.split.merged_groups, 16);
  EXPECT_EQ(plan.tiling.data.dwTiling.group, 4u);
  EXPECT_NE(plan.explanation[0].find("16 groups as one dense block"), std::string::npos);
}

}  // namespace
}  // namespace tilesim
