#include "tiling/fewer_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilesim {
namespace {

struct Plan {
  bool legal = false;
  int64_t tiling = 0;  // the cores that it starts
  std::vector<std::string> explanation;
};

// What is asked for, and simulated, where a plan for n cores starts `used(n)` and each core costs nothing.
struct Search {
  std::vector<int64_t> asked;
  std::vector<int64_t> simulated;
  Plan found;

  template <class Used, class Cycles>
  Search(int64_t cores, const Used& used, const Cycles& cycles) {
    SocConfig soc;
    soc.clock_mhz = 1000;
    soc.launch_us_per_core = 0;
    const CostModel<int64_t> cost{.launch =
                                      [&](int64_t tiling, int64_t most) {
                                        simulated.push_back(tiling);
                                        return cycles(tiling) > most
                                                   ? std::nullopt
                                                   : std::optional(LaunchCost{.cycles = cycles(tiling)});
                                      },
                                  .core = {}};
    found = FastestOnSomeCores(
        soc, cores, {.most_plans = 4, .error = 10}, cost,
        [&](int64_t some) {
          asked.push_back(some);
          return Plan{.legal = some > 0, .tiling = used(some), .explanation = {}};
        },
        [&](const Plan& plan) { return static_cast<double>(cycles(plan.tiling)); },
        [](int64_t tiling) { return tiling; });
  }
};

using Numbers = std::vector<int64_t>;
int64_t All(int64_t cores) { return cores; }
int64_t AtMostFive(int64_t cores) { return std::min<int64_t>(cores, 5); }

TEST(FewerCores, LooksAtPlansForFewerUntilAsManyAreSimulatedAsItMay) {
  const Search search(20, All, [](int64_t cores) { return cores == 14 ? 100 : 120; });
  EXPECT_EQ(search.asked, (Numbers{20, 16, 14, 12}));
  EXPECT_EQ(search.simulated, search.asked);
  EXPECT_EQ(search.found.tiling, 14);
  EXPECT_EQ(search.found.explanation,
            std::vector<std::string>{"the fastest of 4 plans for 20 cores and fewer, simulated"});
}

TEST(FewerCores, SimulatesNoPlanTwice) {
  const Search search(20, AtMostFive, [](int64_t cores) { return cores == 3 ? 100 : 120; });
  EXPECT_EQ(search.asked, (Numbers{20, 4, 3, 2}));
  EXPECT_EQ(search.simulated, (Numbers{5, 4, 3, 2}));
  EXPECT_EQ(search.found.tiling, 3);
}

TEST(FewerCores, SaysNothingOfAComparisonOfOne) {
  const Search alone(
      20, [](int64_t /*cores*/) { return int64_t{1}; }, [](int64_t /*cores*/) { return 100; });
  EXPECT_EQ(alone.simulated, Numbers{1});
  EXPECT_TRUE(alone.found.explanation.empty());
  // Estimates for fewer that are hopeless.
  const Search hopeless(20, All, [](int64_t cores) { return cores == 20 ? 1 : 1000; });
  EXPECT_EQ(hopeless.simulated, Numbers{20});
  EXPECT_TRUE(hopeless.found.explanation.empty());
}

}  // namespace
}  // namespace tilesim
