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

// Rules that do not depend on the gradient: the element type, the groups' share of the channels, and the
// output size that follows from the feature map's.
void CheckDType(const ConvProblem& problem, Rejections& reasons);
void CheckGroups(const ConvProblem& problem, Rejections& reasons);
void CheckOutputSize(const ConvAxis& axis, Rejections& reasons);
// The last, where windows have so much room to move in.
void CheckOutputSize(const ConvAxis& axis, int64_t room, Rejections& reasons);

}  // namespace tilesim
