// Planner `op` of poolings and of their gradients.
#pragma once

#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/op_plan.h"

namespace tilesim {

using MaxPoolOpPlan = OpPlan<MaxPoolTiling>;
using PoolGradOpPlan = OpPlan<MaxPoolGradTiling>;

// What tilings of a gradient take; and of one in two phases, what each of these takes by itself.
struct PoolGradCost {
  CostModel<MaxPoolGradTiling> gradient = {};
  CostModel<MaxPoolTiling> first_phase = {};
  CostModel<MaxPoolGradTiling> second_phase = {};
};

// Blocks over up to `cores` vector cores: the fastest of those that fit UB, as `cost` tells; by what the
// busiest core does at least where it tells nothing. Never returns a tiling that WhyNot refuses. Where not
// even one output fits with the rows of its window, these come in parts; where no block of dx fits with all
// of dy that it needs, dy does. A gradient whose argmax is computed is planned in two phases if these are
// faster.
MaxPoolOpPlan PlanMaxPoolOp(const PoolShape& shape, const SocConfig& soc, int64_t cores,
                            const CostModel<MaxPoolTiling>& cost = {});
PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                                 const PoolGradCost& cost = {});

// The gradient's two ways by themselves, for who compares them: the fastest blocks of dx; and, of a problem
// whose argmax is computed, the fastest pooling, the meeting of all cores and the fastest gradient of a given
// argmax. As runs of one core tell, of problems that WhyNot does not refuse, without sentences.
PoolGradOpPlan PlanInOnePhase(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                              const PoolGradCost& cost = {});
PoolGradOpPlan PlanInTwoPhases(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                               const PoolGradCost& cost = {});

}  // namespace tilesim
