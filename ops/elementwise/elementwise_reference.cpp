#include "ops/elementwise/elementwise_reference.h"

#include <cstdint>
#include <type_traits>

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

// An element as it is: a double holds those of every type but int64.
template <class V>
V ElementAt(const Tensor& tensor, std::span<const int64_t> coord) {
  if constexpr (std::is_same_v<V, int64_t>) {
    return tensor.As<int64_t>()[static_cast<size_t>(tensor.layout().Offset(coord))];
  } else {
    return tensor.Get(coord);
  }
}

}  // namespace

template <class V>
std::vector<V> ReferenceElementwise(const ElementwiseProblem& problem, std::span<const Tensor> inputs) {
  const Layout layout = problem.TensorLayout();
  std::vector<V> values(static_cast<size_t>(layout.LogicalElements()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (problem.op == ElementwiseOp::kMemSet) {
      values[i] = problem.ValueAs<V>();
      continue;
    }
    const std::vector<int64_t> coord = layout.Coord(static_cast<int64_t>(i));
    values[i] = ElementAt<V>(inputs[0], coord);
    if constexpr (std::is_same_v<V, double>) {
      if (problem.op == ElementwiseOp::kAdd) {
        values[i] = Sum(values[i], inputs[1].Get(coord), problem.dtype);
      }
    }
  }
  return values;
}

template std::vector<double> ReferenceElementwise(const ElementwiseProblem& problem,
                                                  std::span<const Tensor> inputs);
template std::vector<int64_t> ReferenceElementwise(const ElementwiseProblem& problem,
                                                   std::span<const Tensor> inputs);

}  // namespace tilesim
