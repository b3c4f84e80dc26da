#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_estimate.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it should cost, and why it was taken; or why nothing fits.
struct MatmulOpPlan {
  bool legal = false;
  MatmulTiling tiling;
  MatmulEstimate estimate;
  std::vector<std::string> explanation;  // of a legal plan
  Rejections not_larger;                 // of a legal plan: what stops each size from being one step larger
  Rejections reasons;                    // of none: every rule that stops the smallest
  int64_t tried = 0;                     // tilings whose time was estimated
};

// Cuts M, N and, where C is fp32, K over up to `cores` cores: of the grids, base blocks and steps that fit,
// those with the least estimated time. Never returns a tiling that WhyNot refuses. `cores` is at least 1.
MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores);

// What a legal tiling does, in sentences: tasks and cores, blocks, what they take of each memory, the
// estimate.
std::vector<std::string> Explained(const MatmulTiling& tiling, const MatmulShape& shape,
                                   const SocConfig& soc);

}  // namespace tilesim
