#pragma once
#include <cstdint>
#include <optional>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// The block and the L1 steps that planner `api` chooses for one core, by the rules of the shipped planner
// (the memory it takes for granted and the fits it throws away included); nothing where none fits in L1.
std::optional<CubeChoice> InputApiBlockOf(const InputProblem& problem);

// Rows of the stride-expanded gradient behind so many pixels of dx, as the shipped planner counts them.
int64_t GradientRowsBehind(const InputProblem& problem, int64_t pixels);

// How many pixels of dx one task takes, by the shipped planner's rule for a block it has chosen: whole rows,
// as many as leave what all cores move in L2, if the tasks deal out evenly over the cores. The shipped
// planner always takes one core, for which the rule is published; that for more is read off its recorded
// answers when it is made to take 24.
int64_t InputApiTaskPixels(const InputProblem& problem, const CubeChoice& block, int64_t cores);

// The largest divisor of `number` that `accept` takes; 0 when it takes none. Asks in descending order.
template <class Accept>
int64_t LargestDivisor(int64_t number, const Accept& accept) {
  int64_t part = 1;
  for (; part * part <= number; ++part) {
    if (number % part == 0 && accept(number / part)) {
      return number / part;
    }
  }
  for (; part > 0; --part) {
    if (number % part == 0 && accept(part)) {
      return part;
    }
  }
  return 0;
}

constexpr int64_t Down16(int64_t value) { return 16 * (value / 16); }

// Rows of `width` that so many places in a row touch, as the shipped planner counts them.
constexpr int64_t ApiRowsTouched(int64_t places, int64_t width) {
  return places % width == 0 || width % places == 0 ? CeilDiv(places, width)
         : places > width                           ? places / width + 2
                                                    : 2;
}

}  // namespace tilesim
