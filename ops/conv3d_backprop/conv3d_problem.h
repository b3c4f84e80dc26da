#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/refusal.h"
#include "ops/cases/window.h"

namespace tilesim {

// A 3D convolution whose gradients are asked for; 2D is D = 1 with a layout of four axes. Extents are
// logical: x is (batch, cin, in), dy is (batch, cout, out), the filter is (cout, cin / groups, kernel). Knows
// nothing of tiling.
struct Conv3dProblem {
  DType dtype = DType::kFp16;  // of x and dy
  bool hf32 = false;           // fp32 products on the cube in HF32
  Format layout = Format::kNCDHW;
  Format filter_layout = Format::kOIDHW;

  int64_t batch = 1;
  int64_t cin = 1;
  int64_t cout = 1;
  int64_t groups = 1;
  Extents3 in;
  Extents3 out;
  Extents3 kernel;
  Extents3 stride;
  Extents3 dilation;
  Pads pad;
  Rounding rounding = Rounding::kFloor;
  bool transposed = false;  // asked for as conv3d_transpose: dy is what it is given, x what it makes
  Extents3 output_padding = {.d = 0, .h = 0, .w = 0};  // if transposed: makes x longer at its end

  friend bool operator==(const Conv3dProblem&, const Conv3dProblem&) = default;

  [[nodiscard]] bool Is2d() const;
  [[nodiscard]] int64_t CinPerGroup() const { return cin / groups; }
  [[nodiscard]] int64_t CoutPerGroup() const { return cout / groups; }

  // Logical extents in the canonical order: (n,c,d,h,w) and (o,i,d,h,w), without d in 2D.
  [[nodiscard]] std::vector<int64_t> XExtents() const;
  [[nodiscard]] std::vector<int64_t> DyExtents() const;
  [[nodiscard]] std::vector<int64_t> FilterExtents() const;

  // Each tensor in the layout that the case file gives.
  [[nodiscard]] Layout XLayout() const;
  [[nodiscard]] Layout DyLayout() const;
  [[nodiscard]] Layout FilterLayout() const;

  // Far side of the padding that the windows really reach: less or more than the pad given, when the quotient
  // of the output size is not whole. Never negative.
  [[nodiscard]] Pads ReachedPad() const;

  // The walk over x; what output_padding added to it takes no part.
  [[nodiscard]] Windows Walk() const;

  // Multiplications, those with padding counted; exact up to 2^53.
  [[nodiscard]] double Macs() const;
};

// Of the output.
Extents3 ForwardExtents(const Conv3dProblem& problem);
// Of the input that windows on all of `out` cover, less the pads, plus output_padding: what a transposed
// convolution gives. May be less than 1.
Extents3 TransposedExtents(const Conv3dProblem& problem);

// The first rule that the problem breaks, by the name of its column in the case file: extents at least 1,
// groups that divide the channels, the operator's limits, a window that fits, an output of the size that
// follows.
std::optional<Refusal> WhyNot(const Conv3dProblem& problem);

// The first broken of the rules that ask nothing of the output's extents, nor of those a transposed
// convolution gives. ForwardExtents, SamePads and TransposedExtents of a problem that keeps them do not
// overflow.
std::optional<Refusal> WhyNotForward(const Conv3dProblem& problem);

// The operator's limits on Ascend A2/A3: the stricter of those of the operator and of its tiling class.
struct Conv3dLimits {
  static constexpr int64_t kKernelH = 511;
  static constexpr int64_t kKernelW = 32;  // of the tiling class; the operator says 511
  static constexpr int64_t kStrideD = 255;
  static constexpr int64_t kStrideHW = 63;
  static constexpr int64_t kPad = 255;
  static constexpr int64_t kDilation = 255;
  static constexpr int64_t kGroups = 65535;
  static constexpr int64_t kExtent = INT32_MAX;  // tiling data hold 32-bit extents
  static constexpr int64_t kElements = int64_t{1}
                                       << 36;  // of one tensor: more than the largest part's memory holds
};

}  // namespace tilesim
