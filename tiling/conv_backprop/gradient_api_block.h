#pragma once
#include <cstdint>
#include <span>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/core_memory.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// The block and the L1 steps that planner `api` chooses for one core, by the rules of the shipped planner
// (its capacity errors included). Knows neither fields nor flags, and refuses nothing.
class FilterApiBlock {
 public:
  struct Task {
    int64_t m, n, k;
  };

  FilterApiBlock(const FilterProblem& problem, const CoreMemory& memory);
  void Choose();

  [[nodiscard]] const CubeChoice& choice() const { return c_; }
  [[nodiscard]] const CoreMemory& memory() const { return memory_; }
  [[nodiscard]] int64_t problem_m() const { return m_; }
  [[nodiscard]] int64_t problem_n() const { return n_; }
  [[nodiscard]] int64_t taps() const { return taps_; }
  [[nodiscard]] Task TaskExtents() const;
  [[nodiscard]] int64_t L1BoundOfB() const;  // elements of one L1 copy of B
  [[nodiscard]] int64_t L1Bytes() const;     // of all copies; INT64_MAX where that is too small a number

 private:
  enum class Split { kMN, kMK, kNK };
  using Rung = std::pair<int64_t, int64_t>;  // L1 depths in base blocks, A and B

  void StartBlock();
  void TakeRung(const Rung& rung);
  void ReduceToFit();
  bool ShrinkK();
  void ShrinkMAndN();
  void ShrinkMAndNTogether();
  void GrowBack();
  void CutKToWholeRows();

  [[nodiscard]] int64_t Lines(int64_t n_extent) const;
  [[nodiscard]] int64_t InputRows(int64_t k_extent) const;
  [[nodiscard]] int64_t Bound(int64_t k_extent, int64_t n_extent) const;
  [[nodiscard]] uint32_t Excess() const;
  [[nodiscard]] bool Fits() const;

  const FilterProblem& p_;
  CoreMemory memory_;
  int64_t taps_, m_, n_, k_;
  Split split_;
  CubeChoice c_;
};

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
