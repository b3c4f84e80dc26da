#include "ops/elementwise/elementwise_reference.h"

#include <cstdint>

namespace tilesim {
namespace {

double Sum(double a, double b, DType dtype) {
  if (dtype == DType::kInt32) {
    const auto wrapped =
        static_cast<uint32_t>(static_cast<int64_t>(a)) + static_cast<uint32_t>(static_cast<int64_t>(b));
    return static_cast<double>(static_cast<int32_t>(wrapped));
  }
  return a + b;
}

}  // namespace

std::vector<double> ReferenceElementwise(const ElementwiseProblem& problem, std::span<const Tensor> inputs) {
  const Layout layout = problem.TensorLayout();
  std::vector<double> values(static_cast<size_t>(layout.LogicalElements()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (problem.op == ElementwiseOp::kMemSet) {
      values[i] = problem.value;
      continue;
    }
    const std::vector<int64_t> coord = layout.Coord(static_cast<int64_t>(i));
    values[i] = inputs[0].Get(coord);
    if (problem.op == ElementwiseOp::kAdd) {
      values[i] = Sum(values[i], inputs[1].Get(coord), problem.dtype);
    }
  }
  return values;
}

}  // namespace tilesim
