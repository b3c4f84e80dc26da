#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim {

// The shipped tiling classes narrow arguments to 32 bits before some of their tests: beyond them they are not
// defined.
constexpr int64_t kLeast32 = INT32_MIN;
constexpr int64_t kMost32 = UINT32_MAX;

// One number of a problem with the limits of those who look at it. Knows no rule that ties two numbers.
template <class Problem>
struct ConvArgument {
  std::string_view field;  // by the name that tiling data give it
  int64_t Problem::*member;
  int64_t least, most;          // the operator's
  int64_t api_least, api_most;  // the shipped class's; kLeast32 and kMost32 where it does not look
};

// Refuses what is beyond the operator's limits.
template <class Problem>
void CheckArguments(std::span<const ConvArgument<Problem>> arguments, const Problem& p, Rejections& reasons) {
  std::vector<ValueRange> ranges;
  for (const ConvArgument<Problem>& argument : arguments) {
    ranges.push_back(
        {"limit of the operator", argument.field, p.*argument.member, argument.least, argument.most});
  }
  ranges.push_back({"HF32 is for fp32 alone", "hf32", p.hf32 ? 1 : 0, 0, p.dtype == DType::kFp32 ? 1 : 0});
  CheckRanges(ranges, reasons);
}

// Refuses what the shipped class's arguments cannot hold.
template <class Problem>
void CheckApiWidths(std::span<const ConvArgument<Problem>> arguments, const Problem& p, Rejections& reasons) {
  std::vector<ValueRange> ranges;
  for (const ConvArgument<Problem>& argument : arguments) {
    ranges.push_back(
        {"planner api takes 32-bit arguments", argument.field, p.*argument.member, kLeast32, kMost32});
  }
  CheckRanges(ranges, reasons);
}

// Says of refused groups, and of an element type, that planner api plans none such.
void CheckApiGroupsAndDType(const ConvProblem& problem, Rejections& reasons);

// Refuses what the shipped class refuses of each argument by itself.
template <class Problem>
void CheckApiArguments(std::span<const ConvArgument<Problem>> arguments, const Problem& p,
                       Rejections& reasons) {
  std::vector<ValueRange> ranges;
  for (const ConvArgument<Problem>& argument : arguments) {
    ranges.push_back(
        {"limit of planner api", argument.field, p.*argument.member, argument.api_least, argument.api_most});
  }
  CheckRanges(ranges, reasons);
  CheckApiGroupsAndDType(p, reasons);
}

// All numbers of a problem, each once.
using FilterArgument = ConvArgument<FilterProblem>;
using InputArgument = ConvArgument<InputProblem>;
std::span<const FilterArgument> FilterArguments();
std::span<const InputArgument> InputArguments();

}  // namespace tilesim
