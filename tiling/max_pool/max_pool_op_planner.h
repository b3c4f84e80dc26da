#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_estimate.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it should cost, and why it was taken; or why nothing fits.
struct MaxPoolOpPlan {
  bool legal = false;
  MaxPoolTiling tiling;
  MaxPoolEstimate estimate;
  std::vector<std::string> explanation;  // of a legal plan
  Rejections not_larger;                 // of a legal plan: what stops each size from being one step larger
  Rejections reasons;                    // of none: every rule that stops it
  int64_t tried = 0;                     // tilings whose time was estimated
};

// Blocks of outputs over `cores` vector cores: of those that fit UB the ones with the least estimated time.
// Where not even one output fits with the rows of its window, these come in parts. Never returns a tiling
// that WhyNot refuses. `cores` is at least 1.
MaxPoolOpPlan PlanMaxPoolOp(const PoolShape& shape, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
