#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "tiling/conv_backprop/filter_problem.h"

namespace tilesim {

// The shipped tiling class narrows arguments to 32 bits before some of its tests: beyond them it is not
// defined.
constexpr int64_t kLeast32 = -(int64_t{1} << 31);
constexpr int64_t kMost32 = (int64_t{1} << 32) - 1;

// One number of a problem with the limits of those who look at it. Knows no rule that ties two numbers.
struct FilterArgument {
  std::string_view field;  // by the name that tiling data give it
  int64_t FilterProblem::*member;
  int64_t least, most;  // the operator's
  int64_t api_least,
      api_most;  // where the shipped class refuses; kLeast32 and kMost32 where it does not look
};

// All of them, each once.
std::span<const FilterArgument> FilterArguments();

}  // namespace tilesim
