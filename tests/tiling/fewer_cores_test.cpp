// Which plans for fewer cores are looked at, which are simulated, and which is taken: with plans of our own.
#include "tiling/fewer_cores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/soc/soc_config.h"

namespace tilesim {
namespace {

using Numbers = std::vector<int64_t>;

struct FakeTiling {
  int64_t cores = 1;
};
std::string JsonOf(const FakeTiling& tiling) { return std::to_string(tiling.cores); }

constexpr WorthALook kWorth = {.tiny = 1.6, .few = 1.25, .many = 1.1, .most = 4e8, .fewest = 4};

// What a search does where plans for n cores use, promise and take so much.
class Search {
 public:
  std::function<int64_t(int64_t)> uses = [](int64_t cores) { return cores; };
  std::function<double(int64_t)> promises, takes;
  std::vector<int64_t> looked_at, simulated;
  std::vector<double> most_cycles;  // that plans which are looked at may take

  // The cores of the plan that is taken.
  int64_t Fastest(int64_t cores) {
    CostModel<FakeTiling> cost;
    cost.launch = [&](const FakeTiling& tiling, int64_t most) -> std::optional<LaunchCost> {
      simulated.push_back(tiling.cores);
      const auto cycles = static_cast<int64_t>(takes(tiling.cores));
      return cycles > most ? std::nullopt : std::optional(LaunchCost{.cycles = cycles});
    };
    const auto plan_for = [&](int64_t some, double most) {
      looked_at.push_back(some);
      most_cycles.push_back(most);
      const int64_t used = uses(some);
      return OpPlan<FakeTiling>{.legal = true, .tiling = {.cores = used}, .cycles = promises(used)};
    };
    return FastestOnSomeCores(LoadSoc("ascend910b2"), cores, cost, kWorth, plan_for,
                              [](const FakeTiling& tiling) { return tiling.cores; })
        .tiling.cores;
  }
};

// Launches of fewer cores begin sooner, by less than this.
double WithTheLoadOf(int64_t lost_cores, double cycles) {
  return cycles + 200 * static_cast<double>(lost_cores);
}

TEST(FewerCores, ThePlanOfLeastSimulatedTimeIsTaken) {
  Search search;
  search.promises = [](int64_t) { return 20'000.0; };
  search.takes = [](int64_t cores) { return cores == 3 ? 15'000.0 : 20'000.0; };
  EXPECT_EQ(search.Fastest(5), 3);
  EXPECT_EQ(search.simulated, (Numbers{5, 4, 3, 2, 1}));
}

TEST(FewerCores, APlanIsSimulatedOnce) {
  Search search;
  search.uses = [](int64_t cores) { return std::min<int64_t>(cores, 2); };
  search.promises = search.takes = [](int64_t) { return 20'000.0; };
  search.Fastest(6);
  EXPECT_EQ(search.looked_at, (Numbers{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(search.simulated, (Numbers{2, 1}));
}

// Of launches of 240,000 and of 2,400,000 cycles of all cores.
TEST(FewerCores, APromiseThatIsTooFarFromTheBestEndsTheSearch) {
  for (const auto& [cycles, ratio] : {std::pair(10'000.0, 1.25), std::pair(100'000.0, 1.1)}) {
    Search search;
    search.takes = [cycles = cycles](int64_t cores) { return WithTheLoadOf(24 - cores, cycles); };
    search.promises = [&, cycles = cycles, ratio = ratio](int64_t cores) {
      return cores == 24 ? cycles : cores == 23 ? (ratio - 0.05) * cycles : (ratio + 0.3) * cycles;
    };
    search.Fastest(24);
    EXPECT_EQ(search.looked_at, (Numbers{24, 23, 22})) << cycles;
    EXPECT_EQ(search.simulated, (Numbers{24, 23})) << cycles;
  }
}

TEST(FewerCores, APlanNeedNotBeMadeThatWouldEndTheSearch) {
  Search search;
  search.promises = search.takes = [](int64_t cores) { return cores == 24 ? 100'000.0 : 200'000.0; };
  search.Fastest(24);
  ASSERT_EQ(search.looked_at, (Numbers{24, 23}));
  EXPECT_EQ(search.most_cycles[0], INFINITY);
  EXPECT_DOUBLE_EQ(search.most_cycles[1], 1.1 * (100'000 + LaunchCycles(24, LoadSoc("ascend910b2"))));
}

// Estimates that are too long are so for all plans; one that is too short says nothing of the others.
TEST(FewerCores, OthersAreExpectedToKeepThePaceOfTheBestWhereItIsFaster) {
  Search search;
  search.takes = [](int64_t cores) { return cores == 22 ? 9'000.0 : WithTheLoadOf(24 - cores, 10'000); };
  search.promises = [](int64_t cores) { return cores == 24 ? 20'000.0 : 22'000.0; };
  EXPECT_EQ(search.Fastest(24), 22);

  Search optimistic;
  optimistic.takes = [](int64_t cores) { return cores == 24 ? 20'000.0 : 15'000.0; };
  optimistic.promises = [](int64_t cores) { return cores == 24 ? 10'000.0 : 15'000.0; };
  EXPECT_LT(optimistic.Fastest(24), 24);
}

TEST(FewerCores, SimulationEndsWithItsBudget) {
  for (const auto& [cycles, plans] :
       {std::pair(17'000'000.0, 0), {16'000'000.0, 4}, {800'000.0, 4}, {400'000.0, 7}}) {
    Search search;
    search.promises = [cycles = cycles](int64_t) { return cycles; };
    search.takes = [cycles = cycles](int64_t cores) { return WithTheLoadOf(24 - cores, cycles); };
    EXPECT_EQ(search.Fastest(24), 24);
    EXPECT_EQ(search.simulated.size(), static_cast<size_t>(plans)) << cycles;
  }
}

TEST(FewerCores, OnVeryManyCoresTheSearchIsBounded) {
  Search search;
  search.uses = [](int64_t) { return 5; };
  search.promises = search.takes = [](int64_t) { return 20'000.0; };
  search.Fastest(1000);
  EXPECT_EQ(search.looked_at.size(), static_cast<size_t>(1 + kMostFewerCores));
}

TEST(FewerCores, OneCoreHasNoFewer) {
  Search search;
  search.promises = search.takes = [](int64_t) { return 20'000.0; };
  EXPECT_EQ(search.Fastest(1), 1);
  EXPECT_EQ(search.looked_at, Numbers({1}));
  EXPECT_EQ(search.simulated, Numbers({1}));  // its cycles are told
}

}  // namespace
}  // namespace tilesim
