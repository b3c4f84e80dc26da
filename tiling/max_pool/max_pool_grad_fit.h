#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

// A block of dx and how much of dy stands in UB with it.
struct PoolGradChoice {
  PoolGradBlockSizes sizes;
  PoolGradStrategy strategy = PoolGradStrategy::kResident;
  std::array<int64_t, 3> parts = {1, 1, 1};  // not of kResident
  int64_t x_rows = 2;                        // of a load, before dx on its way out gets what it can use
};

// The tiling of a choice: what UB has left goes to `x_rows` rows of x, then to dx on its way out, then to
// more rows, then to the table of taps. Nothing where it does not fit in `ub_bytes`.
std::optional<MaxPoolGradTiling> FittedTiling(const PoolGradProblem& problem, const PoolGradChoice& choice,
                                              int64_t ub_bytes, int64_t cores);

// The same for the largest part of dy that fits along the axis that the strategy cuts.
std::optional<MaxPoolGradTiling> FittedWithParts(const PoolGradProblem& problem,
                                                 const PoolGradBlockSizes& sizes, PoolGradStrategy strategy,
                                                 int64_t ub_bytes, int64_t cores,
                                                 int64_t x_rows = PoolGradChoice().x_rows);

// The tiling with the least of everything, which need not fit.
MaxPoolGradTiling SmallestPoolGradTiling(const PoolGradProblem& problem);

}  // namespace tilesim
