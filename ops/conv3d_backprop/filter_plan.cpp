#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/plans/plan_cost.h"
#include "ops/plans/plan_of_op.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {

FilterPlan PlanFilter(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc,
                      int64_t cores) {
  const FilterProblem filter = ToFilterProblem(problem);
  if (planner == PlannerKind::kOp) {
    const FilterOperator op(problem);
    const CostModel<FilterTiling> cost = Remembering(CostModelOf<FilterTiling>(op, soc));
    return PlanOfOp(PlanFilterOp(filter, soc, cores, cost));
  }
  const CoreMemory memory = CoreMemoryOf(soc);
  return PlanOfApi<FilterTiling>(PlanFilterApi(filter, memory), filter, memory, cores);
}

FilterPlan CheckFilterTiling(const Conv3dProblem& problem, const FilterTiling& tiling, const SocConfig& soc,
                             int64_t cores) {
  return PlanOfGiven(tiling, ToFilterProblem(problem), CoreMemoryOf(soc), cores);
}

FilterPlan CheckFilterData(const Conv3dProblem& problem, const Conv3DBackpropFilterTilingData& data,
                           const SocConfig& soc, int64_t cores) {
  return PlanOfGivenData<FilterTiling>(data, ToFilterProblem(problem), CoreMemoryOf(soc), cores);
}

}  // namespace tilesim
