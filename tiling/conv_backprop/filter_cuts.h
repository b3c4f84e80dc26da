#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_choice.h"

namespace tilesim {

// What a core with most to do meets of a cut, by sums.
struct FilterCutWork {
  double tasks = 0;  // that look at more than padding
  // Of a task's part of the tensor: bytes that come from HBM, asked for by this core.
  double x_first_bytes = 0, dy_first_bytes = 0;
  double dw_new = 0;  // parts of dw that the core meets
};
struct FilterPromisingCut {
  FilterCut cut;
  FilterCutWork work;
};

// The ways to deal a filter gradient out over `cores` cores that promise most: lists of tasks in both orders
// and grids. A cut promises what no block can beat: the busiest core's cube time, its bytes from HBM and L2,
// its write-outs. Half of the cuts, best first, are those that promise most where each task waits for its
// first tiles, the others those where none does. Knows no block and no buffer.
std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts);
// Of a list of tasks.
FilterCutWork WorkOfList(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut);

}  // namespace tilesim
