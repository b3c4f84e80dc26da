#pragma once
#include "tiling/conv_backprop/api_plan.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/core_memory.h"

namespace tilesim {

using InputApiPlan = ApiPlan<Conv3DBackpropInputTilingData>;

// The planner that answers as the shipped GetTiling does for fp16 and bf16, defects included. A transposed
// convolution's di, hi and wi are computed, whatever stands there. The shipped planner plans for a 910B on
// every platform; `memory` only tells which results do not fit. Only refuses what the shipped one refuses or
// has no meaningful answer for, and dtypes other than those. The shipped planner never learns of more than
// one core; `cores` tells what it would answer if it did (singleCoreM alone depends on them), for a fair
// comparison.
InputApiPlan PlanInputApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores = 1);

}  // namespace tilesim
