// Max pooling and its gradient as oneDNN computes them, in f32: the second independent answer for tests.
#ifndef TILESIM_TESTS_OPS_MAX_POOL_ONEDNN_POOLING_H_
#define TILESIM_TESTS_OPS_MAX_POOL_ONEDNN_POOLING_H_

#include <vector>

#include "formats/tensor.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim::testing {

// Whether oneDNN takes it: pads below the window's span. (What it says of NaN, ties and windows of nothing
// but -inf is its own affair.)
bool OneDnnTakes(const PoolProblem& problem);

struct OneDnnPooling {
  std::vector<double> y;
  std::vector<double> dx;
};
// Tensors are fp32 in any layout of the problem's extents; results in canonical order.
OneDnnPooling OneDnnMaxPool(const PoolProblem& problem, const Tensor& x, const Tensor& dy);

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_MAX_POOL_ONEDNN_POOLING_H_
