#include "ops/tfjs/calls.h"

#include <string>
#include <utility>

#include "formats/error.h"
#include "ops/operator_run.h"
#include "sim/core/fault.h"

namespace tilesim::tfjs {

std::vector<Tensor> RunCall(std::string_view kernel, const Operator& op, std::vector<Tensor> inputs,
                            const Options& options) {
  const SocConfig soc = options.soc ? *options.soc : LoadSoc("ascend910b2");
  op.CheckInputs(inputs);
  const Plan plan = op.MakePlan(PlannerKind::kOp, soc, CoresOf(op, soc));
  std::string reasons;
  for (const std::string& reason : plan.reasons) {
    reasons += Say(reasons.empty() ? "" : "; ", reason);
  }
  RequireUser(plan.legal, kernel, ": no tiling fits this part: ", reasons);
  OperatorRun run = RunOperator(op, plan, soc, std::move(inputs),
                                {.mode = {.hazards = options.hazards}, .threads = options.threads});
  if (!run.launch.faults.empty()) {
    throw KernelFault(run.launch.faults.front());
  }
  if (options.launch != nullptr) {
    *options.launch = std::move(run.launch);
  }
  return std::move(run.outputs);
}

}  // namespace tilesim::tfjs
