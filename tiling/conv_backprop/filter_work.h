#pragma once
#include <cstdint>
#include <vector>

#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {

// Tasks of one size: output channels (whole fractals or planes), cin1 lines, output rows.
struct FilterTaskSize {
  int64_t m = 0;
  int64_t lines = 0;
  int64_t rows = 0;

  friend bool operator==(const FilterTaskSize&, const FilterTaskSize&) = default;
};

// A way to deal the problem out: the split and the largest task it gives.
struct FilterCut {
  FilterSplit split;
  FilterTaskSize part;
};
FilterCut CutOf(const FilterTiling& tiling);

// What one core has to do under a split: how many tasks of which size, and how much of each tensor they fetch
// from HBM: what they meet for the first time, unless another core has fetched it. Knows no block and no
// clock.
struct FilterCoreWork {
  struct Tasks {
    FilterTaskSize size;
    double count = 0;
  };
  std::vector<Tasks> tasks;
  // The first tasks in their order, and how much of their part of a tensor the core fetches (of dw: meets for
  // the first time).
  struct Step {
    FilterTaskSize size;
    double x_new = 0, dy_new = 0, dw_new = 0;  // 0 to 1
  };
  std::vector<Step> first_steps;
  // Tasks' parts of each tensor that are fetched (dw: met for the first time), in parts (a part fetched by
  // half is 0.5).
  double x_new = 0;
  double dy_new = 0;
  double dw_new = 0;
  double x_same = 0;  // how much of its parts (0 to 1) other cores read, too
  double dy_same = 0;
  double x_fetched = 1;  // how much of what it meets for the first time (0 to 1] it fetches itself
  double dy_fetched = 1;

  [[nodiscard]] double task_count() const;
};

// The work of the core that has most, on a part with an L2 of `l2_bytes`: what was met so long ago that all
// cores have fetched more than that since is fetched anew. Lists of more tasks than `most_looked_at` are
// judged by a stretch of them.
FilterCoreWork BusiestCore(const FilterProblem& problem, const FilterCut& cut, int64_t most_looked_at,
                           int64_t l2_bytes);

}  // namespace tilesim
