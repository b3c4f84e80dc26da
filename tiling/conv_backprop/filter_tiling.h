#pragma once
#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/conv_backprop/filter_split.h"

namespace tilesim {

// All that a run of the filter gradient needs to know about tiling: the vendor's struct for each core's tile
// program, and our own for dealing the tasks out.
struct FilterTiling {
  Conv3DBackpropFilterTilingData data;
  FilterSplit split;
};

// Fills in what the tiling data repeat of the problem: batch to dilationW and channelSize. Values beyond the
// width of a field keep their low 32 bits, as the shipped planner's do.
void SetProblemFields(const FilterProblem& problem, TConv3DBpFilterTiling& tiling);

// How many tasks of the given tiling data there are along M, N and K of one (batch, dout, group, dk).
struct FilterTaskCounts {
  int64_t m, n, k;
};
FilterTaskCounts TaskCountsOf(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling);

// The split for tiling data that came without one, such as planner `api`'s: the tasks in a list, dealt out
// over `cores` cores, by the strategy the shipped planner would have meant where the tiling data allow it.
// Tiling data that cut M, N and K all three get a grid.
FilterSplit DealOut(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling, int64_t cores);

}  // namespace tilesim
