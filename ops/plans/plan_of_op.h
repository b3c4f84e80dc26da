// What a planner `op` answers, as a plan: its reasons in sentences.
#pragma once

#include <string>

#include "ops/plans/plan.h"
#include "tiling/op_plan.h"
#include "tiling/rejection.h"

namespace tilesim {

template <class Tiling>
PlanWith<Tiling> PlanOfOp(const OpPlan<Tiling>& op) {
  PlanWith<Tiling> plan{
      .tiling = op.tiling, .legal = op.legal, .planner = "op", .reasons = SentencesOf(op.reasons), .why = {}};
  if (op.legal) {
    plan.why = op.explanation;
    for (const std::string& sentence : SentencesOf(op.not_larger)) {
      plan.why.push_back("not larger: " + sentence);
    }
  }
  return plan;
}

}  // namespace tilesim
