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

// The two ways by themselves, for who compares them: the fastest blocks of dx; and, of a problem whose argmax
// is computed, the fastest pooling, the meeting of all cores and the fastest gradient of a given argmax. As
// runs of one core tell, else by what the busiest core does at least. Of problems that WhyNot does not
// refuse, on at least one core; without sentences.
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
