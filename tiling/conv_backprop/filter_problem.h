#pragma once
#include <cstdint>

#include "tiling/conv_backprop/conv_problem.h"

namespace tilesim {

// One filter gradient: x and dy come in, dw goes out.
struct FilterProblem : ConvProblem {
  friend bool operator==(const FilterProblem&, const FilterProblem&) = default;
};

// The problem as matrix products: M = cout, N = (cin1, hk, wk, c0), K = ho * wo; one product for each (batch,
// dout), merged group and dk. `merged` groups are computed together as one dense block.
struct FilterExtents {
  int64_t c0 = 16;
  int64_t merged = 1;       // original groups in one block
  int64_t real_groups = 1;  // blocks
  int64_t cin1_g = 0;       // c0-lines of input channels of one block
  int64_t cout_g = 0;       // output channels of one block, a multiple of 16
  int64_t m = 0, n = 0, k = 0;
};

FilterExtents ExtentsOf(const FilterProblem& problem);

// Everything that stops the problem whatever the tiling: sizes that contradict each other, and the limits of
// the operator (the stricter of the published ones of the object API and of the operator).
Rejections WhyNot(const FilterProblem& problem);

// Bytes that x, dy and dw take in GM in the layouts of the device.
struct FilterTensorBytes {
  double x, dy, dw;
};
FilterTensorBytes TensorBytesOf(const FilterProblem& problem);

}  // namespace tilesim
