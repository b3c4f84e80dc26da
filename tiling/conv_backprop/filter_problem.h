#pragma once
#include <cstdint>

#include "formats/dtype.h"
#include "tiling/rejection.h"

namespace tilesim {

// One filter gradient: extents of x (batch, cin, di, hi, wi), dy (batch, cout, dout, ho, wo) and dw
// (cout, cin / groups, dk, hk, wk). Plain numbers; knows nothing of tiles, cores or layouts. -1 = not given.
struct FilterProblem {
  int64_t batch = -1, cin = -1, di = -1, hi = -1, wi = -1;
  int64_t cout = -1, dout = -1, ho = -1, wo = -1;
  int64_t dk = -1, hk = -1, wk = -1;
  int64_t stride_d = 1, stride_h = 1, stride_w = 1;
  int64_t dilation_d = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_front = 0, pad_back = 0, pad_up = 0, pad_down = 0, pad_left = 0, pad_right = 0;
  int64_t groups = 1;
  DType dtype = DType::kFp16;
  bool hf32 = false;

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
// the operator (the stricter of the object API's and the operator's published ones,
// conv_backprop_api.md 4.3).
Rejections WhyNot(const FilterProblem& problem);

}  // namespace tilesim
