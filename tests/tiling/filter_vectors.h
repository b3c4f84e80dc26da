#pragma once
#include <string>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"
#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// One recorded answer of the shipped planner.
struct FilterVector {
  std::string id;
  FilterProblem problem;
  bool accepted = false;
  std::string flags;  // in the file's words, parted by blanks; "?" where none were recorded
  Conv3DBackpropFilterTilingData data;
};

// tests/data/filter_api_planner.csv; throws when the file is not as its own header says.
std::vector<FilterVector> ReadFilterVectors();

}  // namespace tilesim::testing
