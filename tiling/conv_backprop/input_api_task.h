#pragma once
#include <cstdint>

#include "tiling/conv_backprop/input_api_block.h"

namespace tilesim {

// How many pixels of dx one task takes, by the shipped planner's rule for a block it has chosen: whole rows,
// as many as leave what all cores move in L2, if the tasks deal out evenly over the cores. The shipped
// planner always takes one core, for which the rule is published; that for more is read off
// its recorded answers when it is made to take 24.
int64_t InputApiTaskPixels(const InputProblem& problem, const InputApiBlock& block, int64_t cores);

}  // namespace tilesim
