#pragma once
#include <cstdint>

#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace tilesim {

// The feature map that one task may touch at all: output rows of its K, cin1 lines of its N.
struct FilterWindow {
  int64_t rows_out;
  int64_t lines;
};

// What part of the feature map one L1 step of B holds: `k_extent` output pixels from any multiple of
// k_extent, and `columns` columns (one column = c0 elements of one (cin1, hk, wk)) from any multiple of
// `columns`, both counted from the start of the task. The worst case over all positions, exactly: the tile
// program copies the rows and lines that a position touches, so never more.
struct FilterL1Step {
  int64_t rows_out;  // output rows touched
  int64_t rows_in;   // feature map rows copied, those in the padding left out
  int64_t lines;     // cin1 planes touched
};
FilterL1Step L1StepOf(const FilterProblem& problem, const FilterExtents& extents, const FilterWindow& window,
                      int64_t k_extent, int64_t columns);

// Elements of one L1 copy of B for that step: bl1Bound.
int64_t L1BoundOf(const FilterProblem& problem, const FilterExtents& extents, const FilterWindow& window,
                  int64_t k_extent, int64_t columns);

}  // namespace tilesim
