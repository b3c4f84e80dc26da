#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/pipe.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/candidates.h"
#include "tiling/conv_backprop/gradient_choice.h"

namespace tilesim {

// What a core with most to do meets of a cut, by sums.
struct FilterCutWork {
  double tasks = 0;  // that look at more than padding
  // Of a task's part of the tensor: bytes that come from HBM, asked for by this core.
  double x_first_bytes = 0, dy_first_bytes = 0;
  double dw_new = 0;  // parts of dw that the core meets
};
struct FilterPromisingCut {
  FilterCut cut;
  FilterCutWork work;
};

// The ways to deal a filter gradient out over `cores` cores that promise most: lists of tasks in both orders
// and grids. A cut promises what no block can beat: the busiest core's cube time, its bytes from HBM and L2,
// its write-outs. Half of the cuts, best first, are those that promise most where each task waits for its
// first tiles, the others those where none does. Knows no block and no buffer.
std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts);
// Of a list of tasks.
FilterCutWork WorkOfList(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut);

// What the blocks of one task of a cut cost apart from loads to L1: products, loads to L0, write-outs, and
// how they overlap. Knows no L1.
class FilterBlockCost {
 public:
  FilterBlockCost(const FilterProblem& problem, const SocConfig& soc, const FilterCut& cut,
                  const FilterCutWork& work);

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

struct FilterScoredBlock {
  CubeChoice choice;
  double cycles = 0;      // of one task
  double hbm_cycles = 0;  // that its reads of HBM take where all cores share it evenly
};

// The choices that promise most for the tasks of a cut, best first: sums of what each pipe has to do for one
// task, and what cannot overlap. Proposes only what should fit; whether it does is WhyNot's to say.
std::vector<FilterScoredBlock> PromisingBlocks(const FilterProblem& problem, const SocConfig& soc,
                                               const FilterCut& cut, const FilterCutWork& work,
                                               size_t most_choices);

}  // namespace tilesim
