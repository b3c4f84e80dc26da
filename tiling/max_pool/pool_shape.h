// A max pooling as the planners see it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/dtype.h"

namespace tilesim {

// The walk of the window along one axis. Tap k of output o reads input o * stride - before + k * dilation,
// where that is one.
struct PoolAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t window = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding

  // Padding behind the input that the last window reaches.
  [[nodiscard]] int64_t after() const {
    const int64_t end = (out - 1) * stride - before + (window - 1) * dilation + 1;
    return std::max<int64_t>(end - in, 0);
  }
  friend bool operator==(const PoolAxis&, const PoolAxis&) = default;
};

// What an argmax counts.
enum class PoolIndex : uint8_t {
  kPlane,      // (d * H + h) * W + w
  kNhwc,       // the same times C, plus c
  kBatchNhwc,  // the same, plus n * D * H * W * C
};
inline constexpr std::array<std::string_view, 3> kPoolIndexNames = {"plane", "nhwc", "batch_nhwc"};
constexpr std::string_view Name(PoolIndex index) { return kPoolIndexNames[static_cast<size_t>(index)]; }

struct PoolShape {
  DType dtype = DType::kFp16;
  int64_t batch = 1;
  int64_t channels = 1;
  // GM holds (n, d, h, w, c), and lanes are channels of one n; otherwise (n, c, d, h, w), and lanes are any n
  // * c.
  bool channels_last = false;
  bool ignores_nan = false;
  PoolIndex index = PoolIndex::kPlane;
  PoolAxis d;
  PoolAxis h;
  PoolAxis w;

  [[nodiscard]] std::array<PoolAxis, 3> axes() const { return {d, h, w}; }
  [[nodiscard]] int64_t lanes() const { return channels_last ? channels : batch * channels; }
  [[nodiscard]] int64_t element_bytes() const { return static_cast<int64_t>(SizeOf(dtype)); }

  friend bool operator==(const PoolShape&, const PoolShape&) = default;
};

}  // namespace tilesim
