#pragma once
#include <cstdint>

#include "tiling/conv_backprop/conv_problem.h"

namespace tilesim {

// One filter gradient: x and dy come in, dw goes out.
struct FilterProblem : ConvProblem {
  friend bool operator==(const FilterProblem&, const FilterProblem&) = default;
};

// A gradient as matrix products, in which `merged` groups are computed together as one dense block.
struct GradientExtents {
  int64_t c0 = 16;
  int64_t merged = 1;       // original groups in one block
  int64_t real_groups = 1;  // blocks
  int64_t cin1_g = 0;       // c0-lines of input channels of one block
  int64_t m = 0, n = 0, k = 0;
};

// M = cout, N = (cin1, hk, wk, c0), K = ho * wo; one product for each (batch, dout), merged group and dk.
struct FilterExtents : GradientExtents {
  int64_t cout_g = 0;  // output channels of one block, a multiple of 16
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

// One input gradient: dy and the weight come in, dx goes out. As a transposed convolution dy is what it calls
// its input and dx its output, and the output padding tells how much of the last stride dx still has.
struct InputProblem : ConvProblem {
  bool transpose = false;                                        // asked for as a transposed convolution
  int64_t output_pad_d = 0, output_pad_h = 0, output_pad_w = 0;  // of a transposed convolution only

  friend bool operator==(const InputProblem&, const InputProblem&) = default;
};

struct InputAxis : ConvAxis {
  int64_t output_pad;
};
InputAxis AxisD(const InputProblem& problem);
InputAxis AxisH(const InputProblem& problem);
InputAxis AxisW(const InputProblem& problem);

// A transposed convolution's di, hi and wi, computed from the rest.
void DeriveTransposedSizes(InputProblem& problem);

// M = hi * wi pixels, N = input channels, K = (cout1, hk, wk, c0); one product for each (batch, di), merged
// group and dk, those of one dx pixel added up over dk.
struct InputExtents : GradientExtents {
  int64_t cout1_g = 0;  // c0-lines of output channels of one block
};
InputExtents ExtentsOf(const InputProblem& problem);

// Everything that stops the problem whatever the tiling: sizes that contradict each other, and the limits the
// operator publishes.
Rejections WhyNot(const InputProblem& problem);

}  // namespace tilesim
