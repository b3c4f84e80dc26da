#pragma once
#include <cstdint>

namespace tilesim {

// Which depth planes of dy reach which of dx. Plane `din` of dx is the sum, over the taps dk for which
// din + padFront - dk * dilationD is a multiple of strideD that lies in dy, of a product with that plane of
// dy. Counted without walking over the planes. Knows no rows and no channels; kernels may name it.
struct ConvDepth {
  int64_t di = 1;
  int64_t dout = 1;
  int64_t dk = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_front = 0;

  // The plane of dy that tap `tap` brings to `din`; -1 where there is none.
  [[nodiscard]] constexpr int64_t PlaneOf(int64_t din, int64_t tap) const {
    const int64_t at = din + pad_front - tap * dilation;
    return at >= 0 && at % stride == 0 && at / stride < dout ? at / stride : -1;
  }
  // The plane of x, or of dx, that tap `tap` and plane `dout_plane` of dy meet; -1 where it is padding.
  [[nodiscard]] constexpr int64_t InputPlaneOf(int64_t dout_plane, int64_t tap) const {
    const int64_t at = dout_plane * stride - pad_front + tap * dilation;
    return at >= 0 && at < di ? at : -1;
  }
  // Taps that bring something to `din`.
  [[nodiscard]] constexpr int64_t TapsOf(int64_t din) const { return TapsBelow(din + 1) - TapsBelow(din); }
  // Pairs of a plane of dx below `din` and a tap that brings something to it.
  [[nodiscard]] constexpr int64_t TapsBelow(int64_t din) const {
    int64_t pairs = 0;
    for (int64_t tap = 0; tap < dk; ++tap) {
      const int64_t first = tap * dilation - pad_front;  // where plane 0 of dy goes
      const int64_t from = first >= 0 ? 0 : (-first + stride - 1) / stride;
      const int64_t to = din <= first ? 0 : (din - first + stride - 1) / stride;  // first that goes too far
      const int64_t end = to < dout ? to : dout;
      pairs += end > from ? end - from : 0;
    }
    return pairs;
  }
};

}  // namespace tilesim
