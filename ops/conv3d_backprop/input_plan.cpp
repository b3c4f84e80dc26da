#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/plans/plan_cost.h"
#include "ops/plans/plan_of_op.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {

InputPlan PlanInput(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores) {
  const InputProblem input = ToInputProblem(problem);
  if (planner == PlannerKind::kOp) {
    const InputOperator op(problem);
    const CostModel<InputTiling> cost = Remembering(CostModelOf<InputTiling>(op, soc));
    return PlanOfOp(PlanInputOp(input, soc, cores, cost));
  }
  const CoreMemory memory = CoreMemoryOf(soc);
  return PlanOfApi<InputTiling>(PlanInputApi(input, memory), input, memory, cores);
}

InputPlan CheckInputTiling(const Conv3dProblem& problem, const InputTiling& tiling, const SocConfig& soc,
                           int64_t cores) {
  return PlanOfGiven(tiling, ToInputProblem(problem), CoreMemoryOf(soc), cores);
}

InputPlan CheckInputData(const Conv3dProblem& problem, const Conv3DBackpropInputTilingData& data,
                         const SocConfig& soc, int64_t cores) {
  return PlanOfGivenData<InputTiling>(data, ToInputProblem(problem), CoreMemoryOf(soc), cores);
}

}  // namespace tilesim
