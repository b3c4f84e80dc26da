#pragma once

#include "ops/cases/case_cells.h"
#include "ops/cases/refusal.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// Reads each cell of a convolution by itself, as if all others were plain, and keeps what is refused; a
// required cell may be empty.
void CheckConv3dCells(const CaseCells& cells, bool is_2d, Refusals& refusals);

// The convolution that a case's cells ask for, checked whole; throws RefusedInput with the column at fault.
// Knows no file and no tensor.
Conv3dProblem ReadConv3dProblem(const CaseCells& cells, bool is_2d);

// The convolution whose input gradient a transposed convolution of three axes is: the extents of `output`,
// its operand, are given and those of `input`, its result, derived.
Conv3dProblem ReadTransposedProblem(const CaseCells& cells);

}  // namespace tilesim
