#pragma once

#include <vector>

#include "formats/tensor.h"
#include "ops/matmul/matmul_problem.h"

namespace tilesim {

struct MatmulReference {
  std::vector<double> c;
  std::vector<double> absdot;  // sums of absolute products
};

// A direct loop in double. Knows no tile and no rounding of C; with hf32 it rounds A and B as the cube does.
MatmulReference ReferenceMatmul(const MatmulProblem& problem, const Tensor& a, const Tensor& b, int threads);

}  // namespace tilesim
