#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_estimate.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it should cost, and why it was taken; or why nothing fits.
struct FilterOpPlan {
  bool legal = false;
  FilterTiling tiling;
  FilterEstimate estimate;
  std::vector<std::string> explanation;  // of a legal plan: what was chosen over what
  Rejections not_larger;                 // of a legal plan: what stops each size from being one step larger
  Rejections reasons;                    // of none: every rule that stops it, with a near value that fits
  int64_t tried = 0;                     // tilings whose time was estimated
  double steps = 0;                      // that the estimates played: with `tried`, what planning cost
};

// The default planner: deals the work over all cores, uses all of L1, and takes the tiling with the least
// estimated time among many. Never returns one that WhyNot refuses. `cores` is at least 1.
FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
