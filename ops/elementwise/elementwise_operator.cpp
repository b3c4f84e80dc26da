#include "ops/elementwise/elementwise_operator.h"

#include <cstring>
#include <string>
#include <utility>

#include "ops/cases/width_type.h"
#include "ops/elementwise/add_kernel.h"
#include "ops/elementwise/copy_kernel.h"
#include "ops/elementwise/elementwise_reference.h"
#include "ops/elementwise/mem_set_kernel.h"
#include "tiling/elementwise/elementwise_planner.h"

namespace tilesim {
namespace {

ElementwiseShape ShapeOf(const ElementwiseProblem& problem) {
  return {.kind = static_cast<ElementwiseKind>(problem.op),
          .dtype = problem.dtype,
          .elements = problem.Elements()};
}
static_assert(static_cast<int>(ElementwiseKind::kAdd) == static_cast<int>(ElementwiseOp::kAdd) &&
              static_cast<int>(ElementwiseKind::kMemSet) == static_cast<int>(ElementwiseOp::kMemSet));

Plan Judged(const ElementwiseTiling& tiling, const ElementwiseShape& shape, std::string_view planner,
            const SocConfig& soc, int64_t cores) {
  PlanWith<ElementwiseTiling> plan{.tiling = tiling, .planner = std::string(planner), .reasons = {}};
  plan.reasons = SentencesOf(WhyNot(tiling, shape, soc.ub_bytes, cores));
  plan.legal = plan.reasons.empty();
  if (plan.legal) {
    plan.why = Explained(tiling, shape, soc.ub_bytes);
  }
  return {std::move(plan), true};
}

uint64_t BitsOfValue(const ElementwiseProblem& problem) {
  return VisitDType(problem.dtype, [&]<class T>(TypeTag<T>) {
    const T value = problem.ValueAs<T>();
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  });
}

void Add(DType dtype, std::span<uint8_t* const> gm, const ElementwiseTiling& tiling) {
  switch (dtype) {
    case DType::kFp16:
      return AddKernel<half>().Process(gm[0], gm[1], gm[2], tiling);
    case DType::kBf16:
      return AddKernel<bfloat16_t>().Process(gm[0], gm[1], gm[2], tiling);
    case DType::kInt32:
      return AddKernel<int32_t>().Process(gm[0], gm[1], gm[2], tiling);
    default:
      return AddKernel<float>().Process(gm[0], gm[1], gm[2], tiling);
  }
}

}  // namespace

std::vector<OperatorTensor> ElementwiseOperator::Inputs() const {
  const Layout layout = problem_.TensorLayout();
  switch (problem_.op) {
    case ElementwiseOp::kMemSet:
      return {};
    case ElementwiseOp::kAdd:
      return {{"x1", problem_.dtype, layout, layout}, {"x2", problem_.dtype, layout, layout}};
    case ElementwiseOp::kCopy:
      break;
  }
  return {{"x", problem_.dtype, layout, layout}};
}

std::vector<OperatorTensor> ElementwiseOperator::Outputs() const {
  return {{"y", problem_.dtype, problem_.TensorLayout(), problem_.TensorLayout()}};
}

Plan ElementwiseOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  if (planner == PlannerKind::kApi) {
    PlanWith<ElementwiseTiling> none{
        .tiling = {},
        .planner = "api",
        .reasons = {"planner: api: the vendor ships no tiling class for copy, mem_set "
                    "and add; planner op plans it"}};
    return {std::move(none), false};
  }
  const ElementwiseShape shape = ShapeOf(problem_);
  return Judged(PlanElementwiseTiles(shape, soc, cores), shape, "op", soc, cores);
}

Plan ElementwiseOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                                    int64_t cores) const {
  return Judged(ParseTiling<ElementwiseTiling>(json, where), ShapeOf(problem_), "given", soc, cores);
}

void ElementwiseOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<ElementwiseTiling>(plan.tiling);
  if (problem_.op == ElementwiseOp::kAdd) {
    return Add(problem_.dtype, gm, tiling);
  }
  VisitWidth(SizeOf(problem_.dtype), [&]<class T>(TypeTag<T>) {
    if (problem_.op == ElementwiseOp::kCopy) {
      CopyKernel<T>().Process(gm[0], gm[1], tiling);
    } else {
      MemSetKernel<T>().Process(gm[0], BitsOfValue(problem_), tiling);
    }
  });
}

std::vector<Truth> ElementwiseOperator::Reference(std::span<const Tensor> inputs, int /*threads*/) const {
  std::vector<Truth> truths(1);
  if (problem_.dtype == DType::kInt64) {
    truths[0].wholes = ReferenceElementwise<int64_t>(problem_, inputs);
  } else {
    truths[0].values = ReferenceElementwise<double>(problem_, inputs);
  }
  return truths;
}

// A sum of two is rounded once, in bf16 after an exact one in fp32: as the sum in double is.
Rule ElementwiseOperator::RuleOf(const Plan& /*plan*/, const Truth& /*truth*/) const { return Rule::kExact; }

Work ElementwiseOperator::LeastWork(const SocConfig& /*soc*/) const {
  const int64_t bytes = problem_.Elements() * static_cast<int64_t>(SizeOf(problem_.dtype));
  return {.cube_cycles = 0,
          .gm_read_bytes = bytes * static_cast<int64_t>(Inputs().size()),
          .gm_write_bytes = bytes};
}

}  // namespace tilesim
