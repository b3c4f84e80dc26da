#include "ops/max_pool/max_pool_grad_operator.h"

#include <optional>
#include <utility>
#include <variant>

#include "formats/half.h"
#include "ops/cases/refusal.h"
#include "ops/harness/comparison.h"
#include "ops/max_pool/max_pool_grad_run.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_argmax.h"
#include "ops/max_pool/pool_device.h"
#include "ops/max_pool/pool_plan.h"
#include "ops/max_pool/pool_reference.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

Plan AsPlan(MaxPoolGradPlan plan) {
  const bool planned = plan.tiling.data.baseWo != 0;
  return {std::move(plan), planned};
}

bool IsInTwoPhases(const Plan& plan) {
  const auto* const tiling = std::get_if<MaxPoolGradTiling>(&plan.tiling);
  return tiling != nullptr && tiling->pooling.has_value();
}

}  // namespace

PoolGradProblem ToPoolGradProblem(const PoolProblem& problem, ArgmaxSource source) {
  return {.shape = ToPoolShape(problem), .recomputes = source == ArgmaxSource::kX};
}

MaxPoolGradPlan PlanMaxPoolGrad(const PoolProblem& problem, ArgmaxSource source, PlannerKind planner,
                                const SocConfig& soc, int64_t cores) {
  return SayingMovedAxes(problem, PlanOfPooling<MaxPoolGradTiling>(planner, [&] {
                           const MaxPoolGradOperator op(problem, source);
                           const MaxPoolOperator pooling(problem);
                           const MaxPoolGradOperator of_argmax(problem, ArgmaxSource::kGiven);
                           return PlanMaxPoolGradOp(
                               ToPoolGradProblem(problem, source), soc, cores,
                               {.gradient = PoolCostOf<MaxPoolGradTiling>(op, soc),
                                .first_phase = PoolCostOf<MaxPoolTiling>(pooling, soc),
                                .second_phase = PoolCostOf<MaxPoolGradTiling>(of_argmax, soc)});
                         }));
}

MaxPoolGradPlan CheckMaxPoolGradTiling(const PoolProblem& problem, ArgmaxSource source,
                                       const MaxPoolGradTiling& tiling, const SocConfig& soc, int64_t cores) {
  const PoolGradProblem grad = ToPoolGradProblem(problem, source);
  return SayingMovedAxes(problem, PlanOfGivenPooling(tiling, WhyNot(tiling, grad, soc.ub_bytes, cores),
                                                     [&] { return Explained(tiling, grad, soc.ub_bytes); }));
}

std::vector<OperatorTensor> MaxPoolGradOperator::Inputs() const {
  const OperatorTensor dy = {"dy", problem_.dtype, problem_.YLayout(), DeviceYLayout(problem_)};
  if (source_ == ArgmaxSource::kGiven) {
    return {dy, {"argmax", DType::kInt32, problem_.YLayout(), DeviceYLayout(problem_)}};
  }
  return {dy, {"x", problem_.dtype, problem_.XLayout(), DeviceXLayout(problem_)}};
}

std::vector<OperatorTensor> MaxPoolGradOperator::Outputs() const {
  return {{"dx", problem_.dtype, problem_.XLayout(), DeviceXLayout(problem_)}};
}

std::vector<OperatorTensor> MaxPoolGradOperator::Workspace(const Plan& plan) const {
  if (!IsInTwoPhases(plan)) {
    return {};
  }
  return {{"argmax", DType::kInt32, problem_.YLayout(), DeviceYLayout(problem_)}};
}

KernelType MaxPoolGradOperator::TypeOf(const Plan& plan) const {
  return IsInTwoPhases(plan) ? KernelType::kMixAiv1_0 : Type();
}

void MaxPoolGradOperator::CheckInputs(std::span<const Tensor> inputs) const {
  if (source_ == ArgmaxSource::kGiven) {
    if (std::optional<Refusal> refusal = WhyNotArgmax(problem_, inputs[1])) {
      throw RefusedInput(std::move(*refusal));
    }
  }
}

Plan MaxPoolGradOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  return AsPlan(PlanMaxPoolGrad(problem_, source_, planner, soc, cores));
}

Plan MaxPoolGradOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                                    int64_t cores) const {
  return AsPlan(CheckMaxPoolGradTiling(problem_, source_, ParseMaxPoolGradTiling(json, where), soc, cores));
}

void MaxPoolGradOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<MaxPoolGradTiling>(plan.tiling);
  switch (problem_.dtype) {
    case DType::kFp16:
      return RunMaxPoolGrad<Half>(source_, gm, tiling);
    case DType::kBf16:
      return RunMaxPoolGrad<BFloat16>(source_, gm, tiling);
    default:
      return RunMaxPoolGrad<float>(source_, gm, tiling);
  }
}

std::vector<Truth> MaxPoolGradOperator::Reference(std::span<const Tensor> inputs, int threads) const {
  PoolGradReference reference = source_ == ArgmaxSource::kGiven
                                    ? ReferenceMaxPoolGrad(problem_, inputs[0], inputs[1], threads)
                                    : ReferenceMaxPoolGradOfInput(problem_, inputs[0], inputs[1], threads);
  std::vector<Truth> truths(1);
  truths[0].values = std::move(reference.dx);
  truths[0].absdot = std::move(reference.absdot);
  truths[0].products = static_cast<double>(reference.products);
  return truths;
}

Rule MaxPoolGradOperator::RuleOf(const Plan& /*plan*/, const Truth& truth) const {
  // a sum of one term is that term
  return truth.products <= 1 ? Rule::kExact : RuleOfChains(truth.products, 1, truth.products);
}

Work MaxPoolGradOperator::LeastWork(const SocConfig& /*soc*/) const {
  const auto element_bytes = static_cast<int64_t>(SizeOf(problem_.dtype));
  const int64_t planes = problem_.batch * problem_.channels;
  const int64_t outputs =  // those that may give something to an element of x
      planes * problem_.out.d * problem_.out.h * problem_.out.w - WindowsOfPadding(problem_);
  const int64_t positions = planes * problem_.windows.in.d * problem_.windows.in.h * problem_.windows.in.w;
  const int64_t second = source_ == ArgmaxSource::kGiven ? outputs * static_cast<int64_t>(sizeof(int32_t))
                                                         : ElementsRead(problem_) * element_bytes;
  return {.cube_cycles = 0,
          .gm_read_bytes = outputs * element_bytes + second,
          .gm_write_bytes = positions * element_bytes};
}

}  // namespace tilesim
