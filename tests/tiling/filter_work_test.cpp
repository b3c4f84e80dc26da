#include "tiling/conv_backprop/filter_work.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "tests/tiling/random_filter_problem.h"
#include "tiling/conv_backprop/filter_cuts.h"
#include "tiling/conv_backprop/filter_depth.h"
#include "tiling/conv_backprop/filter_tasks.h"

namespace tilesim {
namespace {

constexpr int64_t kL2Bytes = int64_t{1} << 40;  // everything

FilterTaskSpace SpaceOf(const FilterProblem& p) {
  return {.batch_dout = p.batch * p.dout, .groups = ExtentsOf(p).real_groups, .dk = p.dk};
}

std::vector<FilterCut> Cuts(const FilterProblem& p, int64_t cores) {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return PromisingCuts(p, soc, cores, 1000);
}

TEST(FilterTasks, AreEachRunByOneCore) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 6; ++round) {
    const FilterProblem p = testing::RandomFilterProblem(random, DType::kFp16, round % 2 == 0 ? 1 : 5);
    for (const FilterCut& cut : Cuts(p, 13)) {
      std::map<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>, int> runs;
      for (int64_t core = 0; core < cut.split.used_cores; ++core) {
        ForEachFilterTask(cut.split, SpaceOf(p), core, [&](const FilterTask& t) {
          runs[{t.batch_dout, t.group, t.dk, t.m, t.n, t.k}] += 1;
        });
      }
      const FilterTaskSpace space = SpaceOf(p);
      const int64_t all =
          space.batch_dout * space.groups * space.dk * cut.split.m_dim * cut.split.n_dim * cut.split.k_dim;
      ASSERT_EQ(static_cast<int64_t>(runs.size()), all) << Name(cut.split.strategy);
      for (const auto& [task, times] : runs) {
        ASSERT_EQ(times, 1);
      }
    }
  }
}

TEST(FilterTasks, OfAListDifferByOneBetweenCores) {
  FilterSplit split{
      .strategy = FilterStrategy::kBasicBlockMK, .batch_dim = 5, .dk_dim = 3, .m_dim = 2, .k_dim = 2};
  split.used_cores = 7;
  const FilterTaskSpace space{.batch_dout = 5, .groups = 1, .dk = 3};
  std::vector<int64_t> counts(7, 0);
  for (int64_t core = 0; core < 7; ++core) {
    ForEachFilterTask(split, space, core, [&](const FilterTask&) { ++counts[static_cast<size_t>(core)]; });
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{9, 9, 9, 9, 8, 8, 8}));  // 60 tasks
}

TEST(FilterTasks, OfAListRunInTheOrderOfTheSpecification) {
  FilterSplit split{
      .strategy = FilterStrategy::kBasicBlockMK, .batch_dim = 1, .dk_dim = 1, .m_dim = 2, .k_dim = 2};
  const FilterTaskSpace space{.batch_dout = 2, .groups = 1, .dk = 1};
  const auto order = [&] {
    std::string text;
    ForEachFilterTask(split, space, 0, [&](const FilterTask& t) {
      text +=
          "k" + std::to_string(t.k) + "b" + std::to_string(t.batch_dout) + "m" + std::to_string(t.m) + " ";
    });
    return text;
  };
  EXPECT_EQ(order(), "k0b0m0 k0b0m1 k0b1m0 k0b1m1 k1b0m0 k1b0m1 k1b1m0 k1b1m1 ");
  split.column_first = true;
  EXPECT_EQ(order(), "k0b0m0 k1b0m0 k0b1m0 k1b1m0 k0b0m1 k1b0m1 k0b1m1 k1b1m1 ");
}

