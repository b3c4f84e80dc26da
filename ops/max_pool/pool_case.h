#pragma once

#include "ops/case_cells.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim {

// The pooling that a case's cells ask for, checked whole; throws RefusedInput with the column at fault. Knows
// no file and no tensor.
PoolProblem ReadPoolProblem(const CaseCells& cells, bool is_2d);

}  // namespace tilesim
