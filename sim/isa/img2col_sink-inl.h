// Where the data blocks of an img2col window land in L0, once for each instruction set (Highway). A sink is
// handed each channel block as runs of pixels and of pads; it knows nothing of strides and dilations.
#if defined(TILESIM_SIM_ISA_IMG2COL_SINK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_SIM_ISA_IMG2COL_SINK_INL_H_
#undef TILESIM_SIM_ISA_IMG2COL_SINK_INL_H_
#else
#define TILESIM_SIM_ISA_IMG2COL_SINK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "formats/half.h"
#include "sim/isa/img2col.h"
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

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILESIM_SIM_ISA_IMG2COL_SINK_INL_H_
