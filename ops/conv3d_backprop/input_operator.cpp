#include "ops/conv3d_backprop/input_operator.h"

#include <utility>

#include "ops/conv3d_backprop/backprop_input_kernel.h"
#include "ops/conv3d_backprop/device_layout.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "ops/conv3d_backprop/least_work.h"
#include "ops/harness/comparison.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {

std::vector<OperatorTensor> InputOperator::Inputs() const {
  return {{"dy", problem_.dtype, problem_.DyLayout(), DeviceDyLayout(problem_)},
          {"w", problem_.dtype, problem_.FilterLayout(), DeviceFilterLayout(problem_)}};
}

std::vector<OperatorTensor> InputOperator::Outputs() const {
  return {{"dx", problem_.dtype, problem_.XLayout(), DeviceXLayout(problem_)}};
}

Plan InputOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  return AnyPlan(PlanInput(problem_, planner, soc, cores));
}

Plan InputOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                              int64_t cores) const {
  const InputTilingText read = ParseInputTiling(json, where);
  return AnyPlan(read.split ? CheckInputTiling(problem_, {read.data, *read.split}, soc, cores)
                            : CheckInputData(problem_, read.data, soc, cores));
}

void InputOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<InputTiling>(plan.tiling);
  switch (problem_.dtype) {
    case DType::kFp16:
      return BackpropInputKernel<half>().Process(gm[0], gm[1], gm[2], tiling);
    case DType::kBf16:
      return BackpropInputKernel<bfloat16_t>().Process(gm[0], gm[1], gm[2], tiling);
    default:
      return BackpropInputKernel<float>().Process(gm[0], gm[1], gm[2], tiling);
  }
}

std::vector<Truth> InputOperator::Reference(std::span<const Tensor> inputs, int threads) const {
  InputReference reference = ReferenceInputGradient(problem_, inputs[0], inputs[1], threads);
  std::vector<Truth> truths;
  truths.push_back(
      {.values = std::move(reference.dx),
       .absdot = std::move(reference.absdot),
       .products = static_cast<double>(reference.products),
       .nan_on_device = ZerosMeetNonFinite(problem_, inputs[0], inputs[1]),
       .nan_because = "zeros of padding, between strides and between merged groups: 0 times inf or NaN"});
  return truths;
}

// One chain: what one output is made of is added up in L0C by one core.
Rule InputOperator::RuleOf(const Plan& /*plan*/, const Truth& truth) const {
  return RuleOfChains(truth.products, 1, truth.products);
}

Work InputOperator::LeastWork(const SocConfig& soc) const { return LeastInputWork(problem_, soc); }

OperatorRun RunInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc, Tensor dy,
                     Tensor filter, const RunOptions& options) {
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(dy));
  inputs.push_back(std::move(filter));
  return RunOperator(InputOperator(problem), AnyPlan(plan), soc, std::move(inputs), options);
}

LaunchResult TimeInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc,
                       const RunOptions& options) {
  return TimeOperator(InputOperator(problem), AnyPlan(plan), soc, options);
}

}  // namespace tilesim
