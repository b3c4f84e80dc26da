#pragma once

#include <cstdint>
#include <limits>

#include "cli/arguments.h"

namespace tilesim {

// Cycles [from, to) of a launch.
struct CycleWindow {
  int64_t from = 0;
  int64_t to = std::numeric_limits<int64_t>::max();
};

// --window FROM:TO; everything where it is absent. Throws UserError.
CycleWindow CycleWindowOf(const Arguments& arguments);

}  // namespace tilesim
