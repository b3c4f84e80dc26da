#pragma once
#include <span>

#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/filter_problem.h"

namespace tilesim {

using FilterArgument = ConvArgument<FilterProblem>;

// All numbers of a problem, each once.
std::span<const FilterArgument> FilterArguments();

}  // namespace tilesim
