#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "tiling/conv_backprop/input_problem.h"

namespace tilesim {

// One number of a problem with the limits of those who look at it. Knows no rule that ties two numbers.
struct InputArgument {
  std::string_view field;  // by the name that tiling data give it
  int64_t InputProblem::*member;
  int64_t least, most;          // the operator's
  int64_t api_least, api_most;  // where the shipped class refuses; all of 32 bits where it does not look
};

// All of them, each once.
std::span<const InputArgument> InputArguments();

}  // namespace tilesim
