#pragma once

#include <vector>

#include "formats/tensor.h"
#include "ops/transpose/transpose_problem.h"

namespace tilesim {

// y in row-major order, element by element, as doubles or, of whole types, int64_t.
template <class V>
std::vector<V> ReferenceTranspose(const TransposeProblem& problem, const Tensor& x);

}  // namespace tilesim
