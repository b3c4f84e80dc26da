// What a tiling costs. A model of it asks the tile program itself; an operator gives its planner one, for a
// planner sees no tile program. What it costs to start cores is a formula, for planners that may do with
// fewer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/core/pipe.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What a launch takes in simulation.
struct LaunchCost {
  int64_t cycles = 0;                               // of the core that ends last
  std::array<int64_t, kNumPipes> busy_cycles = {};  // of that core's pipes
  int64_t gm_bytes = 0;                             // between GM and all cores
};

// What a part of a launch's tasks tells of all of them.
struct PartCost {
  double cycles = 0;       // of the core that takes longest, with all its tasks
  int64_t run_cycles = 0;  // that all cores together were run for it
};

// Of legal tilings. None, too, where a launch is too long to be simulated in the memory that is free.
template <class Tiling>
struct CostModel {
  // The simulated launch; none where it takes more than `most_cycles`, which is mostly known long before its
  // end.
  std::function<std::optional<LaunchCost>(const Tiling& tiling, int64_t most_cycles)> launch;
  // That core of the launch by itself, which has its even share of L2: tells tilings apart many times
  // cheaper. Of its tasks the first `part`-th are run.
  std::function<std::optional<PartCost>(const Tiling& tiling, size_t core, size_t part)> core;
  // All cores together, but of each the first `part`-th of its tasks alone.
  std::function<std::optional<PartCost>(const Tiling& tiling, size_t part)> first_tasks;
};

// The same, that asks for a launch and for a core's part once. For one thread.
template <class Tiling>
CostModel<Tiling> Remembering(CostModel<Tiling> model) {
  struct Known {
    std::optional<LaunchCost> cost;
    int64_t most_cycles = 0;  // that it was not within, where there is no cost
  };
  const auto known = std::make_shared<std::map<std::string, Known>>();
  if (const auto launch = std::move(model.launch)) {
    model.launch = [known, launch](const Tiling& tiling, int64_t most_cycles) -> std::optional<LaunchCost> {
      const auto [found, is_new] = known->try_emplace(JsonOf(tiling));
      Known& one = found->second;
      if (is_new || (!one.cost && one.most_cycles < most_cycles)) {
        one = {.cost = launch(tiling, most_cycles), .most_cycles = most_cycles};
      }
      return one.cost && one.cost->cycles <= most_cycles ? one.cost : std::nullopt;
    };
  }
  using Part = std::tuple<std::string, size_t, size_t>;  // a tiling's, of a core
  const auto parts = std::make_shared<std::map<Part, std::optional<PartCost>>>();
  if (const auto core = std::move(model.core)) {
    model.core = [parts, core](const Tiling& tiling, size_t which, size_t part) {
      const auto [found, is_new] = parts->try_emplace({JsonOf(tiling), which, part});
      if (is_new) {
        found->second = core(tiling, which, part);
      }
      return found->second;
    };
  }
  return model;
}

// How long, in us, a kernel takes that has so many cycles on its busiest core, the launch of `cores`
// included.
inline double TimeWithLaunchUs(double cycles, int64_t cores, const SocConfig& soc) {
  return cycles / soc.clock_mhz + soc.launch_us + soc.launch_start_us +
         soc.launch_us_per_core * static_cast<double>(cores);
}

// How many cycles the launch of so many cores adds to a kernel's, beyond what any launch does.
inline double LaunchCycles(int64_t cores, const SocConfig& soc) {
  return soc.launch_us_per_core * soc.clock_mhz * static_cast<double>(cores);
}

// The numbers of cores up to `most` that are worth a look: powers of two, those and a half, and all.
inline std::vector<int64_t> CoreCountsUpTo(int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = 1; count < most; count *= 2) {
    counts.push_back(count);
    if (count > 1 && count / 2 * 3 < most) {
      counts.push_back(count / 2 * 3);
    }
  }
  counts.push_back(most);
  return counts;
}

}  // namespace tilesim
