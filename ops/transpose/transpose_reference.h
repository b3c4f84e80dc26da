#pragma once

#include <vector>

#include "formats/tensor.h"
#include "ops/transpose/transpose_problem.h"

namespace tilesim {

// y in row-major order, element by element.
std::vector<double> ReferenceTranspose(const TransposeProblem& problem, const Tensor& x);

}  // namespace tilesim
