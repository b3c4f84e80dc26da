#pragma once

#include "ops/case_cells.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// The convolution that a case's cells ask for, checked whole; throws RefusedInput with the column at fault.
// Knows no file and no tensor.
Conv3dProblem ReadConv3dProblem(const CaseCells& cells, bool is_2d);

}  // namespace tilesim
