#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/units.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/cube_op_plan.h"

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

// The choice with one and two copies of A and of B in L1.
inline void AddCopies(CubeChoice choice, std::vector<CubeChoice>& choices) {
  choice.l0c_copies = 2;
  for (const int64_t copies : {0, 1, 2, 3}) {
    choice.l1_copies_a = 1 + copies % 2;
    choice.l1_copies_b = 1 + copies / 2;
    choices.push_back(choice);
  }
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

// The ways to deal a filter gradient out over `cores` cores that promise most: lists of tasks in both orders
// and grids. A cut promises what no block can beat: the busiest core's cube time, its bytes from HBM and L2,
// its write-outs. Half of the cuts, best first, are those that promise most where each task waits for its
// first tiles, the others those where none does. Knows no block and no buffer.
std::vector<FilterPromisingCut> PromisingCuts(const FilterProblem& problem, const SocConfig& soc,
                                              int64_t cores, size_t most_cuts);

// What is told of a choice: of the filter gradient for one task, of the input gradient for the busiest core.
struct ScoredBlock {
  CubeChoice choice;
  double cycles = 0;
  double hbm_cycles = 0;  // of a filter gradient: what its reads of HBM take where all cores share it evenly
};

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

// What a cut's blocks promise: some cycles, and so many times those of their score.
struct CutPromise {
  double begin = 0, times = 1;
};
// Adds the blocks of each of `cuts` as candidates. promise_of(cut, work), blocks_of(cut, work) of a cut, the
// blocks best first; tiling_of(cut, choice).
template <class Tiling, class Cuts, class PromiseOf, class BlocksOf, class MakeTiling>
void AddBlocks(const Cuts& cuts, CandidateList<Tiling>& list, const PromiseOf& promise_of,
               const BlocksOf& blocks_of, const MakeTiling& tiling_of) {
  double least = std::numeric_limits<double>::max();
  for (const auto& [cut, work] : cuts) {
    list.NextCut();
    const CutPromise promise = promise_of(cut, work);
    for (const ScoredBlock& block : blocks_of(cut, work)) {
      const double cycles = promise.begin + block.cycles * promise.times;
      if (cycles > kMostTimesLeast * least) {
        break;
      }
      list.Add(tiling_of(cut, block.choice), cycles, block.hbm_cycles * promise.times);
      least = std::min(least, cycles);
    }
  }
}

}  // namespace tilesim
