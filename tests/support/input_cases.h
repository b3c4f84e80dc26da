// Small input gradients with tilings written by hand, chosen so that between them every path of the tile
// program runs.
#pragma once

#include <string>
#include <vector>

#include "ops/cases/case_cells.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "tests/support/filter_cases.h"

namespace tilesim::testing {

// What a test fixes of a tiling; the rest follows from the problem.
struct HandInputTiling {
  uint32_t base_m = 16;
  uint32_t base_n = 16;
  uint32_t k_lines = 1;  // lines of cout1 in baseK
  uint32_t k_parts = 1;  // or parts of one, where they divide the taps
  uint32_t step_ka = 1;  // lines in L1, in k_lines
  uint32_t step_kb = 1;
  uint32_t l0_buffers = 2;
  uint32_t c_buffers = 1;
  uint32_t a1_buffers = 2;
  uint32_t b1_buffers = 2;
  uint32_t order = 1;
  int64_t single_rows = 0;   // 0: all of M
  int64_t single_lines = 0;  // of cin1; 0: all of N
  int64_t single_dins = 1;
  InputStrategy strategy = InputStrategy::kBasicBlock;
  int64_t cores = 1;
};

struct InputCase {
  std::string name;
  Conv3dProblem problem;
  HandInputTiling tiling;
};

InputPlan MakeInputPlan(const Conv3dProblem& problem, const HandInputTiling& tiling);

// Cases that together reach every synchronising call of the tile program.
std::vector<InputCase> InputSynchronisationCases();

// A row of a case file of input gradients.
struct InputRow {
  std::string id;
  Conv3dProblem problem;
  CaseCells cells;
};
std::vector<InputRow> ReadInputRows(const std::string& path);

// Random dy and filter of the problem, plain layouts. Small whole numbers where `whole`: sums are then exact.
struct InputInputs {
  Tensor dy;
  Tensor filter;
};
InputInputs MakeInputInputs(const Conv3dProblem& problem, uint64_t seed, bool whole);

}  // namespace tilesim::testing
