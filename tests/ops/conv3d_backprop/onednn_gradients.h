// The gradients of a convolution as oneDNN computes them, in f32: the second independent answer for tests.
#ifndef TILESIM_TESTS_OPS_CONV3D_BACKPROP_ONEDNN_GRADIENTS_H_
#define TILESIM_TESTS_OPS_CONV3D_BACKPROP_ONEDNN_GRADIENTS_H_

#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim::testing {

// Tensors are fp32 in any layout of the problem's extents; results in canonical order.
std::vector<double> OneDnnFilterGradient(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy);
std::vector<double> OneDnnInputGradient(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter);

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_CONV3D_BACKPROP_ONEDNN_GRADIENTS_H_
