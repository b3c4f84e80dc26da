#pragma once

#include "ops/cases/case_cells.h"
#include "ops/cases/refusal.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim {

// Reads each cell of a pooling by itself, as if all others were plain, and keeps what is refused; a required
// cell may be empty.
void CheckPoolCells(const CaseCells& cells, bool is_2d, Refusals& refusals);

// The pooling that a case's cells ask for, checked whole; throws RefusedInput with the column at fault. Knows
// no file and no tensor.
PoolProblem ReadPoolProblem(const CaseCells& cells, bool is_2d);

}  // namespace tilesim
