#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/conv_backprop/input_tiling.h"
#include "tiling/core_memory.h"
#include "tiling/cube_choice.h"

namespace tilesim {

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
