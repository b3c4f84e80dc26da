#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_work.h"

namespace tilesim {

// The ways to deal a filter gradient out over `cores` cores that promise most: lists of tasks in both orders
// and grids. A cut promises what no block can beat: the busiest core's cube time, its bytes from HBM and L2,
// its write-outs. Half of the cuts, best first, are those that promise most where each task waits for its
// first tiles, the others those where none does. Knows no block and no buffer.
std::vector<FilterCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                                     size_t most_cuts);

}  // namespace tilesim
