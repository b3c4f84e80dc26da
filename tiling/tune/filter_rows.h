#pragma once
#include <algorithm>
#include <cstdint>

#include "tiling/conv_backprop/filter_problem.h"

namespace tilesim {

// Rows of the feature map, [first, end).
struct FilterRowSpan {
  int64_t first = 0, end = 0;
  [[nodiscard]] int64_t count() const { return end - first; }
};

// Those that some window of dy's rows [first_ho, last_ho] reads, as the tile program brings them: one where
// all are padding.
inline FilterRowSpan RowsBehind(const FilterProblem& p, int64_t first_ho, int64_t last_ho) {
  const int64_t top = first_ho * p.stride_h - p.pad_up;
  const int64_t bottom = last_ho * p.stride_h - p.pad_up + (p.hk - 1) * p.dilation_h;
  if (bottom < 0) {
    return {0, 1};
  }
  if (top >= p.hi) {
    return {p.hi - 1, p.hi};
  }
  return {std::max<int64_t>(top, 0), std::min(bottom, p.hi - 1) + 1};
}

}  // namespace tilesim
