#pragma once
#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

// The rules of the split: that it covers the problem in the tasks the tiling data describe, every part once,
// on cores that are there. The tiling data are legal already.
void CheckSplit(const InputTiling& tiling, const InputProblem& problem, int64_t cores, Rejections& reasons);

}  // namespace tilesim
