#pragma once
#include <cstdint>

#include "tiling/conv_backprop/input_problem.h"
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

}  // namespace tilesim
