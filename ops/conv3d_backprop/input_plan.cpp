#include "ops/conv3d_backprop/input_operator.h"
#include "tiling/conv_backprop/input_api_planner.h"
#include "tiling/conv_backprop/input_legality.h"
#include "tiling/conv_backprop/input_op_planner.h"
#include "tiling/core_memory.h"

namespace tilesim {
namespace {

void AddReasons(InputPlan& plan, const Rejections& rejections) {
  for (const Rejection& rejection : rejections) {
    plan.reasons.push_back(Sentence(rejection));
  }
}

InputPlan PlanApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores) {
  const InputApiPlan api = PlanInputApi(problem, memory);
  InputPlan plan;
  plan.planner = "api";
  if (!api.accepted) {
    AddReasons(plan, api.reasons);
    return plan;
  }
  plan.tiling = {.data = api.data, .split = DealOut(problem, api.data.conv3DDxTiling, cores)};
  for (const RaisedInputFlag& raised : api.flags) {
    plan.reasons.push_back(Sentence(raised));
  }
  const Rejections rejections = WhyNot(plan.tiling, problem, memory, cores);
  AddReasons(plan, rejections);
  plan.legal = api.legal() && rejections.empty();
  return plan;
}

InputPlan PlanOp(const InputProblem& problem, const SocConfig& soc, int64_t cores) {
  const InputOpPlan op = PlanInputOp(problem, soc, cores);
  InputPlan plan{.tiling = op.tiling, .legal = op.legal, .planner = "op", .reasons = op.explanation};
  AddReasons(plan, op.legal ? op.not_larger : op.reasons);
  return plan;
}

}  // namespace

InputPlan PlanInput(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores) {
  const InputProblem input = ToInputProblem(problem);
  return planner == PlannerKind::kApi ? PlanApi(input, CoreMemoryOf(soc), cores) : PlanOp(input, soc, cores);
}

InputPlan CheckInputTiling(const Conv3dProblem& problem, const InputTiling& tiling, const SocConfig& soc,
                           int64_t cores) {
  InputPlan plan;
  plan.planner = "given";
  plan.tiling = tiling;
  const Rejections rejections = WhyNot(tiling, ToInputProblem(problem), CoreMemoryOf(soc), cores);
  AddReasons(plan, rejections);
  plan.legal = rejections.empty();
  return plan;
}

}  // namespace tilesim
