#pragma once

#include <cstdint>
#include <vector>

#include "formats/tensor.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim {

// Max pooling and its gradient straight from their definitions: the independent truth that tile programs are
// compared with. Each window is walked tap by tap in row-major order (the tile programs go axis by axis), and
// only where it meets the input. Knows no tile and no simulator. All vectors are in canonical order,
// (n,c,d,h,w) or (n,c,h,w), row-major. No result depends on the number of threads; 0 takes all of the
// machine's.

struct PoolReference {
  std::vector<double> y;
  std::vector<double> argmax;  // in the problem's order; -1 where there is none
};

// x: of the problem's dtype and logical extents, in any layout.
PoolReference ReferenceMaxPool(const PoolProblem& problem, const Tensor& x, int threads = 0);

// dx[n,c,i] = sum of dy[n,c,o] over the outputs o whose argmax is i, in the order of o.
struct PoolGradReference {
  std::vector<double> dx;      // summed in double
  std::vector<double> absdot;  // sum of |dy|
  int64_t products = 0;        // largest number of outputs that meet in one element
};

// argmax: int32, in the problem's order, each of its own window or -1 (see WhyNotArgmax).
PoolGradReference ReferenceMaxPoolGrad(const PoolProblem& problem, const Tensor& dy, const Tensor& argmax,
                                       int threads = 0);
// With the argmax of x.
PoolGradReference ReferenceMaxPoolGradOfInput(const PoolProblem& problem, const Tensor& dy, const Tensor& x,
                                              int threads = 0);

}  // namespace tilesim
