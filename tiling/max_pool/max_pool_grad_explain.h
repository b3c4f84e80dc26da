#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// What a tiling does, in sentences: tasks and cores, the block, and what UB holds.
std::vector<std::string> Explained(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling,
                                   int64_t ub_bytes);

// For each size of the block, and what goes out at a time: the rule that stops it from being one step larger.
// Sizes that could be larger are left out: the planner found no use for it.
Rejections NotLarger(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, int64_t ub_bytes,
                     int64_t cores);

}  // namespace tilesim
