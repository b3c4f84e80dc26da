// The price of a tiling, asked of the tile program itself. An operator gives its planner one, for a planner
// sees no tile program.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/core/pipe.h"

namespace tilesim {

// What a launch takes in simulation.
struct LaunchCost {
  int64_t cycles = 0;                               // of the core that ends last
  std::array<int64_t, kNumPipes> busy_cycles = {};  // of that core's pipes
  int64_t gm_bytes = 0;                             // between GM and all cores
};

// Of legal tilings. None, too, where a launch is too long to be simulated in the memory that is free.
template <class Tiling>
struct CostModel {
  // The simulated launch; none where it takes more than `most_cycles`, which is mostly known long before its
  // end.
  std::function<std::optional<LaunchCost>(const Tiling& tiling, int64_t most_cycles)> launch;
  // Cycles of the launch's first core by itself, which has its even share of L2: tells tilings apart many
  // times cheaper.
  std::function<std::optional<int64_t>(const Tiling& tiling, int64_t most_cycles)> core;
};

}  // namespace tilesim
