// Which tasks of the filter gradient a core runs, in order.
#pragma once

#include <cstdint>

#include "tiling/conv_backprop/gradient_split.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace tilesim {

// What is counted: (batch, dout) pairs, merged groups and depth planes of the filter.
struct FilterTaskSpace {
  int64_t batch_dout = 1;
  int64_t groups = 1;
  int64_t dk = 1;
};

// One task: a part of M, N and K of one (batch, dout), one merged group and one dk.
struct FilterTask {
  int64_t batch_dout = 0;
  int64_t group = 0;
  int64_t dk = 0;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

namespace internal {

struct Share {
  int64_t begin = 0;
  int64_t end = 0;
};

inline Share ShareOf(int64_t count, int64_t parts, int64_t index) {
  return {ShareBegin(count, parts, index), ShareBegin(count, parts, index + 1)};
}

template <class Visit>
void ForBaseGrid(const FilterSplit& split, const FilterTaskSpace& space, int64_t core, Visit&& visit) {
  int64_t rest = core;
  const auto digit = [&](int64_t base) {
    const int64_t value = rest % base;
    rest /= base;
    return value;
  };
  FilterTask task;  // k is the fastest digit of the core's number
  task.k = digit(split.k_dim);
  task.n = digit(split.n_dim);
  task.m = digit(split.m_dim);
  const Share batches = ShareOf(space.batch_dout, split.batch_dim, digit(split.batch_dim));
  const Share dks = ShareOf(space.dk, split.dk_dim, digit(split.dk_dim));
  const Share groups = ShareOf(space.groups, split.group_dim, digit(split.group_dim));
  for (task.group = groups.begin; task.group < groups.end; ++task.group) {
    for (task.batch_dout = batches.begin; task.batch_dout < batches.end; ++task.batch_dout) {
      for (task.dk = dks.begin; task.dk < dks.end; ++task.dk) {
        visit(task);
      }
    }
  }
}

template <class Visit>
void ForBasicBlock(const FilterSplit& split, const FilterTaskSpace& space, int64_t core, Visit&& visit) {
  const bool cuts_k = split.strategy != FilterStrategy::kBasicBlockMN;
  const bool fast_is_m = split.strategy == FilterStrategy::kBasicBlockMK;
  int64_t slow_count = cuts_k ? split.k_dim : split.m_dim;
  int64_t fast_count = fast_is_m ? split.m_dim : split.n_dim;
  const int64_t total = slow_count * fast_count * space.batch_dout * space.groups * space.dk;
  const Share tasks = ShareOf(total, split.used_cores, core);
  for (int64_t index = tasks.begin; index < tasks.end; ++index) {
    // row-first, slowest to fastest: slow, (batch, dout), group, dk, fast; column-first changes the ends over
    int64_t rest = index;
    const auto digit = [&](int64_t base) {
      const int64_t value = rest % base;
      rest /= base;
      return value;
    };
    const int64_t last = digit(split.column_first ? slow_count : fast_count);
    FilterTask task;
    task.dk = digit(space.dk);
    task.group = digit(space.groups);
    task.batch_dout = digit(space.batch_dout);
    const int64_t first = rest;
    const int64_t slow = split.column_first ? last : first;
    const int64_t fast = split.column_first ? first : last;
    (cuts_k ? task.k : task.m) = slow;
    (fast_is_m ? task.m : task.n) = fast;
    visit(task);
  }
}

}  // namespace internal

// Calls visit(task) for each task of `core`, in the order in which it runs them.
template <class Visit>
void ForEachFilterTask(const FilterSplit& split, const FilterTaskSpace& space, int64_t core, Visit&& visit) {
  if (core >= split.used_cores) {
    return;
  }
  if (split.strategy == FilterStrategy::kBaseGrid) {
    internal::ForBaseGrid(split, space, core, visit);
  } else {
    internal::ForBasicBlock(split, space, core, visit);
  }
}

}  // namespace tilesim
