// How a plan of a pooling is made, forward and gradient alike. Knows no rule and no planner itself.
#pragma once

#include <string>
#include <utility>

#include "ops/max_pool/pool_device.h"
#include "ops/operator.h"
#include "ops/plans/plan.h"
#include "ops/plans/plan_cost.h"
#include "ops/plans/plan_of_op.h"
#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/rejection.h"

namespace tilesim {

// The plan, which says where axes of the problem were moved.
template <class Tiling>
PlanWith<Tiling> SayingMovedAxes(const PoolProblem& problem, PlanWith<Tiling> plan) {
  if (std::string moved = MovedAxes(problem); !moved.empty()) {
    (plan.legal ? plan.why : plan.reasons).push_back(std::move(moved));
  }
  return plan;
}

// What a pooling's planner asks, which plans for several numbers of cores. Hardly an element is read twice.
template <class Tiling>
CostModel<Tiling> PoolCostOf(const Operator& op, const SocConfig& soc) {
  return Remembering(CostModelOf<Tiling>(op, soc, FoundInL2::kMovedBefore));
}

// What plan_op() answers, as a plan. The vendor ships no tiling class for pooling: planner `api` is refused
// by name.
template <class Tiling, class PlanOp>
PlanWith<Tiling> PlanOfPooling(PlannerKind planner, PlanOp&& plan_op) {
  if (planner == PlannerKind::kOp) {
    return PlanOfOp(plan_op());
  }
  PlanWith<Tiling> plan;
  plan.planner = "api";
  plan.reasons = {"planner: api: the vendor ships no tiling class for pooling; planner op plans it"};
  return plan;
}

// A tiling given by hand, which breaks the rules `reasons`; explained() where there are none.
template <class Tiling, class Explain>
PlanWith<Tiling> PlanOfGivenPooling(const Tiling& tiling, const Rejections& reasons, Explain&& explained) {
  PlanWith<Tiling> plan;
  plan.tiling = tiling;
  plan.planner = "given";
  plan.reasons = SentencesOf(reasons);
  plan.legal = plan.reasons.empty();
  if (plan.legal) {
    plan.why = explained();
  }
  return plan;
}

}  // namespace tilesim
