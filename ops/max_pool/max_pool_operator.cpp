#include "ops/max_pool/max_pool_operator.h"

#include <utility>

#include "ops/max_pool/max_pool_kernel.h"
#include "ops/max_pool/pool_device.h"
#include "ops/max_pool/pool_plan.h"
#include "ops/max_pool/pool_reference.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

Plan AsPlan(MaxPoolPlan plan) {
  const bool planned = plan.tiling.data.totalIdx != 0 || plan.legal;
  return {std::move(plan), planned};
}

}  // namespace

MaxPoolPlan PlanMaxPool(const PoolProblem& problem, PlannerKind planner, const SocConfig& soc,
                        int64_t cores) {
  return SayingMovedAxes(problem, PlanOfPooling<MaxPoolTiling>(planner, [&] {
                           const MaxPoolOperator op(problem);
                           return PlanMaxPoolOp(ToPoolShape(problem), soc, cores,
                                                PoolCostOf<MaxPoolTiling>(op, soc));
                         }));
}

MaxPoolPlan CheckMaxPoolTiling(const PoolProblem& problem, const MaxPoolTiling& tiling, const SocConfig& soc,
                               int64_t cores) {
  const PoolShape shape = ToPoolShape(problem);
  return SayingMovedAxes(problem, PlanOfGivenPooling(tiling, WhyNot(tiling, shape, soc.ub_bytes, cores),
                                                     [&] { return Explained(tiling, shape, soc.ub_bytes); }));
}

std::vector<OperatorTensor> MaxPoolOperator::Inputs() const {
  return {{"x", problem_.dtype, problem_.XLayout(), DeviceXLayout(problem_)}};
}

std::vector<OperatorTensor> MaxPoolOperator::Outputs() const {
  return {{"y", problem_.dtype, problem_.YLayout(), DeviceYLayout(problem_)},
          {"argmax", DType::kInt32, problem_.YLayout(), DeviceYLayout(problem_)}};
}

Plan MaxPoolOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  return AsPlan(PlanMaxPool(problem_, planner, soc, cores));
}

Plan MaxPoolOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                                int64_t cores) const {
  return AsPlan(CheckMaxPoolTiling(problem_, ParseTiling<MaxPoolTiling>(json, where), soc, cores));
}

void MaxPoolOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<MaxPoolTiling>(plan.tiling);
  switch (problem_.dtype) {
    case DType::kFp16:
      return MaxPoolKernel<half>().Process(gm[0], gm[1], gm[2], tiling);
    case DType::kBf16:
      return MaxPoolKernel<bfloat16_t>().Process(gm[0], gm[1], gm[2], tiling);
    default:
      return MaxPoolKernel<float>().Process(gm[0], gm[1], gm[2], tiling);
  }
}

std::vector<Truth> MaxPoolOperator::Reference(std::span<const Tensor> inputs, int threads) const {
  PoolReference reference = ReferenceMaxPool(problem_, inputs[0], threads);
  std::vector<Truth> truths(2);
  truths[0].values = std::move(reference.y);
  truths[1].values = std::move(reference.argmax);
  return truths;
}

int64_t MaxPoolOperator::MaximaOfNothing() const { return WindowsOfPadding(problem_); }

Rule MaxPoolOperator::RuleOf(const Plan& /*plan*/, const Truth& /*truth*/) const { return Rule::kExact; }

Work MaxPoolOperator::LeastWork(const SocConfig& /*soc*/) const {
  const auto element_bytes = static_cast<int64_t>(SizeOf(problem_.dtype));
  const int64_t outputs =
      problem_.batch * problem_.channels * problem_.out.d * problem_.out.h * problem_.out.w;
  return {.cube_cycles = 0,
          .gm_read_bytes = ElementsRead(problem_) * element_bytes,
          .gm_write_bytes = outputs * (element_bytes + static_cast<int64_t>(sizeof(int32_t)))};
}

}  // namespace tilesim
