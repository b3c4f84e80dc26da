// Small filter gradients with tilings written by hand, chosen so that between them every path of the tile
// program runs.
#pragma once

#include <string>
#include <vector>

#include "ops/conv3d_backprop/filter_operator.h"

namespace tilesim::testing {

// What a test fixes of a tiling; the rest follows from the problem.
struct HandTiling {
  uint32_t base_m = 16;
  uint32_t base_n = 16;
  uint32_t base_k = 16;
  uint32_t step_m = 1;
  uint32_t step_n = 1;
  uint32_t step_ka = 1;
  uint32_t step_kb = 1;
  uint32_t l0_buffers = 2;
  uint32_t c_buffers = 2;
  uint32_t a1_buffers = 2;
  uint32_t b1_buffers = 2;
  uint32_t order = 0;
  uint32_t single_m = 0;    // 0: all of M
  uint32_t single_ho = 0;   // 0: all rows
  uint32_t single_cin = 0;  // 0: all of N
  int64_t cores = 1;
};

struct FilterCase {
  std::string name;
  Conv3dProblem problem;
  HandTiling tiling;
};

// A problem of stride 1 and pad (kernel - 1) / 2, sizes derived.
Conv3dProblem MakeProblem(DType dtype, int64_t batch, int64_t cin, Extents3 in, int64_t cout, Extents3 kernel,
                          int64_t groups = 1);

FilterPlan MakePlan(const Conv3dProblem& problem, const HandTiling& tiling, const SocConfig& soc);

// Cases that together reach every synchronising call of the tile program.
std::vector<FilterCase> SynchronisationCases();

// Random x and dy of the problem, plain layouts. Small whole numbers where `whole`: sums are then exact.
struct FilterInputs {
  Tensor x;
  Tensor dy;
};
FilterInputs MakeInputs(const Conv3dProblem& problem, uint64_t seed, bool whole);

}  // namespace tilesim::testing
