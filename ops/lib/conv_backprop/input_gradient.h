// Operand A of Conv3DBackpropInput: the gradient of the output, from GM to L1 with zeros between its pixels
// where there is a stride, and as windows to L0A.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/copy_runs.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_image.h"

namespace ConvBackpropApi {

// A in L1: [planes of c1][rows][columns][C0] of one depth plane of the gradient, spread. Padded: with zeros
// around it, and 16 behind the last plane, so that fractals of 16 pixels can be taken from any place.
struct GradientTile {
  int64_t dout = 0;
  int64_t plane = 0;
  int64_t planes = 0;
  int64_t row = 0;  // pixels of the gradient
  int64_t rows = 0;
  int64_t column = 0;
  int64_t columns = 0;
  bool padded = false;
  int64_t pad_top = 0;  // rows of zeros
  int64_t pad_bottom = 0;
  int64_t pad_left = 0;
  int64_t pad_right = 0;

  bool SameShape(const GradientTile& b) const {
    return planes == b.planes && rows == b.rows && columns == b.columns && padded == b.padded &&
           pad_top == b.pad_top && pad_bottom == b.pad_bottom && pad_left == b.pad_left &&
           pad_right == b.pad_right;
  }
  friend bool operator==(const GradientTile& a, const GradientTile& b) {
    return a.dout == b.dout && a.plane == b.plane && a.row == b.row && a.column == b.column && a.SameShape(b);
  }
};

template <class T>
class GradientLoader {
 public:
  // `gradient` starts at row `first_row`, plane 0, depth 0.
  __aicore__ inline void Start(const TConv3DBackpropInputTiling& tiling,
                               const AscendC::GlobalTensor<T>& gradient, int64_t first_row, int64_t spacing_h,
                               int64_t spacing_w) {
    tiling_ = &tiling;
    gradient_ = gradient;
    first_row_ = first_row;
    if (spacing_h != spacing_h_ || spacing_w != spacing_w_) {
      zeros_[0] = zeros_[1] = GradientTile();
    }
    spacing_h_ = spacing_h;
    spacing_w_ = spacing_w;
  }

  // Brings a tile into buffer `buffer` of L1.
  __aicore__ inline void Load(const AscendC::LocalTensor<T>& dst, int32_t buffer, const GradientTile& tile) {
    const int64_t c0 = tiling_->c0;
    const int64_t wo = tiling_->wo;
    const int64_t plane = int64_t{tiling_->ho} * wo;  // pixels
    const int64_t first =
        (tile.dout * tiling_->cout1 + tile.plane) * plane + (tile.row - first_row_) * wo + tile.column;
    const AscendC::GlobalTensor<T> src = gradient_[static_cast<uint64_t>(first * c0)];
    if (spacing_h_ == 1 && spacing_w_ == 1 && !tile.padded) {
      if (tile.columns == wo) {
        CopyRuns(dst, src, static_cast<uint64_t>(tile.planes), static_cast<uint64_t>(tile.rows * wo),
                 static_cast<uint64_t>(plane));
        return;
      }
      for (int64_t p = 0; p < tile.planes; ++p) {
        CopyRuns(dst[static_cast<uint32_t>(p * tile.rows * tile.columns * c0)],
                 src[static_cast<uint64_t>(p * plane * c0)], static_cast<uint64_t>(tile.rows),
                 static_cast<uint64_t>(tile.columns), static_cast<uint64_t>(wo));
      }
      return;
    }
    const int64_t width = Width(tile);
    const int64_t plane_in_l1 = Height(tile) * width;
    const int64_t begin = tile.pad_top * width + tile.pad_left;
    PutZeros(dst, buffer, tile, tile.planes * plane_in_l1 + (tile.padded ? kFractalPixels : 0));
    for (int64_t p = 0; p < tile.planes; ++p) {
      Spread(dst[static_cast<uint32_t>((p * plane_in_l1 + begin) * c0)],
             src[static_cast<uint64_t>(p * plane * c0)], tile, width);
    }
  }

  // The windows of `columns_k` elements of K from element `k` of the tile on, for the pixels of a block: (m,
  // k) in L0A.
  __aicore__ inline void LoadWindows(const AscendC::LocalTensor<T>& a2, const AscendC::LocalTensor<T>& a1,
                                     const GradientTile& tile, const InputBlock& block,
                                     const GradientSpan& rows, const GradientSpan& columns, int64_t k,
                                     int64_t k_length) const {
    AscendC::LoadData3DParamsV2<T> params;
    params.padList[0] = Pad(columns.pad_before);
    params.padList[1] = Pad(columns.pad_after);
    params.padList[2] = Pad(rows.pad_before);
    params.padList[3] = Pad(rows.pad_after);
    params.l1H = static_cast<uint16_t>(rows.spread(spacing_h_));
    params.l1W = static_cast<uint16_t>(columns.spread(spacing_w_));
    params.channelSize = static_cast<uint16_t>(tile.planes * tiling_->c0);
    params.kStartPt = static_cast<uint16_t>(k);
    params.kExtension = static_cast<uint16_t>(k_length);
    params.mStartPt = static_cast<uint16_t>(block.col_begin);
    params.mExtension = static_cast<uint16_t>((block.pixels + 15) / 16 * 16);
    params.filterW = static_cast<uint8_t>(block.w.taps % 256);
    params.filterH = static_cast<uint8_t>(block.h.taps % 256);
    params.filterSizeW = block.w.taps >= 256;
    params.filterSizeH = block.h.taps >= 256;
    params.dilationFilterW = static_cast<uint8_t>(block.w.dilation);
    params.dilationFilterH = static_cast<uint8_t>(block.h.dilation);
    AscendC::LoadData(a2, a1, params);
  }

