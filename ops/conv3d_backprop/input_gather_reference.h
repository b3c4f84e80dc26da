#pragma once

#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// The input gradient a second time, by another road: each output gathers its products as a convolution of
// stride 1 of dy, with stride - 1 zeros put between its elements and padded, with the filter reversed along
// each axis and its channels exchanged. Shares nothing with ReferenceInputGradient, which scatters; see
// docs/backprop_input.md for why both are right. Plain and slow. In double, in canonical order (n,c,d,h,w) or
// (n,c,h,w); the products of an output come in the order of o, then of the reversed taps.
std::vector<double> GatherInputGradient(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter);

}  // namespace tilesim
