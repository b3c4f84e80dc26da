#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/dtype.h"
#include "tiling/conv_backprop/conv_depth.h"
#include "tiling/rejection.h"

namespace tilesim {

// What a gradient of a convolution is told of it: extents of the feature map (batch, cin, di, hi, wi), of dy
// (batch, cout, dout, ho, wo) and of the filter (cout, cin / groups, dk, hk, wk). Plain numbers; knows
// nothing of tiles, cores or layouts, nor which gradient is asked for. -1 = not given.
struct ConvProblem {
  int64_t batch = -1, cin = -1, di = -1, hi = -1, wi = -1;
  int64_t cout = -1, dout = -1, ho = -1, wo = -1;
  int64_t dk = -1, hk = -1, wk = -1;
  int64_t stride_d = 1, stride_h = 1, stride_w = 1;
  int64_t dilation_d = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_front = 0, pad_back = 0, pad_up = 0, pad_down = 0, pad_left = 0, pad_right = 0;
  int64_t groups = 1;
  DType dtype = DType::kFp16;
  bool hf32 = false;

  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
};

// The problem along one spatial axis, where rules are the same for all three.
struct ConvAxis {
  char letter;  // 'd', 'h' or 'w'
  int64_t in, out, kernel, stride, dilation, pad_before, pad_after;

  [[nodiscard]] int64_t window() const { return (kernel - 1) * dilation + 1; }
  [[nodiscard]] std::string Field(std::string_view word) const;  // "stride": "strideH"
  [[nodiscard]] std::string InField() const;                     // "hi"
  [[nodiscard]] std::string OutField() const;                    // "ho", "dout"
};
ConvDepth DepthOf(const ConvProblem& problem);
ConvAxis AxisD(const ConvProblem& problem);
ConvAxis AxisH(const ConvProblem& problem);
ConvAxis AxisW(const ConvProblem& problem);

// How many groups are computed together as one dense block, so that its channels fill data blocks of c0 on
// the side of the feature map and fractals on the other.
int64_t MergedGroups(const ConvProblem& problem);

// Refuses an output size that does not follow from the feature map's, where windows have so much room to move
// in.
void CheckOutputSize(const ConvAxis& axis, int64_t room, Rejections& reasons);

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
