#include "formats/error.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_legality.h"
#include "tiling/conv_backprop/filter_op_planner.h"
#include "tiling/core_memory.h"

namespace tilesim {
namespace {

void AddReasons(FilterPlan& plan, const Rejections& rejections) {
  for (const Rejection& rejection : rejections) {
    plan.reasons.push_back(Sentence(rejection));
  }
}

FilterPlan PlanApi(const FilterProblem& problem, const CoreMemory& memory, int64_t cores) {
  const FilterApiPlan api = PlanFilterApi(problem, memory);
  FilterPlan plan;
  plan.planner = "api";
  if (!api.accepted) {
    AddReasons(plan, api.reasons);
    return plan;
  }
  plan.tiling = {.data = api.data, .split = DealOut(problem, api.data.dwTiling, cores)};
  for (const ApiFlag flag : api.flags) {
    plan.reasons.emplace_back(Name(flag));
  }
  const Rejections rejections = WhyNot(plan.tiling, problem, memory, cores);
  AddReasons(plan, rejections);
  plan.legal = api.legal() && rejections.empty();
  return plan;
}

FilterPlan PlanOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  const FilterOpPlan op = PlanFilterOp(problem, soc, cores);
  FilterPlan plan{.tiling = op.tiling, .legal = op.legal, .planner = "op", .reasons = op.explanation};
  AddReasons(plan, op.legal ? op.not_larger : op.reasons);
  return plan;
}

}  // namespace

FilterPlan PlanFilter(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc,
                      int64_t cores) {
  const FilterProblem filter = ToFilterProblem(problem);
  return planner == PlannerKind::kApi ? PlanApi(filter, CoreMemoryOf(soc), cores)
                                      : PlanOp(filter, soc, cores);
}

FilterPlan CheckFilterTiling(const Conv3dProblem& problem, const FilterTiling& tiling, const SocConfig& soc,
                             int64_t cores) {
  FilterPlan plan;
  plan.planner = "given";
  plan.tiling = tiling;
  const Rejections rejections = WhyNot(tiling, ToFilterProblem(problem), CoreMemoryOf(soc), cores);
  AddReasons(plan, rejections);
  plan.legal = rejections.empty();
  return plan;
}

}  // namespace tilesim
