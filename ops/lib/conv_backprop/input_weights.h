// Operand B of Conv3DBackpropInput: the weights, from FRACTAL_Z_3D in GM to L1 and, transposed and with their
// taps reversed, to L0B.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/copy_runs.h"
#include "tiling/conv_backprop/input_image.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

// Taps of the filter along one axis, ascending: first, first + step, ...
struct WeightTaps {
  uint32_t first = 0;
  uint32_t count = 1;
  uint32_t step = 1;
  friend bool operator==(const WeightTaps& a, const WeightTaps& b) {
    return a.first == b.first && a.count == b.count && a.step == b.step;
  }
};

// Those that a phase of dx takes, of `taps` in all.
__aicore__ inline WeightTaps TapsOf(const GradientPhase& phase, uint32_t taps) {
  return {.first = taps - 1 - phase.first_tap - (phase.taps - 1) * phase.tap_step,
          .count = phase.taps,
          .step = phase.tap_step};
}

// B in L1: [lines of cin1][taps][output channels][C0 input channels] of one depth plane of the filter.
struct WeightTile {
  int64_t tap_d = 0;
  int64_t line = 0;
  int64_t lines = 0;
  int64_t plane = 0;  // C0 output channels each
  int64_t planes = 0;
  WeightTaps h;
  WeightTaps w;

  int64_t taps() const { return int64_t{h.count} * w.count; }
  friend bool operator==(const WeightTile& a, const WeightTile& b) {
    return a.tap_d == b.tap_d && a.line == b.line && a.lines == b.lines && a.plane == b.plane &&
           a.planes == b.planes && a.h == b.h && a.w == b.w;
  }
};

template <class T>
class WeightLoader {
 public:
  // `weight` starts at the first line of cin1 of this core, depth 0.
  __aicore__ inline void Start(const TConv3DBackpropInputTiling& tiling,
                               const AscendC::GlobalTensor<T>& weight) {
    tiling_ = &tiling;
    weight_ = weight;
  }

  // Brings a tile into L1.
  __aicore__ inline void Load(const AscendC::LocalTensor<T>& dst, const WeightTile& tile) const {
    const int64_t hk = tiling_->hk;
    const int64_t wk = tiling_->wk;
    const int64_t channels = CeilOf(int64_t{tiling_->cout1G} * kC0, 16) * 16;
    const int64_t rows = tile.planes * kC0;  // output channels of the tile, 32 bytes of each
    const auto source = [&](int64_t line, int64_t tap) {
      const int64_t run = ((tile.tap_d * tiling_->cin1G + line) * hk * wk + tap) * channels;
      return weight_[static_cast<uint64_t>((run + tile.plane * kC0) * kC0)];
    };
    if (tile.taps() == hk * wk) {
      CopyRuns(dst, source(tile.line, 0), static_cast<uint64_t>(tile.lines * hk * wk),
               static_cast<uint64_t>(rows), static_cast<uint64_t>(channels));
      return;
    }
    for (int64_t line = 0; line < tile.lines; ++line) {
      for (int64_t h = 0; h < tile.h.count; ++h) {
        const int64_t tap = (tile.h.first + h * tile.h.step) * wk + tile.w.first;
        CopyRuns(dst[static_cast<uint32_t>((line * tile.h.count + h) * tile.w.count * rows * kC0)],
                 source(tile.line + line, tap), tile.w.count, static_cast<uint64_t>(rows),
                 static_cast<uint64_t>(tile.w.step * channels));
      }
    }
  }

  // K runs over (plane, reversed tap, channel). `k_length` of it from element `k` of the tile on: (k, n) in
  // L0B. The vendor compiles three walks: one tap (2), less than every tap in baseK (0), every tap (1); here
  // the tile in hand decides.
  __aicore__ inline void LoadReversed(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                      const WeightTile& tile, int64_t k, int64_t k_length) const {
    const int64_t taps = tile.taps();
    const int64_t blocks = k_length / kC0;
    if constexpr (sizeof(T) == 4) {
      SetImage(tile);
    }
    if (taps == 1) {
      LoadOneTap(b2, b1, tile, k / kC0, blocks);
      return;
    }
    const int64_t columns = CeilOf(tile.lines * kC0, 16);  // fractals
    int64_t plane = k / kC0 / taps;
    int64_t tap = k / kC0 % taps;
    for (int64_t i = 0; i < blocks; ++i) {
      LoadBlock(b2[static_cast<uint32_t>(i * columns * kFractal)], b1, tile, taps - 1 - tap, plane);
      if (++tap == taps) {
        tap = 0;
        ++plane;
      }
    }
  }

  // The same turned: (n, k) in L0A.
  __aicore__ inline void LoadReversedRows(const AscendC::LocalTensor<T>& a2,
                                          const AscendC::LocalTensor<T>& b1, const WeightTile& tile,
                                          int64_t k, int64_t k_length) const {
    const int64_t taps = tile.taps();
    const int64_t blocks = k_length / kC0;
    if constexpr (sizeof(T) == 4) {
      SetImage(tile);
      if (taps == 1) {
        LoadImageRows(a2, b1, tile, k, k_length, blocks);
        return;
      }
    }
    int64_t plane = k / kC0 / taps;
    int64_t tap = k / kC0 % taps;
    for (int64_t i = 0; i < blocks; ++i) {
      const AscendC::LocalTensor<T> to = a2[static_cast<uint32_t>(i * kFractal)];
      if constexpr (sizeof(T) == 4) {
        LoadImageRows(to, b1, tile, ((taps - 1 - tap) * tile.planes + plane) * kC0, kC0, blocks);
      } else {
        LoadBlock(to, b1, tile, taps - 1 - tap, plane, blocks - 1);
      }
      if (++tap == taps) {
        tap = 0;
        ++plane;
      }
    }
  }