// What the survey says of the busiest core, counted task by task over all cores.
TEST(FilterWork, IsThatOfTheCoreWithMost) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 12; ++round) {
    const FilterProblem p = testing::RandomFilterProblem(random, DType::kFp16, 1);
    const FilterExtents e = ExtentsOf(p);
    for (const FilterCut& cut : Cuts(p, 7)) {
      double most = 0;
      for (int64_t core = 0; core < cut.split.used_cores; ++core) {
        double work = 0;
        ForEachFilterTask(cut.split, SpaceOf(p), core, [&](const FilterTask& t) {
          const int64_t din = t.batch_dout % p.dout * p.stride_d - p.pad_front + t.dk * p.dilation_d;
          if (din >= 0 && din < p.di) {
            const int64_t m = std::min(cut.part.m, (p.cout + 15) / 16 * 16 - t.m * cut.part.m);
            const int64_t lines = std::min(cut.part.lines, e.cin1_g - t.n * cut.part.lines);
            work += static_cast<double>(m * lines * std::min(cut.part.rows, p.ho - t.k * cut.part.rows));
          }
        });
        most = std::max(most, work);
      }
      double found = 0;
      for (const FilterCoreWork::Tasks& tasks : BusiestCore(p, cut, 1 << 20, kL2Bytes).tasks) {
        found += tasks.count * static_cast<double>(tasks.size.m * tasks.size.lines * tasks.size.rows);
      }
      ASSERT_DOUBLE_EQ(found, most) << "round " << round << " " << Name(cut.split.strategy);
    }
  }
}

TEST(FilterDepth, CountsWhatWalkingCounts) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    const FilterProblem p = testing::RandomFilterProblem(random, DType::kFp16, 1);
    const FilterDepth depth(p);
    int64_t pairs = 0;
    for (int64_t dout = 0; dout < p.dout; ++dout) {
      EXPECT_EQ(depth.PairsBelow(dout), pairs);
      int64_t taps = 0;
      for (int64_t dk = 0; dk < p.dk; ++dk) {
        EXPECT_EQ(depth.TapsBelow(dk, dout), taps);
        taps += depth.Exists(depth.PlaneOf(dout, dk)) ? 1 : 0;
      }
      pairs += taps;
    }
    for (int64_t dk = 0; dk < p.dk; ++dk) {
      int64_t outputs = 0;
      for (int64_t dout = 0; dout < p.dout; ++dout) {
        EXPECT_EQ(depth.OutputsBelow(dout, dk), outputs);
        outputs += depth.Exists(depth.PlaneOf(dout, dk)) ? 1 : 0;
      }
    }
  }
}

TEST(FilterTasks, StopWhenTheVisitorHasSeenEnough) {
  for (const FilterStrategy strategy : {FilterStrategy::kBaseGrid, FilterStrategy::kBasicBlockMK}) {
    int seen = 0;
    ForEachFilterTask({.strategy = strategy}, {.batch_dout = 9, .groups = 1, .dk = 1}, 0,
                      [&](const FilterTask&) {
                        ++seen;
                        return seen < 4;
                      });
    EXPECT_EQ(seen, 4);
  }
}

TEST(FilterWork, OfTooManyTasksToWalkOverIsStillFound) {
  FilterProblem p;
  p.batch = 1 << 15, p.cin = 16, p.di = 1 << 15, p.hi = 1, p.wi = 1;
  p.cout = 16, p.dout = 1 << 15, p.ho = 1, p.wo = 1, p.dk = p.hk = p.wk = 1;
  ASSERT_TRUE(WhyNot(p).empty());
  for (const FilterCut& cut : Cuts(p, 24)) {
    EXPECT_NEAR(BusiestCore(p, cut, 512, kL2Bytes).task_count() * static_cast<double>(cut.split.used_cores),
                static_cast<double>(p.batch) * static_cast<double>(p.dout), 1e6);
  }
}

TEST(FilterWork, OfLongListsIsCountedNotWalked) {
  FilterProblem p;
  p.batch = 3, p.cin = 64, p.di = 5, p.hi = 9, p.wi = 9, p.cout = 64, p.dout = 5, p.ho = 7, p.wo = 7;
  p.dk = p.hk = p.wk = 3, p.pad_front = p.pad_back = 1;
  ASSERT_TRUE(WhyNot(p).empty());
  for (const FilterCut& cut : Cuts(p, 7)) {
    if (cut.split.strategy == FilterStrategy::kBaseGrid || cut.split.parts() < 30) {
      continue;
    }
    const FilterCoreWork walked = BusiestCore(p, cut, 1 << 20, kL2Bytes);
    const FilterCoreWork counted = BusiestCore(p, cut, 8, kL2Bytes);
    EXPECT_NEAR(counted.task_count(), walked.task_count(), 1.0);
  }
}

