// Which candidates a planner has run, and which it takes: with tilings of our own.
#include "tiling/trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"

namespace tilesim {
namespace {

struct NumberedTiling {
  int number = 0;
};
std::string JsonOf(const NumberedTiling& tiling) { return std::to_string(tiling.number); }

// What tilings, by number, take: on all cores, on one by itself, and what their first tasks tell.
class Planner {
 public:
  std::vector<double> all, alone, first;
  std::vector<char> legal;
  int64_t cores = 4;
  double most_cycles = INFINITY;
  bool cannot_launch = false, one_cut = false, same_data = false;
  std::vector<int> launched, run_alone, run_first;
  double run_cycles = 0;  // of all cores

  std::optional<Candidate<NumberedTiling>> Take(std::vector<double> promises, bool priced = true) {
    CostModel<NumberedTiling> cost;
    if (priced) {
      cost.launch = [&](const NumberedTiling& t, int64_t most) -> std::optional<LaunchCost> {
        if (cannot_launch) {
          return std::nullopt;
        }
        launched.push_back(t.number);
        run_cycles += all[Of(t)] * static_cast<double>(cores);
        const auto cycles = static_cast<int64_t>(all[Of(t)]);
        return cycles > most ? std::nullopt : std::optional(LaunchCost{.cycles = cycles});
      };
      cost.core = [&](const NumberedTiling& t, size_t, size_t part) -> std::optional<PartCost> {
        run_alone.push_back(t.number);
        run_cycles += alone[Of(t)] / static_cast<double>(part);
        return PartCost{.cycles = alone[Of(t)],
                        .run_cycles = static_cast<int64_t>(alone[Of(t)]) / static_cast<int64_t>(part)};
      };
      cost.first_tasks = [&](const NumberedTiling& t, size_t part) -> std::optional<PartCost> {
        run_first.push_back(t.number);
        run_cycles += first[Of(t)] * static_cast<double>(cores) / static_cast<double>(part);
        return PartCost{
            .cycles = first[Of(t)],
            .run_cycles = cores * static_cast<int64_t>(first[Of(t)]) / static_cast<int64_t>(part)};
      };
    }
    std::vector<Candidate<NumberedTiling>> candidates;
    for (size_t i = 0; i < promises.size(); ++i) {
      candidates.push_back({.tiling = {static_cast<int>(i)}, .cycles = promises[i], .cut = one_cut ? 0 : i});
    }
    const SocConfig soc = LoadSoc("ascend910b2");
    Trials<NumberedTiling> trials(
        soc, cost,
        {.cores_of = [&](const NumberedTiling&) { return cores; },
         .is_legal = [&](const NumberedTiling& t) { return legal.empty() || legal[Of(t)] != 0; },
         .busiest_core = [](const NumberedTiling&) { return size_t{0}; },
         .data_of = [&](const NumberedTiling& t) { return same_data ? "" : std::to_string(t.number); }},
        {.most_cycles = most_cycles});
    return trials.Fastest(std::move(candidates));
  }

 private:
  static size_t Of(const NumberedTiling& tiling) { return static_cast<size_t>(tiling.number); }
};

TEST(Trials, TheFastestLaunchIsTakenWhateverWasPromised) {
  Planner planner;
  planner.alone = {900, 1000, 1100};
  planner.all = {1500, 1300, 1400};
  const auto best = planner.Take({800, 900, 1000});
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->tiling.number, 1);
  ASSERT_TRUE(best->cost.has_value());
  EXPECT_EQ(best->cycles, 1300);
  EXPECT_EQ(planner.launched, (std::vector<int>{0, 1, 2}));
}

TEST(Trials, WithoutPricesTheBestPromiseThatIsLegalIsTaken) {
  Planner planner;
  planner.legal = {0, 1, 1};
  const auto best = planner.Take({800, 900, 1000}, false);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->tiling.number, 1);
  EXPECT_FALSE(best->cost.has_value());
  planner.legal = {0, 0, 0};
  EXPECT_FALSE(planner.Take({800, 900, 1000}, false).has_value());
}

TEST(Trials, WhatIsIllegalIsNeverRun) {
  Planner planner;
  planner.legal = {0, 1};
  planner.alone = planner.all = {100, 1000};
  EXPECT_EQ(planner.Take({100, 1000})->tiling.number, 1);
  EXPECT_EQ(planner.run_alone, std::vector<int>{1});
  EXPECT_EQ(planner.launched, std::vector<int>{1});
}

