#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ops/conv3d_backprop/filter_operator.h"

namespace tilesim {

// Which instructions wrote one element of dw: "AIC 3: Fixpipe on FIX, tile m 0, n 2, k 1, file:line; ...",
// the last few of them. Runs the tile program again, without values, and watches. `coord`: in dw's layout of
// the problem.
std::string WritersOf(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc,
                      std::span<const int64_t> coord, const FilterRunOptions& options);

}  // namespace tilesim
