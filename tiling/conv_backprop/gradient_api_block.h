#pragma once
#include <cstdint>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// The block and the L1 steps that planner `api` chooses for one core, by the rules of the shipped planner
// (the memory it takes for granted and the fits it throws away included). Knows neither fields nor flags.
class InputApiBlock {
 public:
  // What the shipped planner takes for the size of L1, whatever the platform says.
  static constexpr int64_t kL1Bytes = 524160;

  explicit InputApiBlock(const InputProblem& problem);
  // False when no block fits in L1: choice() is then the last one tried.
  bool Choose();

  [[nodiscard]] const CubeChoice& choice() const { return c_; }
  [[nodiscard]] int64_t L1Bytes() const;
  [[nodiscard]] int64_t GradientRows(int64_t pixels) const;  // stride-expanded, behind so many dx pixels

 private:
  struct Steps {
    int64_t a, b;
  };

  void StartBlock();
  bool KeepWeightsResident();
  void ChooseSteps();
  bool MakeItFit();
  void Reduce();
  bool ReduceK();

  void Take(const Steps& steps);
  [[nodiscard]] Steps SameSteps() const;
  [[nodiscard]] Steps HalfEach() const;
  bool TakeStepsThatFit();

  [[nodiscard]] bool MeetsTaps(int64_t k) const;
  [[nodiscard]] int64_t LargestMeetingTaps(int64_t most) const;
  [[nodiscard]] int64_t GradientRowBytes() const;
  [[nodiscard]] bool Fits(const Steps& steps) const;
  [[nodiscard]] bool Fits() const { return Fits({c_.step_ka, c_.step_kb}); }

  const InputProblem& p_;
  int64_t taps_, cout1_, line_;  // line_: elements of K behind one c0-line of cout, taps * 16
  int64_t m_, n_, k_;
  CubeChoice c_{.l1_copies_a = 2, .l1_copies_b = 2, .iterate_order = 1};
};

// How many pixels of dx one task takes, by the shipped planner's rule for a block it has chosen: whole rows,
// as many as leave what all cores move in L2, if the tasks deal out evenly over the cores. The shipped
// planner always takes one core, for which the rule is published; that for more is read off its recorded
// answers when it is made to take 24.
int64_t InputApiTaskPixels(const InputProblem& problem, const InputApiBlock& block, int64_t cores);

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
