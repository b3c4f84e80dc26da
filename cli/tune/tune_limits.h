#pragma once

#include <string>

#include "cli/arguments.h"
#include "tiling/tune/tune_search.h"

namespace tilesim {

// --budget and --threads, for each case. A budget in runs ends a search at the same place on every machine,
// one in time does not.
TuneLimits TuneLimitsOf(const Arguments& arguments);

// --budget as it was given, or its default.
std::string BudgetOf(const Arguments& arguments);

}  // namespace tilesim
