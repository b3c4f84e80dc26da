#pragma once
#include <cstdint>

#include "tiling/conv_backprop/input_api_block.h"

namespace tilesim {

// How many pixels of dx one task takes, by the shipped planner's rule for a block it has chosen: whole rows,
// as many as the estimated traffic of a task leaves in L2.
int64_t InputApiTaskPixels(const InputProblem& problem, const InputApiBlock& block);

}  // namespace tilesim
