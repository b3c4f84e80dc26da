#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/dtype.h"
#include "tiling/rejection.h"

namespace tilesim {

// One input gradient: extents of dx (batch, cin, di, hi, wi), dy (batch, cout, dout, ho, wo) and the weight
// (cout, cin / groups, dk, hk, wk). As a transposed convolution dy is what comes in and dx what goes out, and
// the output padding tells how much of the last stride dx still has. Plain numbers; knows nothing of tiles,
// cores or layouts. -1 = not given.
struct InputProblem {
  int64_t batch = -1, cin = -1, di = -1, hi = -1, wi = -1;
  int64_t cout = -1, dout = -1, ho = -1, wo = -1;
  int64_t dk = -1, hk = -1, wk = -1;
  int64_t stride_d = 1, stride_h = 1, stride_w = 1;
  int64_t dilation_d = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_front = 0, pad_back = 0, pad_up = 0, pad_down = 0, pad_left = 0, pad_right = 0;
  bool transpose = false;                                        // asked for as a transposed convolution
  int64_t output_pad_d = 0, output_pad_h = 0, output_pad_w = 0;  // of a transposed convolution only
  int64_t groups = 1;
  DType dtype = DType::kFp16;
  bool hf32 = false;

  friend bool operator==(const InputProblem&, const InputProblem&) = default;
};

// The problem along one spatial axis, where rules are the same for all three.
struct InputAxis {
  char letter;  // 'd', 'h' or 'w'
  int64_t in, out, kernel, stride, dilation, pad_before, pad_after, output_pad;

  [[nodiscard]] int64_t window() const { return (kernel - 1) * dilation + 1; }
  [[nodiscard]] std::string Field(std::string_view word) const;  // "stride": "strideH"
  [[nodiscard]] std::string InField() const;                     // "hi"
  [[nodiscard]] std::string OutField() const;                    // "ho", "dout"
};
InputAxis AxisD(const InputProblem& problem);
InputAxis AxisH(const InputProblem& problem);
InputAxis AxisW(const InputProblem& problem);

// A transposed convolution's di, hi and wi, computed from the rest.
void DeriveTransposedSizes(InputProblem& problem);

// The problem as matrix products: M = hi * wi pixels, N = input channels, K = (cout1, hk, wk, c0); one
// product for each (batch, di), merged group and dk, those of one dx pixel added up over dk. `merged` groups
// are computed together as one dense block.
struct InputExtents {
  int64_t c0 = 16;
  int64_t merged = 1;       // original groups in one block
  int64_t real_groups = 1;  // blocks
  int64_t cin1_g = 0;       // c0-lines of input channels of one block
  int64_t cout1_g = 0;      // c0-lines of output channels of one block
  int64_t m = 0, n = 0, k = 0;
};
InputExtents ExtentsOf(const InputProblem& problem);

// Everything that stops the problem whatever the tiling: sizes that contradict each other, and the limits the
// operator publishes (conv_backprop_api.md 4.3).
Rejections WhyNot(const InputProblem& problem);

}  // namespace tilesim
