#include "ops/conv3d_backprop/filter_operator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/conv3d_backprop/backprop_filter_kernel.h"
#include "ops/conv3d_backprop/device_layout.h"
#include "ops/conv3d_backprop/filter_reference.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/conv3d_backprop/least_work.h"
#include "ops/harness/comparison.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {

std::vector<OperatorTensor> FilterOperator::Inputs() const {
  return {{"x", problem_.dtype, problem_.XLayout(), DeviceXLayout(problem_)},
          {"dy", problem_.dtype, problem_.DyLayout(), DeviceDyLayout(problem_)}};
}

std::vector<OperatorTensor> FilterOperator::Outputs() const {
  return {{"dw", DType::kFp32, problem_.FilterLayout(), DeviceFilterLayout(problem_)}};
}

Plan FilterOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  return AnyPlan(PlanFilter(problem_, planner, soc, cores));
}

Plan FilterOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const {
  const FilterTilingText read = ParseFilterTiling(json, where);
  return AnyPlan(read.split ? CheckFilterTiling(problem_, {read.data, *read.split}, soc, cores)
                            : CheckFilterData(problem_, read.data, soc, cores));
}

void FilterOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<FilterTiling>(plan.tiling);
  const bool fill = start_ == FilterStart::kZeroed;
  switch (problem_.dtype) {
    case DType::kFp16:
      return BackpropFilterKernel<half>().Process(gm[0], gm[1], gm[2], tiling, fill);
    case DType::kBf16:
      return BackpropFilterKernel<bfloat16_t>().Process(gm[0], gm[1], gm[2], tiling, fill);
    default:
      return BackpropFilterKernel<float>().Process(gm[0], gm[1], gm[2], tiling, fill);
  }
}

std::vector<Truth> FilterOperator::Reference(std::span<const Tensor> inputs, int threads) const {
  FilterReference reference = ReferenceFilterGradient(problem_, inputs[0], inputs[1], threads);
  std::vector<Truth> truths;
  truths.push_back({.values = std::move(reference.dw),
                    .absdot = std::move(reference.absdot),
                    .products = static_cast<double>(reference.products),
                    .nan_on_device = PaddingMeetsNonFinite(problem_, inputs[1]),
                    .nan_because = "padding: 0 times inf or NaN of dy"});
  return truths;
}

Rule FilterOperator::RuleOf(const Plan& plan, const Truth& truth) const {
  const TConv3DBpFilterTiling& data = std::get<FilterTiling>(plan.tiling).data.dwTiling;
  const double chain =
      std::min(truth.products, static_cast<double>(data.singleCoreHo) * static_cast<double>(data.wo));
  return RuleOfChains(chain, std::ceil(truth.products / std::max(chain, 1.0)), truth.products);
}

Work FilterOperator::LeastWork(const SocConfig& soc) const { return LeastFilterWork(problem_, soc); }

OperatorRun RunFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc, Tensor x,
                      Tensor dy, const RunOptions& options) {
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(x));
  inputs.push_back(std::move(dy));
  return RunOperator(FilterOperator(problem), AnyPlan(plan), soc, std::move(inputs), options);
}

LaunchResult TimeFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc,
                        const RunOptions& options) {
  return TimeOperator(FilterOperator(problem), AnyPlan(plan), soc, options);
}

}  // namespace tilesim
