#pragma once
#include <span>

#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/input_problem.h"

namespace tilesim {

using InputArgument = ConvArgument<InputProblem>;

// All numbers of a problem, each once.
std::span<const InputArgument> InputArguments();

}  // namespace tilesim
