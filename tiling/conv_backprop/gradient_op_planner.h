#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/cost_model.h"
#include "tiling/op_plan.h"

namespace tilesim {

using FilterOpPlan = OpPlan<FilterTiling>;
using InputOpPlan = OpPlan<InputTiling>;

// The default planner: deals the work over all cores, or over fewer where that is faster, uses all of L1,
// and takes, of the tilings that promise most by sums, the fastest by `cost`; without one (an empty model)
// what promises most. Never returns one that WhyNot refuses. `cores` is at least 1.
FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                          const CostModel<FilterTiling>& cost = {});
InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                        const CostModel<InputTiling>& cost = {});

}  // namespace tilesim
