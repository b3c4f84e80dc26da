#pragma once

#include "ops/conv3d_backprop/conv3d_problem.h"
#include "sim/core/summary.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What every tiling of the filter gradient has to do at least: each fractal multiplied once, each line of x
// that a window reaches and each of dy read once, dw written once. Knows no tiling.
Work LeastFilterWork(const Conv3dProblem& problem, const SocConfig& soc);

// The same of the input gradient: for each tap the pixels of dy it meets, dy and the filter read once where
// some output needs them, dx written once. Zeros between strides are not counted: a tiling may leave them
// out.
Work LeastInputWork(const Conv3dProblem& problem, const SocConfig& soc);

}  // namespace tilesim
