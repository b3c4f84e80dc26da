#pragma once
#include "tiling/conv_backprop/api_plan.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/core_memory.h"

namespace tilesim {

using FilterApiPlan = ApiPlan<Conv3DBackpropFilterTilingData>;

// The planner that answers as the shipped GetTiling does for fp16 and bf16, defects included. Knows nothing
// of core counts: it plans one core's task. Only refuses what the shipped one refuses, and dtypes other than
// those.
FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory);

}  // namespace tilesim