 private:
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE / sizeof(T);
  static constexpr int64_t kFractal = 512 / sizeof(T);  // elements

  // One tap of one plane: C0 of K, `gap` fractals between those of N. The fractals of a tap's 16-bit weights
  // hold K along their rows; those of fp32 do so only in 8 of 16 rows, so that they are taken as an image of
  // (taps, output channels) pixels.
  __aicore__ inline void LoadBlock(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                   const WeightTile& tile, int64_t tap, int64_t plane,
                                   int64_t gap = 0) const {
    if constexpr (sizeof(T) == 4) {
      LoadImage(b2, b1, tile, (tap * tile.planes + plane) * kC0, kC0);
    } else {
      AscendC::LoadData(b2, b1,
                        AscendC::LoadData2DParams(static_cast<uint16_t>(tap * tile.planes + plane),
                                                  static_cast<uint8_t>(tile.lines),
                                                  static_cast<uint16_t>(tile.taps() * tile.planes), 0,
                                                  static_cast<uint16_t>(gap), true, 0));
    }
  }

  // Planes follow each other in L1: one instruction a line of N, or one a plane, whichever is less.
  __aicore__ inline void LoadOneTap(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                    const WeightTile& tile, int64_t plane, int64_t planes) const {
    if constexpr (sizeof(T) == 4) {
      LoadImage(b2, b1, tile, plane * kC0, planes * kC0);
    } else {
      if (planes <= tile.lines) {
        for (int64_t i = 0; i < planes; ++i) {
          LoadBlock(b2[static_cast<uint32_t>(i * tile.lines * kFractal)], b1, tile, 0, plane + i);
        }
        return;
      }
      for (int64_t line = 0; line < tile.lines; ++line) {
        AscendC::LoadData(b2[static_cast<uint32_t>(line * kFractal)], b1,
                          AscendC::LoadData2DParams(static_cast<uint16_t>(line * tile.planes + plane),
                                                    static_cast<uint8_t>(planes), 1, 0,
                                                    static_cast<uint16_t>(tile.lines - 1), true, 0));
      }
    }
  }

  __aicore__ inline void SetImage(const WeightTile& tile) const {
    const uint8_t no_pads[AscendC::PAD_SIZE] = {0, 0, 0, 0};
    AscendC::SetFmatrix(static_cast<uint16_t>(tile.taps()), static_cast<uint16_t>(tile.planes * kC0), no_pads,
                        AscendC::FmatrixMode::FMATRIX_RIGHT);
  }
  // Pixels [pixel, pixel + count), output channels of one tap: as K of L0B with every channel as N.
  __aicore__ inline void LoadImage(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                   const WeightTile& tile, int64_t pixel, int64_t count) const {
    LoadImagePart(b2, b1, tile, pixel, count, 0, tile.lines * kC0);
  }
  // The same pixels as K of L0A with the channels as its rows, `row_fractals` from 16 rows to the next. An
  // instruction puts 2 of them behind each 16 pixels: where that is another number, it takes 16 rows alone.
  __aicore__ inline void LoadImageRows(const AscendC::LocalTensor<T>& a2, const AscendC::LocalTensor<T>& b1,
                                       const WeightTile& tile, int64_t pixel, int64_t count,
                                       int64_t row_fractals) const {
    constexpr int64_t kRows = 16;
    const int64_t channels = tile.lines * kC0;
    const int64_t each = row_fractals == 2 * CeilOf(count, 16) ? channels : kRows;
    for (int64_t at = 0; at < channels; at += each) {
      LoadImagePart(a2[static_cast<uint32_t>(at / kRows * row_fractals * kFractal)], b1, tile, pixel, count,
                    at, Least(each, channels - at));
    }
  }
  // Channels [channel, channel + channels) of them, transposed: into L0B LoadData does so in any case.
  __aicore__ inline void LoadImagePart(const AscendC::LocalTensor<T>& l0, const AscendC::LocalTensor<T>& b1,
                                       const WeightTile& tile, int64_t pixel, int64_t count, int64_t channel,
                                       int64_t channels) const {
    AscendC::LoadData3DParamsV2<T> params;
    params.l1H = static_cast<uint16_t>(tile.taps());
    params.l1W = static_cast<uint16_t>(tile.planes * kC0);
    params.channelSize = static_cast<uint16_t>(tile.lines * kC0);
    params.kStartPt = static_cast<uint16_t>(channel);
    params.kExtension = static_cast<uint16_t>(channels);
    params.mExtension = static_cast<uint16_t>(count);
    params.enTranspose = true;
    params.fMatrixCtrl = true;
    static constexpr AscendC::IsResetLoad3dConfig kKeepFmatrix = {false, true};
    // from the tensor's start, not from mStartPt, which is at most 32767
    AscendC::LoadData<T, kKeepFmatrix>(l0, b1[static_cast<uint32_t>(pixel * kC0)], params);
  }

  const TConv3DBackpropInputTiling* tiling_ = nullptr;
  AscendC::GlobalTensor<T> weight_;
};

}  // namespace ConvBackpropApi
