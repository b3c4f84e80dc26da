#pragma once
#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/conv_backprop/input_split.h"

namespace tilesim {

// All that a run of the input gradient needs to know about tiling: the vendor's struct for each core's tile
// program, and our own for dealing the tasks out.
struct InputTiling {
  Conv3DBackpropInputTilingData data;
  InputSplit split;
};

// What the gradient must be padded with, along one axis, for the input gradient to be a convolution with
// stride one over the stride-expanded gradient. Negative: that many rows are cut away in place.
struct BackpropPads {
  int64_t before;
  int64_t after;
};
BackpropPads BackpropPadsOf(const InputAxis& axis);

// Fills in what the tiling data repeat of the problem: batch to dilationW, the pads of the gradient included.
// Values beyond the width of a field keep their low 32 bits, as the shipped planner's do.
void SetProblemFields(const InputProblem& problem, TConv3DBackpropInputTiling& tiling);

// Which of the three compiled weight walks serves a block, as the kernel's template argument counts them.
// 2: the kernel has one tap; 1: a block holds every tap of a channel line; 0: it holds fewer.
int64_t WeightWalkOf(const TConv3DBackpropInputTiling& tiling);

// How many tasks of the given tiling data there are along M and N of one (batch, din, group).
struct InputTaskCounts {
  int64_t m, n;
};
InputTaskCounts TaskCountsOf(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling);

// The split for tiling data that came without one, such as planner `api`'s: the tasks in a list, dealt out
// over `cores` cores.
InputSplit DealOut(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling, int64_t cores);

}  // namespace tilesim
