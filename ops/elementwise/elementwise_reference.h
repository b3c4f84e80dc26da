#pragma once

#include <span>
#include <vector>

#include "formats/tensor.h"
#include "ops/elementwise/elementwise_problem.h"

namespace tilesim {

// The result by a plain loop, in row-major order. Sums are exact in double, whole numbers wrap around as the
// vector unit's do. V: int64_t of int64, which are not added, else double.
template <class V>
std::vector<V> ReferenceElementwise(const ElementwiseProblem& problem, std::span<const Tensor> inputs);

}  // namespace tilesim
