// The space of a filter gradient's tilings: bounds are never above the time, and nothing legal is left out.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "ops/conv3d_backprop/filter_operator.h"
#include "sim/core/launch.h"
#include "tests/ops/tune/conv_problem_of.h"
#include "tests/ops/tune/random_tiling.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"
#include "tests/tiling/random_filter_problem.h"

namespace tilesim::testing {
namespace {

FilterProblem RandomSmallFilter(std::mt19937_64& random, DType dtype, int64_t groups) {
  while (true) {
    FilterProblem p = RandomFilterProblem(random, dtype, groups);
    p.hi = std::min<int64_t>(p.hi, 24);
    p.wi = std::min<int64_t>(p.wi, 200);
    p.cin = std::min<int64_t>(p.cin, 100 * groups), p.cout = std::min<int64_t>(p.cout, 100 * groups);
    DeriveOutputs(p);
    if (WhyNot(p).empty()) {
      return p;
    }
  }
}

TEST(FilterSpace, BoundsOfRandomTilingsAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  Tightness tightness;
  for (int i = 0; i < 60; ++i) {
    const SocConfig soc = RandomPart(random);
    const DType dtype = i % 5 == 4 ? DType::kFp32 : i % 2 == 0 ? DType::kFp16 : DType::kBf16;
    const FilterProblem problem = RandomSmallFilter(random, dtype, i % 6 == 5 ? 3 : 1);
    const FilterOperator op(ProblemOf(problem));
    const int64_t cores = std::uniform_int_distribution<int64_t>(1, soc.aic_cores)(random);
    for (int j = 0; j < 3; ++j) {
      CheckRandomTiling(op, soc, cores, random, tightness);
    }
    if (HasFailure()) {
      std::cout << "problem " << i << ", " << cores << " cores\n";
      break;
    }
  }
  ASSERT_GT(tightness.count, 100);
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
}

// Windows in the bottom padding alone: their tasks begin behind x, whose place may be the first of dy.
TEST(FilterSpace, TasksThatReadNothingOfXTakeTheTimeOfTheLaunch) {
  std::mt19937_64 random(TestSeed());
  const SocConfig soc = LoadSoc("ascend910b2");
  FilterProblem small;
  small.dtype = DType::kFp16;
  small.batch = small.di = small.dk = small.hk = small.wk = 1;
  small.cin = 16, small.cout = 64;
  small.hi = small.wi = 8;
  small.pad_up = small.pad_down = small.pad_left = small.pad_right = 1;
  FilterProblem pages = small;  // x is whole pages of the host
  pages.cout = 240;
  pages.hi = 32, pages.wi = 16;
  pages.pad_up = pages.pad_left = pages.pad_right = 0;
  pages.pad_down = 22;
  for (FilterProblem problem : {small, pages}) {
    DeriveOutputs(problem);
    ASSERT_TRUE(WhyNot(problem).empty());
    Tightness tightness;
    for (int i = 0; i < Repetitions(60) && !HasFailure(); ++i) {
      CheckRandomTiling(FilterOperator(ProblemOf(problem)), soc, 8, random, tightness);
    }
    EXPECT_GT(tightness.count, PartOf(30));
  }
}

// Where many cores are at work at once, and what they share decides.
TEST(FilterSpace, BoundsOfPromisingTilingsOfManyCoresAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  Tightness tightness;
  for (int i = 0; i < 50; ++i) {
    const SocConfig soc = i % 3 == 2 ? LoadSoc("ascend910b3") : RandomPart(random);
    const DType dtype = i % 5 == 4 ? DType::kFp32 : i % 2 == 0 ? DType::kFp16 : DType::kBf16;
    FilterProblem problem = RandomSmallFilter(random, dtype, i % 4 == 3 ? 4 : 1);
    problem.batch =
        std::uniform_int_distribution<int64_t>(2, 6)(random);  // more than the cores have turns for
    problem.hi = std::min<int64_t>(problem.hi, 14), problem.wi = std::min<int64_t>(problem.wi, 20);
    DeriveOutputs(problem);
    if (!WhyNot(problem).empty()) {
      continue;
    }
    const FilterOperator op(ProblemOf(problem));
    const int64_t cores = std::uniform_int_distribution<int64_t>(16, soc.aic_cores)(random);
    for (int j = 0; j < 4; ++j) {
      CheckRandomTiling(op, soc, cores, random, tightness, Descent::kPromising);
    }
    if (HasFailure()) {
      std::cout << "problem " << i << ", " << cores << " cores of " << soc.name << "\n";
      break;
    }
  }
  ASSERT_GT(tightness.count, 60);
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
  EXPECT_GT(tightness.core, tightness.whole);  // the core with most to do, run alone, tells more than sums
}

TEST(FilterSpace, CoresRunByThemselvesTakeTheTimeOfTheLaunch) {
  std::mt19937_64 random(5);
  const SocConfig soc = LoadSoc("ascend910b2");
  for (int i = 0; i < 5; ++i) {
    const FilterOperator op(ProblemOf(RandomSmallFilter(random, DType::kFp16, 1)));
    const Plan plan = op.MakePlan(PlannerKind::kOp, soc, soc.aic_cores);
    ASSERT_TRUE(plan.legal);
    const LaunchResult launch = TimeOperator(op, plan, soc, {});
    const TuneCost cost = RunPlan(op, plan, soc);
    EXPECT_EQ(cost.time_us, launch.time_us);
    int64_t gm_bytes = 0;
    for (const CoreResult& core : launch.cores) {
      gm_bytes += core.statistics.gm_read_bytes + core.statistics.gm_write_bytes;
    }
    EXPECT_EQ(cost.gm_bytes, gm_bytes);
  }
}

TEST(FilterSpace, CountsWhatItHolds) {
  const FilterOperator op(ProblemOf(ConvProblem{.batch = 1,
                                                .cin = 16,
                                                .di = 1,
                                                .hi = 3,
                                                .wi = 9,
                                                .cout = 32,
                                                .dout = 1,
                                                .ho = 3,
                                                .wo = 9,
                                                .dk = 1,
                                                .hk = 1,
                                                .wk = 1}));
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::unique_ptr<TunableTilings> tilings = op.Tilings(soc, 3);
  TileSpace& space = tilings->space();
  int64_t counted = 0;
  int64_t listed = 0;
  for (const TileNode& part : space.Open(0, {}, kNoCutoff).nodes) {
    counted += space.Count(part.path);
    for (const TileNode& block : space.Open(1, part.path, kNoCutoff).nodes) {
      const TileSpace::Opened opened = space.Open(2, block.path, kNoCutoff);
      EXPECT_EQ(opened.tilings, static_cast<int64_t>(opened.nodes.size()));
      listed += opened.tilings;
    }
  }
  EXPECT_GT(listed, 100);
  EXPECT_EQ(counted, listed);
}

}  // namespace
}  // namespace tilesim::testing
