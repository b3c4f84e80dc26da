// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/img2col.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/img2col.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/img2col_sink-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

// The least x >= 0 with x * step >= distance.
HWY_INLINE int64_t StepsTo(int64_t distance, int64_t step) {
  if (distance <= 0) {
    return 0;
  }
  return step == 1
             ? distance
             : static_cast<int64_t>((static_cast<uint32_t>(distance) + static_cast<uint32_t>(step) - 1) /
                                    static_cast<uint32_t>(step));
}

// Hands the sink each channel block of the window as runs of pixels and of pads.
template <class Sink>
void Walk(const Img2ColWindow& w, Sink sink) {
  const int64_t c0 = w.dtype == DType::kFp32 ? 8 : 16;
  const int64_t ho_first = w.m_start / w.out_width;
  const int64_t wo_first = w.m_start % w.out_width;
  int64_t kw = w.first_block % w.filter_w;
  int64_t kh = w.first_block / w.filter_w % w.filter_h;
  const std::byte* plane = w.src + w.first_block / (w.filter_w * w.filter_h) * w.height * w.width * 32;
  const int64_t step_bytes = w.stride_w * 32;
  for (int64_t g = 0; g * c0 < w.num_k; ++g) {
    sink.Begin(g, std::min(c0, w.num_k - g * c0));
    const int64_t shift = kw * w.dilation_w - w.pad_left;  // wi = wo * stride_w + shift
    const int64_t first_in = StepsTo(-shift, w.stride_w);
    const int64_t first_out = StepsTo(w.width - shift, w.stride_w);
    int64_t hi = ho_first * w.stride_h + kh * w.dilation_h - w.pad_top;
    int64_t wo = wo_first;
    for (int64_t left = w.num_m; left > 0; hi += w.stride_h, wo = 0) {
      const int64_t run = std::min(w.out_width - wo, left);
      left -= run;
      if (hi < 0 || hi >= w.height) {
        sink.Pads(run);
        continue;
      }
      const int64_t begin = std::clamp<int64_t>(first_in - wo, 0, run);
      const int64_t end = std::clamp<int64_t>(first_out - wo, begin, run);
      if (begin > 0) {
        sink.Pads(begin);
      }
      if (end > begin) {
        sink.Pixels(plane + (hi * w.width + (wo + begin) * w.stride_w + shift) * 32, step_bytes, end - begin);
      }
      if (run > end) {
        sink.Pads(run - end);
      }
    }
    sink.End();
    if (++kw == w.filter_w) {
      kw = 0;
      if (++kh == w.filter_h) {
        kh = 0;
        plane += w.height * w.width * 32;
      }
    }
  }
}

void LandImg2ColFor(const Img2ColWindow& window) {
  if (window.direct) {
    switch (window.dtype) {
      case DType::kFp16:
        return Walk(window, RowSink<WidenHalf, 16>(WidenHalf(), window));
      case DType::kBf16:
        return Walk(window, RowSink<WidenBFloat16, 16>(WidenBFloat16(), window));
      default:
        return Walk(window, RowSink<WidenHalf, 8>(WidenHalf(), window));
    }
  }
  switch (window.dtype) {
    case DType::kFp16:
      return Walk(window, ColumnSink<TurnShorts<WidenHalf>>({}, window));
    case DType::kBf16:
      return Walk(window, ColumnSink<TurnShorts<WidenBFloat16>>({}, window));
    default:
      return Walk(window, ColumnSink<TurnFloats>({}, window));
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(LandImg2ColFor);

}  // namespace

void LandImg2Col(const Img2ColWindow& window) { HWY_DYNAMIC_DISPATCH(LandImg2ColFor)(window); }

}  // namespace tilesim::isa

#endif  // HWY_ONCE
