#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/core_memory.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// Tasks of one size: output channels (whole fractals or planes), cin1 lines, output rows.
struct FilterTaskSize {
  int64_t m = 0;
  int64_t lines = 0;
  int64_t rows = 0;

  friend bool operator==(const FilterTaskSize&, const FilterTaskSize&) = default;
};

// A way to deal the problem out: the split and the largest task it gives.
struct FilterCut {
  FilterSplit split;
  FilterTaskSize part;
};
inline FilterCut CutOf(const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return {.split = tiling.split,
          .part = {.m = t.singleCoreCout,
                   .lines = static_cast<int64_t>(t.singleCoreCin) / t.channelSize,
                   .rows = t.singleCoreHo}};
}

// Fills in what tiling data say of a choice: blocks, steps, buffers, fractals and the one (group, batch, dk)
// of a task. Not bl1Bound, which follows from the choice and the task.
void SetTaskFields(const CubeChoice& choice, int64_t c0, TConv3DBpFilterTiling& tiling);

// The tiling data and split that say so, with the bl1Bound the steps need.
FilterTiling TilingOf(const FilterProblem& problem, const CoreMemory& memory, const FilterCut& cut,
                      const CubeChoice& choice);

// Small blocks and steps for problems whose rows fill L1: every one a last resort, in no order.
std::vector<CubeChoice> SmallBlocks(const FilterProblem& problem);

}  // namespace tilesim
