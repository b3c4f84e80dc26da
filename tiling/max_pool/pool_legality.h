// Which rules a tiling of a pooling or of its gradient breaks, and what a legal one does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// What the rejection for want of UB names: no one field is to blame.
inline constexpr std::string_view kUbField = "UB";

// Every rule that the tiling breaks, on `cores` vector cores with `ub_bytes` of UB each; of two phases those
// of the first one first. Empty when it is legal; and it is, where anything fits UB, once all mends are
// followed. To add a rule: a row of its table or a function beside the others, a refused and an accepted case
// in its test.
Rejections WhyNot(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes, int64_t cores);
Rejections WhyNot(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes,
                  int64_t cores);
// What the gradient's tile program cannot take, whatever the tiling.
Rejections WhyNot(const PoolGradProblem& problem);

// What a legal tiling does, in sentences: the blocks and their cores, the loads, what they take of UB.
std::vector<std::string> Explained(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes);
std::vector<std::string> Explained(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                                   int64_t ub_bytes);

// For each size the rule that stops it from being one step larger, the rest as it is. Sizes that could be
// larger are left out: the planner found no use for it.
Rejections NotLarger(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes);
Rejections NotLarger(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem, int64_t ub_bytes);

}  // namespace tilesim
