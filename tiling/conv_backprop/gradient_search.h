#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/units.h"
#include "sim/core/pipe.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

inline void AddUnique(std::vector<int64_t>& values, int64_t value) {
  if (std::ranges::find(values, value) == values.end()) {
    values.push_back(value);
  }
}

// Sizes of the largest part when `whole` things are cut in 1, 2, 3, ... up to `most_parts` parts, each size
// once, largest first. From twice `spread` parts on some numbers of parts are left out, so that about as many
// are looked at each time that they double.
inline std::vector<int64_t> PartSizes(int64_t whole, int64_t most_parts, int64_t spread = INT64_MAX) {
  std::vector<int64_t> sizes;
  for (int64_t parts = 1; parts <= std::min(whole, most_parts);
       parts += std::max<int64_t>(1, parts / spread)) {
    AddUnique(sizes, CeilDiv(whole, parts));
  }
  return sizes;
}

// Keeps, of the items from `begin` on, the `most` with the least key, least first.
template <class Item, class Key>
void KeepBest(std::vector<Item>& items, size_t begin, size_t most, Key key) {
  const auto first = items.begin() + static_cast<ptrdiff_t>(begin);
  const size_t kept = std::min(most, items.size() - begin);
  std::ranges::partial_sort(first, first + static_cast<ptrdiff_t>(kept), items.end(), {}, key);
  items.erase(first + static_cast<ptrdiff_t>(kept), items.end());
}

// A way to deal out, and what the core with most to do has of it.
template <class Cut, class Work>
struct PromisingCut {
  Cut cut;
  Work work;
};

// What a core with most to do meets of a cut, by sums.
struct FilterCutWork {
  double tasks = 0;  // that look at more than padding
  // Of a task's part of the tensor: bytes that come from HBM, asked for by this core.
  double x_first_bytes = 0, dy_first_bytes = 0;
};
using FilterPromisingCut = PromisingCut<FilterCut, FilterCutWork>;
using InputPromisingCut = PromisingCut<InputCut, InputCoreWork>;

// The ways to deal a filter gradient out over `cores` cores that promise most: lists of tasks in both orders
// and grids. A cut promises what no block can beat: the busiest core's cube time, its bytes from HBM and L2,
// its write-outs. Half of the cuts, best first, are those that promise most where each task waits for its
// first tiles, the others those where none does. Knows no block and no buffer.
std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts);
// Of a list of tasks.
FilterCutWork WorkOfList(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut);

// The ways to deal an input gradient out over `cores` cores that promise most, best first. A cut promises
// what no block can beat: the busiest core's products, its loads into L0, its bytes from HBM and to it. Knows
// no block and no buffer.
std::vector<InputPromisingCut> PromisingCuts(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                                             size_t most_cuts);

// What the blocks of one task of a cut cost apart from loads to L1: products, loads to L0, write-outs, and
// how they overlap. Knows no L1.
class FilterBlockCost {
 public:
  FilterBlockCost(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut);

  // Of a whole task, all blocks of M, N and K.
  [[nodiscard]] double TaskCycles(const CubeChoice& choice) const;

  // Extents of the task, M and N in whole fractals.
  [[nodiscard]] int64_t m() const { return m_; }
  [[nodiscard]] int64_t n() const { return n_; }
  [[nodiscard]] int64_t k() const { return k_; }

 private:
  // Cycles of loading one channel block of K to L0, without those of issuing.
  [[nodiscard]] double LoadCycles(Memory memory, int64_t k_len, int64_t width, int64_t stride) const;

  const FilterProblem& p_;
  const SocConfig& soc_;
  int64_t c0_;
  int64_t m_, n_, k_;
  double write_cycles_per_byte_;  // of dw
};

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

// What is told of a choice: of the filter gradient for one task, of the input gradient for the busiest core.
struct ScoredBlock {
  CubeChoice choice;
  double cycles = 0;
  double hbm_cycles = 0;  // of a filter gradient: what its reads of HBM take where all cores share it evenly
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do, and
// what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<ScoredBlock> PromisingBlocks(const FilterProblem& problem, const SocConfig& soc,
                                         const FilterCut& cut, const FilterCutWork& work,
                                         size_t most_choices);
std::vector<ScoredBlock> PromisingBlocks(const InputProblem& problem, const SocConfig& soc,
                                         const InputCut& cut, const InputCoreWork& work, size_t most_choices);

// Of blocks with a `promise` the best are looked into: add_steps(block) adds their choices to `scored`, of
// which the best few of each block stay, for they differ little, and of these the best of all.
template <class Block, class AddSteps>
void ScoreBest(std::vector<Block> blocks, size_t most_blocks, size_t steps_a_block, size_t most_choices,
               std::vector<ScoredBlock>& scored, AddSteps add_steps) {
  KeepBest(blocks, 0, most_blocks, &Block::promise);
  for (const Block& block : blocks) {
    const size_t before = scored.size();
    add_steps(block);
    KeepBest(scored, before, steps_a_block, &ScoredBlock::cycles);
  }
  KeepBest(scored, 0, most_choices, &ScoredBlock::cycles);
}

}  // namespace tilesim
