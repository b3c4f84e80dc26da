#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "formats/units.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {

// Indices begin..end-1.
struct ReferenceSpan {
  int64_t begin = 0;
  int64_t end = 0;
  [[nodiscard]] int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

inline ReferenceSpan Intersection(const ReferenceSpan& a, const ReferenceSpan& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

// One axis of a convolution, for the direct loops: output position o and tap k meet input position
// o * stride + k * dilation - before.
struct ReferenceAxis {
  int64_t in;
  int64_t out;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t before;

  [[nodiscard]] int64_t Input(int64_t o, int64_t k) const { return o * stride + k * dilation - before; }

  // The output position that meets input position i at tap k, if there is one.
  [[nodiscard]] std::optional<int64_t> Output(int64_t i, int64_t k) const {
    const int64_t at = i + before - k * dilation;
    return at >= 0 && at % stride == 0 && at / stride < out ? std::optional(at / stride) : std::nullopt;
  }

  // Output positions that meet the input, not its padding, at tap k.
  [[nodiscard]] ReferenceSpan Inside(int64_t k) const {
    const int64_t first = CeilDiv(std::max<int64_t>(0, before - k * dilation), stride);
    const int64_t last = FloorDiv(in - 1 + before - k * dilation, stride);
    return {std::min(first, out), std::clamp<int64_t>(last + 1, 0, out)};
  }

  // The largest number of such positions over all taps.
  [[nodiscard]] int64_t MostInside() const {
    int64_t most = 0;
    for (int64_t k = 0; k < kernel; ++k) {
      most = std::max(most, Inside(k).size());
    }
    return most;
  }
};

// D, H, W.
inline std::array<ReferenceAxis, 3> ReferenceAxes(const Conv3dProblem& p) {
  return {ReferenceAxis{p.in.d, p.out.d, p.kernel.d, p.stride.d, p.dilation.d, p.pad.front},
          ReferenceAxis{p.in.h, p.out.h, p.kernel.h, p.stride.h, p.dilation.h, p.pad.top},
          ReferenceAxis{p.in.w, p.out.w, p.kernel.w, p.stride.w, p.dilation.w, p.pad.left}};
}

}  // namespace tilesim
