#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/op_plan.h"

namespace tilesim {

using PoolGradOpPlan = OpPlan<MaxPoolGradTiling>;

// What tilings of a gradient take; and of one in two phases, what each of these takes by itself.
struct PoolGradCost {
  CostModel<MaxPoolGradTiling> gradient = {};
  CostModel<MaxPoolTiling> first_phase = {};
  CostModel<MaxPoolGradTiling> second_phase = {};
};

// The blocks of dx with the least that the busiest core does; and the planned pooling, the meeting of all
// cores and the planned gradient of a given argmax, of a problem whose argmax is computed. Either of problems
// that WhyNot does not refuse, on at least one core, as runs of one core tell. Without sentences.
PoolGradOpPlan PlanInOnePhase(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                              const PoolGradCost& cost = {});
PoolGradOpPlan PlanInTwoPhases(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                               const PoolGradCost& cost = {});

// Blocks of dx over up to `cores` vector cores: the fastest of those that fit UB, as `cost` tells; by what
// the busiest core does at least where it tells nothing. Where no block fits with all of dy that it needs, dy
// comes in parts. Where the argmax is computed, in two phases if these are faster. Never returns a tiling
// that WhyNot refuses.
PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                                 const PoolGradCost& cost = {});

}  // namespace tilesim
