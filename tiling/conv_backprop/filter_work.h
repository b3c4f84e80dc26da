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

// Where a core finds its part of a tensor that it reads, all of it 1.
struct FilterFound {
  double fetched = 0;  // comes from HBM, asked for by this core
  double waited = 0;   // comes from HBM, asked for by this core or by one that needs it at the same time
  double same = 0;     // of what L2 gives: another core was the last to read it
  double again = 0;    // the same, where the task reads it once more
};

// What one core has to do under a split: how many tasks of which size, and where it finds what they read.
// Knows no block and no clock.
struct FilterCoreWork {
  struct Tasks {
    FilterTaskSize size;
    double count = 0;
  };
  std::vector<Tasks> tasks;
  // The first tasks in their order.
  struct Step {
    FilterTaskSize size;
    FilterFound x, dy;
    double dw_new = 0;  // of its part of dw, met by this core for the first time
  };
  std::vector<Step> first_steps;
  FilterFound x, dy;  // in the mean of all tasks
  double dw_new = 0;  // parts of dw that the core meets

  [[nodiscard]] double task_count() const;
};

// The work of the core that has most, on a part with an L2 of `l2_bytes`: what was met so long ago that all
// cores have fetched more than that since is fetched anew. Lists of more tasks than `most_looked_at` are
// judged by a stretch of them.
FilterCoreWork BusiestCore(const FilterProblem& problem, const FilterCut& cut, int64_t most_looked_at,
                           int64_t l2_bytes);

// The same of every core: its first tasks, and how many it has.
struct FilterCoreSteps {
  std::vector<FilterCoreWork::Step> first;
  double task_count = 0;
};
std::vector<FilterCoreSteps> StepsOfAllCores(const FilterProblem& problem, const FilterCut& cut,
                                             int64_t l2_bytes);

}  // namespace tilesim
