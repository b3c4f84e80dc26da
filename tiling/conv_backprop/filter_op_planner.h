#pragma once
#include <cmath>
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/conv_backprop/gradient_op_plan.h"
#include "tiling/cost_model.h"

namespace tilesim {

using FilterOpPlan = GradientOpPlan<FilterTiling>;

// The default planner: deals the work over all cores, uses all of L1, and takes, of the tilings that promise
// most by sums, the fastest by `cost`; without one (an empty model) what promises most. Never returns one
// that WhyNot refuses. `cores` is at least 1. `most_cycles`: with the launch; where nothing that is found
// takes so few there is no plan, and no reason.
FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                          const CostModel<FilterTiling>& cost = {}, double most_cycles = INFINITY);

}  // namespace tilesim
