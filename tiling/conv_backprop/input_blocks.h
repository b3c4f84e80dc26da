// The blocks of at most baseM x baseN that Conv3DBackpropInput computes, and their order. Arithmetic that the
// tile program and the tuner's bounds share: it knows no memory and no time.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/conv3d_bp_input_data.h"
#include "tiling/conv_backprop/input_image.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

// The part of dx that a block writes: pixels of one phase of H and W, from row row_begin, column col_begin of
// that phase on. A block is a run of pixels or, by rows, whole rows or a part of one; `pixels` counts those
// of the product, where a row may be wider than what is written of it.
struct InputBlock {
  GradientPhase h;
  GradientPhase w;
  int64_t row_begin = 0;
  int64_t row_end = 0;
  int64_t col_begin = 0;
  int64_t pixels = 0;
  int64_t row_columns = 0;  // by rows: written of each
  int64_t row_width = 0;    // by rows: in the product

  [[nodiscard]] bool split() const { return h.split > 1 || w.split > 1; }
  [[nodiscard]] int64_t columns() const { return row_columns; }
};

// What bounds a block.
struct InputBlockLimits {
  int64_t base_m = 16;
  int64_t l1_pixels = 0;        // of the spread gradient that a plane in L1 has room for
  uint32_t n_count = 1;         // blocks
  bool order_n = false;         // M advances first, so that B stays; otherwise N does
  bool whole_fractals = false;  // blocks by rows, each as wide as whole fractals of 16 pixels
};

// One single shape: rows of one depth plane of dx and lines of cin1.
struct InputShape {
  GradientAxis rows;
  GradientAxis columns;
  InputBlockLimits limits;
};

// `ho_start`: the position in the stride-expanded gradient that the first tap of the first row sees. With
// `kernel_split` the phases of a stride are computed each for itself, unless most of them would have no tap
// and few pixels. Pixels that lie apart in W are written through row-major matrices of 16 channels, which
// fp32 lacks.
inline InputShape ShapeOf(const TConv3DBackpropInputTiling& t, int64_t ho_start, int64_t rows, int64_t lines,
                          bool kernel_split) {
  const auto split_of = [&](uint32_t stride, uint32_t taps) {
    constexpr uint32_t kFew = 4;
    return kernel_split && (stride <= taps || stride <= kFew) ? stride : 1;
  };
  const tilesim::InputL1 l1 = tilesim::InputL1::Of(t);
  InputShape shape;
  shape.rows = {.start = ho_start,
                .pixels = rows,
                .gradient = t.ho,
                .taps = t.hk,
                .stride = t.strideH,
                .dilation = t.dilationH,
                .split = split_of(t.strideH, t.hk)};
  shape.columns = {.start = int64_t{t.padLeft} - int64_t{t.wk - 1} * t.dilationW,
                   .pixels = t.wi,
                   .gradient = t.wo,
                   .taps = t.wk,
                   .stride = t.strideW,
                   .dilation = t.dilationW,
                   .split = t.c0 == 16 ? split_of(t.strideW, t.wk) : 1};
  shape.limits = {.base_m = t.baseM,
                  .l1_pixels = l1.rows * l1.width,
                  .n_count = static_cast<uint32_t>(CeilOf(lines * t.c0, t.baseN)),
                  .order_n = t.iterateOrder == 1};
  return shape;
}

// K of a step is taken in pieces of at most baseK, as even as whole lines of `c0` allow: while the cube works
// on one, the next is loaded.
inline int64_t PieceOfK(int64_t k, int64_t base_k, int64_t c0) {
  const int64_t even = CeilOf(k, CeilOf(k, base_k));
  return CeilOf(even, c0) * c0;
}

// Walks the blocks (m, n) of one single shape. Knows no data.
class InputBlockWalk {
 public:
  void Start(const GradientAxis& rows, const GradientAxis& columns, const InputBlockLimits& limits) {
    rows_ = rows;
    columns_ = columns;
    limits_ = limits;
    n_ = 0;
    StartM();
  }
  void Start(const InputShape& shape) { Start(shape.rows, shape.columns, shape.limits); }
  // The next block; false after the last.
  bool Next() {
    if (limits_.order_n) {
      if (NextM()) {
        return true;
      }
      StartM();
      return ++n_ < limits_.n_count;
    }
    if (++n_ < limits_.n_count) {
      return true;
    }
    n_ = 0;
    return NextM();
  }

