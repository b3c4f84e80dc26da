#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// One recorded answer of the shipped planner.
struct InputVector {
  std::string id;
  InputProblem problem;  // a transposed one without di, hi and wi
  bool accepted = false;
  bool flags_recorded = false;
  bool note_m = false;
  Conv3DBackpropInputTilingData data;
  std::optional<uint64_t> pixels_on_24_cores;  // singleCoreM of a planner made to plan for them
};

// tests/data/input_api_planner.csv; throws when the file is not as its own header says.
std::vector<InputVector> ReadInputVectors();

}  // namespace tilesim::testing
