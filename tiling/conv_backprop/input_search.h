#pragma once
#include <cstddef>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/candidates.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

struct InputPromisingCut {
  InputCut cut;
  InputCoreWork work;  // of its busiest core
};

// The ways to deal an input gradient out over `cores` cores that promise most, best first. A cut promises
// what no block can beat: the busiest core's products, its loads into L0, its bytes from HBM and to it. Knows
// no block and no buffer.
std::vector<InputPromisingCut> PromisingCuts(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                                             size_t most_cuts);

// What the blocks of a cut's tasks cost apart from loads to L1: products, loads to L0, write-outs, and how
// they overlap. Each phase of a stride for itself, as the tile program takes them. Knows no L1.
class InputBlockCost {
 public:
  InputBlockCost(const InputProblem& problem, const SocConfig& soc, const InputCut& cut);

  // Of a whole task, all blocks of M and N: K taken in steps of `planes` lines of cout, for `taps_d` taps of
  // depth.
  [[nodiscard]] double TaskCycles(const CubeChoice& choice, int64_t planes, double taps_d) const;

  [[nodiscard]] int64_t phases() const { return split_h_ * split_w_; }
  // The part of a task's blocks of `base_m` pixels that meet a row of the gradient: where a stride is longer
  // than the window and has no phases, rows of dx lie between that no tap reaches.
  [[nodiscard]] double PartReached(int64_t base_m) const;
  // Pixels of a phase in one task, and in a row.
  [[nodiscard]] int64_t pixels() const { return m_; }
  [[nodiscard]] int64_t width() const { return width_; }
  // Pixels from one of the gradient to the next as the tile program spreads it: 1 where no zeros are between.
  [[nodiscard]] int64_t spacing_h() const { return p_.stride_h / split_h_; }
  [[nodiscard]] int64_t spacing_w() const { return p_.stride_w / split_w_; }

 private:
  // Phases with the same number of taps.
  struct Phase {
    int64_t taps = 1;
    int64_t count = 1;
  };
  // One block of K of one phase: cycles of the cube and of MTE1.
  struct KCycles {
    double cube, loads;
  };
  [[nodiscard]] KCycles CyclesOfK(const CubeChoice& choice, int64_t k_length) const;

  const InputProblem& p_;
  const SocConfig& soc_;
  int64_t c0_;
  int64_t split_h_ = 1, split_w_ = 1;
  int64_t m_ = 1, n_ = 1, width_ = 1;
  int64_t cout1_ = 1;
  double write_cycles_per_byte_ = 0;  // of dx
  std::vector<Phase> phases_;
};

struct InputScoredBlock {
  CubeChoice choice;
  double cycles = 0;  // of the busiest core
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do, and
// what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<InputScoredBlock> PromisingBlocks(const InputProblem& problem, const SocConfig& soc,
                                              const InputCut& cut, const InputCoreWork& work,
                                              size_t most_choices);

}  // namespace tilesim
