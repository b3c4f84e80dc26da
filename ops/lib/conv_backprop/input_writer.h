// The way out of Conv3DBackpropInput: a block from L0C to dx in GM, converted, to where its pixels belong.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_spread_write.h"

namespace ConvBackpropApi {

// Writes blocks of dx. Knows no product.
template <class T>
class InputWriter {
 public:
  // `dx` starts at the first pixel and the first line of cin1 of the block's N, in its depth plane.
  // `first_row` is the single shape's, so 0 at `dx`.
  __aicore__ inline void Write(const AscendC::GlobalTensor<T>& dx, const AscendC::LocalTensor<float>& c,
                               const InputBlock& block, int64_t lines,
                               const TConv3DBackpropInputTiling& tiling) const {
    const int64_t wi = tiling.wi;
    const int64_t plane = int64_t{tiling.hi} * wi;  // pixels
    const int64_t first = (block.h.phase + block.row_begin * block.h.split) * wi + block.w.phase +
                          block.col_begin * block.w.split;
    const AscendC::GlobalTensor<T> dst = dx[static_cast<uint64_t>(first * kC0)];
    const int64_t strip = (block.pixels + 15) / 16 * 16;  // rows of L0C from 16 columns to the next
    if (!block.split()) {
      WriteRun(dst, c, block.pixels, lines, plane, strip);
      return;
    }
    const int64_t rows = block.row_end - block.row_begin;
    const int64_t columns = block.columns();
    if (block.w.split == 1) {
      for (int64_t r = 0; r < rows; ++r) {
        WriteRun(dst[static_cast<uint64_t>(r * block.h.split * wi * kC0)],
                 c[static_cast<uint32_t>(r * columns * 16)], columns, lines, plane, strip);
      }
      return;
    }
    WriteSpread(dst, c,
                {.rows = rows,
                 .columns = columns,
                 .lines = lines,
                 .row_step = block.h.split * wi * kC0,
                 .line_step = plane * kC0},
                block.w.split * kC0, strip);
  }

  // Writes a turned block, (channels, pixels), in NCDHW. `dx` starts at the first pixel of the single shape
  // in the block's first channel and depth plane; `channels` of `lines` lines exist.
  __aicore__ inline void WriteTurned(const AscendC::GlobalTensor<T>& dx, const AscendC::LocalTensor<float>& c,
                                     const InputBlock& block, int64_t channels, int64_t lines,
                                     const TConv3DBackpropInputTiling& tiling) const {
    const int64_t wi = tiling.wi;
    const int64_t strip = (lines * kC0 + 15) / 16 * 16;  // rows of L0C from 16 columns to the next
    const bool together = block.row_width == wi;         // rows follow each other in dx as in L0C
    const int64_t rows = block.row_end - block.row_begin;
    for (int64_t r = 0; r < (together ? 1 : rows); ++r) {
      AscendC::FixpipeParamsV220 params;
      params.nSize = static_cast<uint16_t>(together ? block.pixels : block.row_columns);
      params.mSize = static_cast<uint16_t>(channels);
      params.srcStride = static_cast<uint16_t>(strip);
      params.dstStride = static_cast<uint32_t>(int64_t{tiling.di} * tiling.hi * wi);
      params.quantPre = kQuant;
      AscendC::Fixpipe<T, float, AscendC::CFG_ROW_MAJOR>(
          dx[static_cast<uint64_t>((block.row_begin + r) * wi + block.col_begin)],
          c[static_cast<uint32_t>(r * block.row_width * strip)], params);
    }
  }

 private:
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE / sizeof(T);
  static constexpr QuantMode_t kQuant = AscendC::IsSameType<T, float>::value  ? QuantMode_t::NoQuant
                                        : AscendC::IsSameType<T, half>::value ? QuantMode_t::F322F16
                                                                              : QuantMode_t::F322BF16;

  // Pixels that follow each other in dx.
  __aicore__ inline void WriteRun(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<float>& c,
                                  int64_t pixels, int64_t lines, int64_t plane, int64_t strip) const {
    AscendC::DataCopy(
        dst, c,
        AscendC::DataCopyCO12DstParams(static_cast<uint16_t>(lines * kC0), static_cast<uint16_t>(pixels),
                                       static_cast<uint32_t>(plane), static_cast<uint16_t>(strip), kQuant, 0,
                                       AscendC::IsSameType<T, float>::value, false));
  }

  // Pixels of a phase of W, `column_step` elements of dx from one to the next; `strip` rows of L0C.
  __aicore__ inline void WriteSpread(const AscendC::GlobalTensor<T>& dst,
                                     const AscendC::LocalTensor<float>& c, const SpreadBlock& b,
                                     int64_t column_step, int64_t strip) const {
    const SpreadWrite write = SpreadWrite::Of(b);
    for (int64_t line = 0; line < write.line_moves; ++line) {
      for (int64_t row = 0; row < write.row_moves; ++row) {
        AscendC::FixpipeParamsV220 params;
        params.nSize = kC0;
        params.mSize = static_cast<uint16_t>(b.columns);
        params.srcStride = static_cast<uint16_t>(strip);
        params.dstStride = static_cast<uint32_t>(column_step);
        params.quantPre = kQuant;
        if (write.rows_together) {
          params.ndNum = static_cast<uint16_t>(b.rows);
          params.srcNdStride = static_cast<uint16_t>(b.columns / 16);
          params.dstNdStride = static_cast<uint16_t>(b.row_step);
        } else if (write.lines_together) {
          params.ndNum = static_cast<uint16_t>(b.lines);
          params.srcNdStride = static_cast<uint16_t>(strip / 16);
          params.dstNdStride = static_cast<uint16_t>(b.line_step);
        }
        AscendC::Fixpipe<T, float, AscendC::CFG_ROW_MAJOR>(
            dst[static_cast<uint64_t>(line * b.line_step + row * b.row_step)],
            c[static_cast<uint32_t>((line * strip + row * b.columns) * 16)], params);
      }
    }
  }
};

}  // namespace ConvBackpropApi
