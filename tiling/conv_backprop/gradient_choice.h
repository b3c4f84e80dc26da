#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_tasks.h"
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

// A way to deal the problem out: the order of the list, the largest part of rows of dx and of c0-lines of
// channels, and the cores.
struct InputCut {
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t rows = 1;
  int64_t lines = 1;
  int64_t cores = 1;

  friend bool operator==(const InputCut&, const InputCut&) = default;
};
InputCut CutOf(const InputTiling& tiling);
InputTaskSpace SpaceOf(const InputProblem& problem, const InputCut& cut);

// Fills in what every task holds one of.
void SetTaskFields(TConv3DBackpropInputTiling& tiling);

// The tiling data and split that say so.
InputTiling TilingOf(const InputProblem& problem, const InputCut& cut, const CubeChoice& choice);

// Blocks of K that fit the taps: whole lines of hk * wk * c0 or even parts of one, smallest first, up to
// `most`.
std::vector<int64_t> BlocksOfK(const InputProblem& problem, int64_t most);

// Small blocks and steps for problems whose rows fill L1: every one a last resort, in no order.
std::vector<CubeChoice> SmallBlocks(const InputProblem& problem);

}  // namespace tilesim