  // The same windows turned, (k, n) in L0B, of a padded tile and a block by rows of whole fractals: for each
  // tap and row 16 pixels after another as they lie in L1.
  __aicore__ inline void LoadPixels(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& a1,
                                    const GradientTile& tile, const InputBlock& block, int64_t k,
                                    int64_t k_length) const {
    const int64_t c0 = tiling_->c0;
    const int64_t width = Width(tile);
    const int64_t plane_in_l1 = Height(tile) * width;
    const int64_t taps_w = block.w.taps;
    const int64_t taps = block.h.taps * taps_w;
    const int64_t fractals = block.row_width / kFractalPixels;  // of a row
    int64_t plane = k / c0 / taps;
    int64_t tap = k / c0 % taps;
    int64_t to = 0;  // fractals
    for (int64_t done = 0; done < k_length; done += c0) {
      int64_t from = plane * plane_in_l1 + tap / taps_w * block.h.dilation * width +
                     tap % taps_w * block.w.dilation + block.col_begin;
      for (int64_t row = block.row_begin; row < block.row_end; ++row) {
        AscendC::LoadData(b2[static_cast<uint32_t>(to * kFractalPixels * c0)],
                          a1[static_cast<uint32_t>(from * c0)],
                          AscendC::LoadData2DParams(0, static_cast<uint8_t>(fractals), 1, 0, 0, false, 0));
        from += width;
        to += fractals;
      }
      if (++tap == taps) {
        tap = 0;
        ++plane;
      }
    }
  }

 private:
  static constexpr int64_t kFractalPixels = 16;

  // Of a plane in L1, pads and zeros between counted.
  int64_t Width(const GradientTile& tile) const {
    return (tile.columns - 1) * spacing_w_ + 1 + tile.pad_left + tile.pad_right;
  }
  int64_t Height(const GradientTile& tile) const {
    return (tile.rows - 1) * spacing_h_ + 1 + tile.pad_top + tile.pad_bottom;
  }

  static __aicore__ inline uint8_t Pad(int64_t pad) {
    ascendc_assert(pad <= 255,
                   "Iterate: the gradient needs more than 255 rows or columns of padding, more than LoadData "
                   "can state; backpropPadUp, Down, Left and Right are at most 255");
    return static_cast<uint8_t>(pad);
  }

  // Unless a tile of this shape has left zeros between and around its pixels in this buffer.
  __aicore__ inline void PutZeros(const AscendC::LocalTensor<T>& dst, int32_t buffer,
                                  const GradientTile& tile, int64_t pixels) {
    if (tile.SameShape(zeros_[buffer])) {
      return;
    }
    zeros_[buffer] = tile;
    AscendC::InitConstValue(dst, AscendC::InitConstValueParams<T>(1, static_cast<uint16_t>(pixels), 0, T(0)));
    AscendC::PipeBarrier<PIPE_MTE2>();  // moves of one pipe may pass each other
  }

  // The pixels of one plane to every spacing-th position.
  __aicore__ inline void Spread(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
                                const GradientTile& tile, int64_t width) const {
    const int64_t c0 = tiling_->c0;
    const int64_t wo = tiling_->wo;
    constexpr auto kMostRuns = static_cast<int64_t>(kMaxCopyCount);
    constexpr auto kMostGap = static_cast<int64_t>(kMaxCopyLength);
    const int64_t src_gap = wo - tile.columns;
    const int64_t dst_gap = spacing_h_ * width - tile.columns;
    if (spacing_w_ == 1 && tile.rows <= kMostRuns && src_gap <= kMostGap && dst_gap <= kMostGap) {
      AscendC::DataCopy(
          dst, src,
          AscendC::DataCopyParams(static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(tile.columns),
                                  static_cast<uint16_t>(src_gap), static_cast<uint16_t>(dst_gap)));
      return;
    }
    for (int64_t row = 0; row < tile.rows; ++row) {
      for (int64_t at = 0; at < tile.columns; at += kMostRuns) {
        const int64_t left = tile.columns - at;
        const int64_t count = left < kMostRuns ? left : kMostRuns;
        AscendC::DataCopy(dst[static_cast<uint32_t>((row * spacing_h_ * width + at * spacing_w_) * c0)],
                          src[static_cast<uint64_t>((row * wo + at) * c0)],
                          AscendC::DataCopyParams(static_cast<uint16_t>(count), 1, 0,
                                                  static_cast<uint16_t>(spacing_w_ - 1)));
      }
    }
  }

  const TConv3DBackpropInputTiling* tiling_ = nullptr;
  AscendC::GlobalTensor<T> gradient_;
  int64_t first_row_ = 0;
  int64_t spacing_h_ = 1;
  int64_t spacing_w_ = 1;
  GradientTile zeros_[2];  // the shapes for which the buffers hold zeros
};

}  // namespace ConvBackpropApi
