#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/filter_cut.h"
#include "tiling/core_memory.h"

namespace tilesim {

// What one core's tile program may choose for a task: its L0 block, L1 steps and buffers.
struct FilterBlockChoice {
  int64_t base_m = 16, base_n = 16, base_k = 16;
  int64_t step_m = 1, step_n = 1, step_ka = 1, step_kb = 1;
  int64_t l1_copies_a = 1, l1_copies_b = 1, l0c_copies = 1;
  bool m_fast = false;  // iterateOrder 1

  friend bool operator==(const FilterBlockChoice&, const FilterBlockChoice&) = default;
};

// Fills in what tiling data say of a choice: blocks, steps, buffers, fractals and the one (group, batch, dk)
// of a task. Not bl1Bound, which follows from the choice and the task.
void SetChoiceFields(const FilterBlockChoice& choice, int64_t c0, TConv3DBpFilterTiling& tiling);

// The tiling data and split that say so, with the bl1Bound the steps need.
FilterTiling TilingOf(const FilterProblem& problem, const CoreMemory& memory, const FilterCut& cut,
                      const FilterBlockChoice& choice);

// Small blocks and steps for problems whose rows fill L1: every one a last resort, in no order.
std::vector<FilterBlockChoice> SmallBlocks(const FilterProblem& problem);

}  // namespace tilesim
