#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_tiling.h"
#include "tiling/cost_model.h"
#include "tiling/rejection.h"

namespace tilesim {

// A tiling that fits, what it should cost, and why it was taken; or why nothing fits.
struct InputOpPlan {
  bool legal = false;
  InputTiling tiling;
  double cycles = 0;                     // of the busiest core: simulated, or as far as that went
  std::optional<LaunchCost> cost;        // of the launch, where it was simulated
  std::vector<std::string> explanation;  // of a legal plan: what was chosen over what
  Rejections not_larger;                 // of a legal plan: what stops each size from being one step larger
  Rejections reasons;                    // of none: every rule that stops it, with a near value that fits
  int64_t tried = 0;                     // tilings that sums gave a time
};

// The default planner: deals the work over all cores, uses all of L1, and takes, of the tilings that promise
// most by sums, the fastest by `cost`; without one (an empty model) what promises most. Never returns one
// that WhyNot refuses. `cores` is at least 1.
InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                        const CostModel<InputTiling>& cost = {});

}  // namespace tilesim