  [[nodiscard]] const InputBlock& block() const { return block_; }
  [[nodiscard]] uint32_t m() const { return m_; }  // counts over all phases
  [[nodiscard]] uint32_t n() const { return n_; }

 private:
  void StartM() {
    m_ = 0;
    EnterPhase(0, 0);
  }
  bool NextM() {
    ++m_;
    if (++index_ < count_) {
      Place();
      return true;
    }
    // phases that hold no pixel come last on each axis
    if (block_.w.phase + 1 < columns_.split && block_.w.phase + 1 < columns_.pixels) {
      EnterPhase(block_.h.phase, block_.w.phase + 1);
      return true;
    }
    if (block_.h.phase + 1 < rows_.split && block_.h.phase + 1 < rows_.pixels) {
      EnterPhase(block_.h.phase + 1, 0);
      return true;
    }
    return false;
  }

  void EnterPhase(uint32_t phase_h, uint32_t phase_w) {
    block_.h = PhaseOf(rows_, phase_h);
    block_.w = PhaseOf(columns_, phase_w);
    index_ = 0;
    const int64_t width = WidthOf(block_.w.pixels);
    if (!by_rows()) {
      count_ = CeilOf(block_.h.pixels * width, limits_.base_m);
    } else if (width > limits_.base_m) {
      parts_ = CeilOf(block_.w.pixels, limits_.base_m);
      count_ = block_.h.pixels * parts_;
    } else {
      parts_ = 1;
      const int64_t most = MostRows();
      rows_each_ = CeilOf(block_.h.pixels, CeilOf(block_.h.pixels, most));  // as even as can be
      count_ = CeilOf(block_.h.pixels, rows_each_);
    }
    Place();
  }
  // Rows of a phase that L0 and L1 have room for.
  [[nodiscard]] int64_t MostRows() const {
    const GradientPhase& h = block_.h;
    const int64_t most = limits_.base_m / WidthOf(block_.w.pixels);
    const int64_t width = (block_.w.gradient - 1) * block_.w.spacing + 1;
    const int64_t room = limits_.l1_pixels / width;
    if (h.taps == 0 || (h.gradient - 1) * h.spacing + 1 <= room) {
      return most;
    }
    const int64_t more = room - int64_t{h.taps - 1} * h.dilation;
    return more < 1 ? 1 : more < most ? more : most;
  }

  void Place() {
    const int64_t width = block_.w.pixels;
    if (!by_rows()) {
      const int64_t begin = index_ * limits_.base_m;
      const int64_t left = block_.h.pixels * width - begin;
      block_.pixels = left < limits_.base_m ? left : limits_.base_m;
      block_.row_begin = begin / width;
      block_.row_end = (begin + block_.pixels - 1) / width + 1;
      block_.col_begin = begin % width;
      return;
    }
    if (parts_ > 1) {
      block_.row_begin = index_ / parts_;
      block_.row_end = block_.row_begin + 1;
      block_.col_begin = index_ % parts_ * limits_.base_m;
      const int64_t left = width - block_.col_begin;
      block_.row_columns = left < limits_.base_m ? left : limits_.base_m;
    } else {
      block_.row_begin = index_ * rows_each_;
      const int64_t end = block_.row_begin + rows_each_;
      block_.row_end = end < block_.h.pixels ? end : block_.h.pixels;
      block_.col_begin = 0;
      block_.row_columns = width;
    }
    block_.row_width = WidthOf(block_.row_columns);
    block_.pixels = (block_.row_end - block_.row_begin) * block_.row_width;
  }

  [[nodiscard]] bool by_rows() const { return block_.split() || limits_.whole_fractals; }
  [[nodiscard]] int64_t WidthOf(int64_t columns) const {
    return limits_.whole_fractals ? CeilOf(columns, 16) * 16 : columns;
  }

  GradientAxis rows_;
  GradientAxis columns_;
  InputBlockLimits limits_;
  InputBlock block_;
  uint32_t m_ = 0;
  uint32_t n_ = 0;
  int64_t index_ = 0;  // within the phase
  int64_t count_ = 0;  // blocks of the phase
  int64_t parts_ = 1;  // blocks that share a row
  int64_t rows_each_ = 1;
};

}  // namespace ConvBackpropApi
