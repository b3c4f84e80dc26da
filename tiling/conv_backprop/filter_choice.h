#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/filter_cut.h"
#include "tiling/core_memory.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// Fills in what tiling data say of a choice: blocks, steps, buffers, fractals and the one (group, batch, dk)
// of a task. Not bl1Bound, which follows from the choice and the task.
void SetChoiceFields(const CubeChoice& choice, int64_t c0, TConv3DBpFilterTiling& tiling);

// The tiling data and split that say so, with the bl1Bound the steps need.
FilterTiling TilingOf(const FilterProblem& problem, const CoreMemory& memory, const FilterCut& cut,
                      const CubeChoice& choice);

// Small blocks and steps for problems whose rows fill L1: every one a last resort, in no order.
std::vector<CubeChoice> SmallBlocks(const FilterProblem& problem);

}  // namespace tilesim
