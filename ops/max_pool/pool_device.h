#pragma once

#include <string>

#include "formats/layout.h"
#include "ops/max_pool/pool_problem.h"
#include "tiling/max_pool/pool_shape.h"

namespace tilesim {

// The problem as the planners of its tile programs see it. Axes of one position come first, for a tile
// program takes many points along W at once: a column becomes a row. Indices of the argmax are the same.
PoolShape ToPoolShape(const PoolProblem& problem);

// What a plan says where axes were moved: the extents of x as its tiling data has them. "" where none were.
std::string MovedAxes(const PoolProblem& problem);

// How tensors lie on the device: as the user gives them, with D = 1 in 2D.
Layout DeviceXLayout(const PoolProblem& problem);  // of dx too
Layout DeviceYLayout(const PoolProblem& problem);  // of argmax and dy too

// Elements of x that some window reads, of all n and c.
int64_t ElementsRead(const PoolProblem& problem);

// Outputs whose windows lie wholly in the padding, or hold the input between their taps: all n and c.
int64_t WindowsOfPadding(const PoolProblem& problem);

}  // namespace tilesim
