#include "tiling/conv_backprop/filter_arguments.h"

#include <array>

namespace tilesim {

std::span<const FilterArgument> FilterArguments() {
  using P = FilterProblem;
  constexpr int64_t kMostExtent = INT32_MAX;  // tiling data hold 32-bit extents
  // The operator's: kernel width 32 is the tiling class's limit (the operator alone allows 511), strides in H
  // and W 63 both's, the others the published ones.
  static constexpr std::array<FilterArgument, 25> kArguments = {{
      {"batch", &P::batch, 1, kMostExtent, kLeast32, kMost32},
      {"cin", &P::cin, 1, kMostExtent, 1, kMost32},
      {"cout", &P::cout, 1, kMostExtent, 1, kMost32},
      {"di", &P::di, 1, kMostExtent, 1, kMost32},
      {"hi", &P::hi, 1, kMostExtent, 1, kMost32},
      {"wi", &P::wi, 1, kMostExtent, 1, kMost32},
      {"dout", &P::dout, 1, kMostExtent, 1, kMost32},
      {"ho", &P::ho, 1, kMostExtent, 1, kMost32},
      {"wo", &P::wo, 1, kMostExtent, 1, kMost32},
      {"dk", &P::dk, 1, kMostExtent, 1, kMost32},
      {"hk", &P::hk, 1, 511, 1, 511},
      {"wk", &P::wk, 1, 32, 1, 32},
      {"strideD", &P::stride_d, 1, 255, 1, kMost32},
      {"strideH", &P::stride_h, 1, 63, 1, 63},
      {"strideW", &P::stride_w, 1, 63, 1, 63},
      {"dilationD", &P::dilation_d, 1, 255, 1, kMost32},
      {"dilationH", &P::dilation_h, 1, 255, 1, 255},
      {"dilationW", &P::dilation_w, 1, 255, 1, 255},
      {"padFront", &P::pad_front, 0, 255, 0, kMost32},
      {"padBack", &P::pad_back, 0, 255, 0, kMost32},
      {"padUp", &P::pad_up, 0, 255, 0, 255},
      {"padDown", &P::pad_down, 0, 255, 0, 255},
      {"padLeft", &P::pad_left, 0, 255, 0, 255},
      {"padRight", &P::pad_right, 0, 255, 0, 255},
      {"groups", &P::groups, 1, 65535, 1, 1},
  }};
  return kArguments;
}

}  // namespace tilesim