TEST(FilterWork, KnowsWhatACoreMeetsForTheFirstTime) {
  FilterProblem p;
  p.batch = 1, p.cin = 16, p.di = 3, p.hi = 8, p.wi = 8, p.cout = 16, p.dout = 1, p.ho = 8, p.wo = 8;
  p.dk = 3, p.hk = p.wk = 1;
  ASSERT_TRUE(WhyNot(p).empty());
  FilterCut cut{.split = {.strategy = FilterStrategy::kBasicBlockMK, .dk_dim = 3}, .part = {16, 1, 8}};
  const FilterCoreWork work = BusiestCore(p, cut, 100, kL2Bytes);
  ASSERT_EQ(work.first_steps.size(), 3u);
  EXPECT_DOUBLE_EQ(work.dy.fetched, 1.0 / 3);  // one dy for the three taps of depth
  EXPECT_EQ(work.x.fetched, 1);                // three planes of x
  EXPECT_EQ(work.dw_new, 3);
  EXPECT_EQ(work.first_steps[1].dy.fetched, 0);
  EXPECT_EQ(work.first_steps[1].dy.same, 0);                     // it read it last itself
  const FilterCoreWork forgetful = BusiestCore(p, cut, 100, 1);  // with an L2 that keeps nothing
  EXPECT_EQ(forgetful.dy.fetched, 1);
  EXPECT_EQ(forgetful.x.fetched, 1);
}

TEST(FilterWork, CoresThatMeetTheSameFetchItOnceBetweenThem) {
  FilterProblem p;
  p.batch = 1, p.cin = 16, p.di = 3, p.hi = 8, p.wi = 8, p.cout = 32, p.dout = 1, p.ho = 8, p.wo = 8;
  p.dk = 3, p.hk = p.wk = 1;
  ASSERT_TRUE(WhyNot(p).empty());
  const FilterCut cut{.split = {.strategy = FilterStrategy::kBasicBlockMK,
                                .column_first = true,
                                .dk_dim = 3,
                                .m_dim = 2,
                                .used_cores = 2},
                      .part = {16, 1, 8}};
  const FilterCoreWork work = BusiestCore(p, cut, 100, kL2Bytes);
  EXPECT_EQ(work.x.fetched, 0.5);  // half of each plane
  EXPECT_EQ(work.x.waited, 1);     // for the other core's half as well
  EXPECT_EQ(work.x.same, 1);
  EXPECT_EQ(work.x.again, 1);
  EXPECT_EQ(work.dy.fetched, 1.0 / 3);  // each its own channels
  EXPECT_EQ(work.dy.again, 0);
}

// Two cores whose stretches of one list touch the same dy, one after the other.
TEST(FilterWork, KnowsWhatAnotherCoreHasReadBefore) {
  FilterProblem p;
  p.batch = 1, p.cin = 16, p.di = 4, p.hi = 8, p.wi = 8, p.cout = 16, p.dout = 2, p.ho = 8, p.wo = 8;
  p.dk = 3, p.hk = p.wk = 1;
  ASSERT_TRUE(WhyNot(p).empty());
  const FilterCut cut{
      .split = {.strategy = FilterStrategy::kBasicBlockMK, .batch_dim = 2, .dk_dim = 3, .used_cores = 4},
      .part = {16, 1, 8}};
  const std::vector<FilterCoreSteps> cores = StepsOfAllCores(p, cut, kL2Bytes);
  ASSERT_EQ(cores.size(), 4u);
  EXPECT_EQ(cores[0].task_count, 2);  // (dout 0, dk 0), (0, 1); core 1 has (0, 2), (1, 0)
  EXPECT_EQ(cores[3].task_count, 1);
  const FilterFound& first = cores[1].first[0].dy;
  EXPECT_EQ(first.fetched, 0.5);  // with core 0, at the same time
  EXPECT_EQ(first.same, 1);
  const FilterFound& second = cores[1].first[1].dy;  // that core 2 began with
  EXPECT_EQ(second.fetched, 0);
  EXPECT_EQ(second.same, 1);
  EXPECT_EQ(second.again, 0);  // nobody reads it beside core 1 now
}

}  // namespace
}  // namespace tilesim