TEST(Trials, WhatPromisesTwiceTheBestIsNotRun) {
  Planner planner;
  planner.alone = planner.all = {1000, 900, 800};
  EXPECT_EQ(planner.Take({1000, 1900, 10'000})->tiling.number, 1);
  EXPECT_EQ(planner.run_alone, (std::vector<int>{0, 1}));
}

TEST(Trials, LongLaunchesAreToldByTheirFirstTasks) {
  Planner planner;
  planner.cores = 24;
  planner.alone = {1.0e6, 1.1e6, 1.2e6};
  planner.first = {1.6e6, 1.3e6, 1.5e6};
  planner.all = {1.6e6, 1.35e6, 1.5e6};
  const auto best = planner.Take({1e6, 1e6 + 1, 1e6 + 2});
  EXPECT_EQ(planner.run_first, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(best->tiling.number, 1);
  EXPECT_EQ(planner.launched, std::vector<int>{1});  // the others promise less than it takes
  EXPECT_EQ(best->cycles, 1.35e6);

  planner.run_first.clear();
  planner.launched.clear();
  for (std::vector<double>* cycles : {&planner.alone, &planner.first, &planner.all}) {
    for (double& one : *cycles) {
      one *= 10;
    }
  }
  const auto longer = planner.Take({1e7, 1e7 + 1, 1e7 + 2});
  EXPECT_EQ(longer->tiling.number, 1);
  EXPECT_EQ(longer->cycles, 1.3e7);
  EXPECT_FALSE(longer->cost.has_value());
  EXPECT_TRUE(planner.launched.empty());
}

// Where no launch can be recorded, one core tells.
TEST(Trials, WithoutLaunchesTheBestOnOneCoreIsTaken) {
  Planner planner;
  planner.cannot_launch = true;
  planner.alone = {1000, 900};
  const auto best = planner.Take({800, 850});
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->tiling.number, 1);
  EXPECT_FALSE(best->cost.has_value());
}

// Of one cut four are run on one core, then more where it turned out to be among the best.
TEST(Trials, MoreOfTheBestCutsAreRun) {
  Planner planner;
  planner.one_cut = true;
  planner.alone = planner.all = {1000, 990, 980, 970, 960, 950};
  EXPECT_EQ(planner.Take({900, 901, 902, 903, 904, 905})->tiling.number, 5);
  EXPECT_EQ(planner.run_alone, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(Trials, WhatTakesTooLongToBeOfUseIsNotTaken) {
  Planner planner;
  planner.alone = {1000, 2000, 30'000};
  planner.all = {25'000, 9000, 30'000};
  const double launch = LaunchCycles(planner.cores, LoadSoc("ascend910b2"));
  planner.most_cycles = 20'000 + launch;
  EXPECT_EQ(planner.Take({1000, 1100, 1200})->tiling.number, 1);
  EXPECT_EQ(planner.launched, (std::vector<int>{0, 1}));  // the third takes too long on one core
  planner.most_cycles = 9000 + launch;
  EXPECT_TRUE(planner.Take({1000, 1100, 1200}).has_value());
  planner.most_cycles -= 1;
  EXPECT_FALSE(planner.Take({1000, 1100, 1200}).has_value());
}

// What planning costs is bounded by the planner, whatever the problem: cycles of all cores that are
// simulated.
TEST(Trials, WhatIsRunIsBounded) {
  for (const double cycles : {1e3, 1e5, 3e6, 3e7}) {
    Planner planner;
    planner.cores = 24;
    std::vector<double> promises;
    for (int i = 0; i < 1000; ++i) {
      promises.push_back(cycles + i);
      planner.alone.push_back(cycles + i);
      planner.first.push_back(cycles + i);
      planner.all.push_back(cycles + i);
    }
    ASSERT_TRUE(planner.Take(promises).has_value());
    EXPECT_GT(planner.run_cycles, 0) << cycles;
    EXPECT_LE(planner.run_cycles, 16e6 + 72e6 + 24e6) << cycles;
  }
}

// The same data and promise, in another order of tasks: run once on one core, and both on all.
TEST(Trials, WhatIsTheSameOnOneCoreIsRunThereOnce) {
  Planner planner;
  planner.same_data = true;
  planner.alone = {1000, 1000};
  planner.all = {1500, 1200};
  EXPECT_EQ(planner.Take({900, 900})->tiling.number, 1);
  EXPECT_EQ(planner.run_alone, std::vector<int>{0});
  EXPECT_EQ(planner.launched, (std::vector<int>{0, 1}));
}

TEST(Remembering, AsksForALaunchOnce) {
  int asked = 0;
  CostModel<NumberedTiling> model;
  model.launch = [&](const NumberedTiling&, int64_t most) -> std::optional<LaunchCost> {
    ++asked;
    return most < 100 ? std::nullopt : std::optional(LaunchCost{.cycles = 100});
  };
  const CostModel<NumberedTiling> remembering = Remembering(model);
  EXPECT_FALSE(remembering.launch({1}, 50).has_value());
  EXPECT_FALSE(remembering.launch({1}, 40).has_value());
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(remembering.launch({1}, 200)->cycles, 100);
  EXPECT_FALSE(remembering.launch({1}, 99).has_value());
  EXPECT_EQ(remembering.launch({1}, 100)->cycles, 100);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(remembering.launch({2}, 200)->cycles, 100);
  EXPECT_EQ(asked, 3);
}

TEST(Trials, WhatWouldTakeMinutesIsNotRunAtAll) {
  Planner planner;
  planner.alone = planner.first = planner.all = {1e9, 1e9};
  const auto best = planner.Take({1e9, 2e9});
  EXPECT_EQ(best->tiling.number, 0);
  EXPECT_TRUE(planner.run_alone.empty());
  EXPECT_TRUE(planner.launched.empty());
}

}  // namespace
}  // namespace tilesim
