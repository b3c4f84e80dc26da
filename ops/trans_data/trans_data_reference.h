#pragma once

#include <vector>

#include "formats/tensor.h"
#include "ops/trans_data/trans_data_problem.h"

namespace tilesim {

// The tensor in the format that is asked for, padding 0, element by element: as its output is stored where
// that is blocked, in canonical order where it is plain. x is stored as the problem says.
std::vector<double> ReferenceTransData(const TransDataProblem& problem, const Tensor& x);

}  // namespace tilesim
