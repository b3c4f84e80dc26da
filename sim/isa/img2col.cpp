// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/img2col.h"

#include <algorithm>
#include <cstring>

// vectors are kept in arrays, which those of a size unknown to the compiler cannot be
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/img2col.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

// Data blocks that become rows of a fractal. `kRows`: output positions of a fractal (its k).
template <class Widen, int kRows>  // also the elements of a data block
class RowSink {
 public:
  RowSink(const Widen& widen, const Img2ColWindow& window)
      : widen_(widen), window_(window), jump_(window.m_step - int64_t{16} * (kRows - 1)) {
    for (float& value : pad_) {
      value = window.pad_value;
    }
  }

  void Begin(int64_t g, int64_t lanes) {
    constexpr int64_t kPerFractal = kRows == 16 ? 1 : 2;  // channel blocks that share a fractal
    to_ = window_.dst + g / kPerFractal * window_.g_step + g % kPerFractal * 8;
    left_ = kRows;
    lanes_ = lanes;
  }

  void Pixels(const std::byte* src, int64_t step_bytes, int64_t count) {
    if (lanes_ != kRows) {
      alignas(64) float row[16];
      Each(count, [&](int64_t i, float* to) {
        Row(src + i * step_bytes, row);
        std::memcpy(to, row, sizeof(float) * static_cast<size_t>(lanes_));
      });
      return;
    }
    const std::byte* from = src;
    Each(count, [&](int64_t /*i*/, float* to) {
      Row(from, to);
      from += step_bytes;
    });
  }

  void Pads(int64_t count) {
    if (lanes_ != kRows) {
      Each(count, [&](int64_t /*i*/, float* to) {
        std::memcpy(to, pad_, sizeof(float) * static_cast<size_t>(lanes_));
      });
      return;
    }
    Each(count, [&](int64_t /*i*/, float* to) { std::memcpy(to, pad_, sizeof(float) * kRows); });
  }

  void End() {}

 private:
  HWY_INLINE void Row(const std::byte* src, float* dst) const {
    if constexpr (kRows == 16) {
      WidenRow(widen_, src, dst);
    } else {
      CopyRow(src, dst);
    }
  }

  // Calls f(i, to) for the next `count` output positions.
  template <class F>
  HWY_INLINE void Each(int64_t count, F&& f) {
    float* to = to_;  // kept out of memory, where the floats written could be taken for it
    int64_t left = left_;
    for (int64_t i = 0; i < count;) {
      const int64_t end = std::min(count, i + left);
      left -= end - i;
      for (; i < end; ++i, to += 16) {
        f(i, to);
      }
      if (left == 0) {
        to += jump_ - 16;
        left = kRows;
      }
    }
    to_ = to;
    left_ = left;
  }

  Widen widen_;
  const Img2ColWindow& window_;
  int64_t jump_;          // from the last row of a fractal to the first of the next
  float* to_ = nullptr;   // the next row
  int64_t left_ = kRows;  // rows left in the fractal
  int64_t lanes_ = 16;    // elements of a data block that are written
  float pad_[16];
};

// Data blocks that become columns of a fractal: 16 of them are gathered, then turned.
template <class Turn>
class ColumnSink {
 public:
  ColumnSink(const Turn& turn, const Img2ColWindow& window) : turn_(turn), window_(window) {
    turn_.Fill(window.pad_value, pad_);
  }

  void Begin(int64_t g, int64_t lanes) {
    to_ = window_.dst + g * window_.g_step;
    rows_ = 0;
    lanes_ = lanes;
  }

  void Pixels(const std::byte* src, int64_t step_bytes, int64_t count) {
    if (step_bytes == 32) {
      while (count > 0) {
        const int64_t here = std::min(count, 16 - rows_);
        if (here == 16 && lanes_ == Turn::kColumns) {  // a whole fractal as it lies in L1
          turn_(src, to_);
          to_ += window_.m_step;
        } else {
          std::memcpy(stage_ + 32 * rows_, src, static_cast<size_t>(32 * here));
          Advance(here);
        }
        src += 32 * here;
        count -= here;
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      Put(src + i * step_bytes);
    }
  }

  void Pads(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Put(pad_);
    }
  }

  void End() {
    if (rows_ == 0) {
      return;
    }
    Flush();
  }

 private:
  HWY_INLINE void Put(const std::byte* block) {
    std::memcpy(stage_ + 32 * rows_, block, 32);
    Advance(1);
  }

  HWY_INLINE void Advance(int64_t rows) {
    rows_ += rows;
    if (rows_ == 16) {
      Flush();
    }
  }

  void Flush() {
    if (rows_ == 16 && lanes_ == Turn::kColumns) {
      turn_(stage_, to_);
    } else {
      alignas(64) float whole[256];
      turn_(stage_, whole);
      for (int64_t k = 0; k < lanes_; ++k) {
        std::memcpy(to_ + 16 * k, whole + 16 * k, sizeof(float) * static_cast<size_t>(rows_));
      }
    }
    to_ += window_.m_step;
    rows_ = 0;
  }

  Turn turn_;
  const Img2ColWindow& window_;
  float* to_ = nullptr;  // the fractal being filled
  int64_t rows_ = 0;     // of it, in stage_
  int64_t lanes_ = 16;
  alignas(64) std::byte stage_[512] = {};
  std::byte pad_[32];
};

template <class Widen>
struct TurnShorts {
  static constexpr int64_t kColumns = 16;
  HWY_INLINE void operator()(const std::byte* src, float* dst) const { WidenColumns(Widen(), src, dst); }
  void Fill(float value, std::byte* block) const {
    const uint16_t bits = std::is_same_v<Widen, WidenHalf> ? Half(value).bits : BFloat16(value).bits;
    for (int64_t i = 0; i < 16; ++i) {
      std::memcpy(block + 2 * i, &bits, sizeof(bits));
    }
  }
};

struct TurnFloats {
  static constexpr int64_t kColumns = 8;
  HWY_INLINE void operator()(const std::byte* src, float* dst) const { CopyColumns(src, dst); }
  void Fill(float value, std::byte* block) const {
    for (int64_t i = 0; i < 8; ++i) {
      std::memcpy(block + 4 * i, &value, sizeof(value));
    }
  }
};

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
