// The operands of Conv3DBackpropFilter, gradOutput (A) and the feature map (B): their copies from GM to L1
// and from there, as matrices, to L0.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/copy_runs.h"
#include "lib/conv_backprop/filter_blocks.h"

namespace ConvBackpropApi {

// A in L1: [c1][pixels][C0] of gradOutput.
struct FilterPlaceA {
  uint32_t pixels = 0;
};

// B in L1: [lines of c1][rows][wi][C0] of the feature map, and the paddings with which a window of it gives
// the output rows from `first_ho` on.
struct FilterPlaceB {
  uint32_t first_line = 0;
  uint32_t lines = 0;
  uint32_t first_ho = 0;
  uint16_t rows = 0;
  uint8_t pad_top = 0;
  uint8_t pad_bottom = 0;
};

// Rows of the feature map behind output rows [first_ho, last_ho] of a core that starts at row `ho_start`: the
// rows to copy, relative to the tensor the caller set, and the padding above and below them. A window that
// lies wholly in the padding copies one row that it does not use and sees padding above it only.
struct FilterRows {
  int64_t first = 0;  // relative to the first row of the caller's tensor
  int64_t count = 0;
  int64_t pad_top = 0;
  int64_t pad_bottom = 0;
};
__aicore__ inline FilterRows RowsBehind(const TConv3DBpFilterTiling& tiling, int64_t ho_start,
                                        int64_t first_ho, int64_t last_ho) {
  const int64_t hi = tiling.hi;
  const int64_t tensor_row = ho_start * tiling.strideH - static_cast<int64_t>(tiling.padUp);
  const int64_t base = tensor_row > 0 ? tensor_row : 0;  // the row at which the caller's tensor starts
  const int64_t top = (ho_start + first_ho) * tiling.strideH - static_cast<int64_t>(tiling.padUp);
  const int64_t bottom = (ho_start + last_ho) * tiling.strideH - static_cast<int64_t>(tiling.padUp) +
                         static_cast<int64_t>(tiling.hk - 1) * tiling.dilationH;
  if (bottom < 0) {
    return {.first = 0 - base, .count = 1, .pad_top = -top, .pad_bottom = 0};
  }
  if (top >= hi) {
    return {.first = hi - 1 - base, .count = 1, .pad_top = bottom - top + 1, .pad_bottom = 0};
  }
  const int64_t first = top > 0 ? top : 0;
  const int64_t last = bottom < hi - 1 ? bottom : hi - 1;
  return {.first = first - base,
          .count = last - first + 1,
          .pad_top = top < 0 ? -top : 0,
          .pad_bottom = bottom > hi - 1 ? bottom - (hi - 1) : 0};
}

// Brings the operands of one single shape. Knows no buffers and no order.
template <class T>
class FilterOperands {
 public:
  // `input` and `grad_output` start at the first row and channel of this core.
  __aicore__ inline void Start(const TConv3DBpFilterTiling& tiling, const FilterShape& shape,
                               const AscendC::GlobalTensor<T>& input,
                               const AscendC::GlobalTensor<T>& grad_output) {
    tiling_ = &tiling;
    shape_ = shape;
    input_ = input;
    grad_output_ = grad_output;
  }

  // Brings the tile of step `m_step_index` in M and `k_step` in K of gradOutput into L1.
  __aicore__ inline FilterPlaceA LoadA1(const AscendC::LocalTensor<T>& dst, uint32_t m_step_index,
                                        uint32_t k_step) const {
    const TConv3DBpFilterTiling& tiling = *tiling_;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t plane = uint64_t{tiling.ho} * tiling.wo;
    const uint64_t step_m = uint64_t{tiling.stepM} * tiling.baseM;
    const uint64_t step_k = uint64_t{tiling.stepKa} * tiling.baseK;
    const uint64_t pixels = RestOf(shape_.k, step_k, k_step);
    const uint64_t planes = RestOf(shape_.m, step_m, m_step_index) / c0;
    const uint64_t first_plane = m_step_index * step_m / c0;
    CopyRuns(dst, grad_output_[(first_plane * plane + k_step * step_k) * c0], planes, pixels, plane);
    return {.pixels = static_cast<uint32_t>(pixels)};
  }

  // The same of the feature map, with the rows that the tile's output pixels see.
  __aicore__ inline FilterPlaceB LoadB1(const AscendC::LocalTensor<T>& dst, uint32_t n_step_index,
                                        uint32_t k_step) const {
    const TConv3DBpFilterTiling& tiling = *tiling_;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t window = uint64_t{tiling.hk} * tiling.wk * c0;  // columns of one line
    const uint64_t step_n = uint64_t{tiling.stepN} * tiling.baseN;
    const uint64_t step_k = uint64_t{tiling.stepKb} * tiling.baseK;
    const uint64_t first_n = n_step_index * step_n;
    const uint64_t last_n = first_n + RestOf(shape_.n, step_n, n_step_index) - 1;
    const uint64_t first_k = k_step * step_k;
    const uint64_t last_k = first_k + RestOf(shape_.k, step_k, k_step) - 1;
    FilterPlaceB place;
    place.first_line = static_cast<uint32_t>(first_n / window);
    place.lines = static_cast<uint32_t>(last_n / window) - place.first_line + 1;
    place.first_ho = static_cast<uint32_t>(first_k / tiling.wo);
    const FilterRows rows =
        RowsBehind(tiling, shape_.ho_start, place.first_ho, static_cast<int64_t>(last_k / tiling.wo));
    place.rows = static_cast<uint16_t>(rows.count);
    place.pad_top = static_cast<uint8_t>(rows.pad_top);
    place.pad_bottom = static_cast<uint8_t>(rows.pad_bottom);
    const uint64_t plane = uint64_t{tiling.hi} * tiling.wi;
    const uint64_t start = place.first_line * plane + static_cast<uint64_t>(rows.first) * tiling.wi;
    CopyRuns(dst, input_[start * c0], place.lines, static_cast<uint64_t>(rows.count) * tiling.wi, plane);
    return place;
  }

  // gradOutput as a 1 x pixels image under a 1 x 1 filter, transposed: (m, k) in L0A.
  __aicore__ inline void LoadA2(const AscendC::LocalTensor<T>& a2, const AscendC::LocalTensor<T>& a1,
                                const FilterPlaceA& place, const FilterBlockWalk& walk, uint32_t k) const {
    const TConv3DBpFilterTiling& tiling = *tiling_;
    AscendC::LoadData3DParamsV2<T> params;
    params.l1H = 1;
    params.l1W = static_cast<uint16_t>(place.pixels);
    params.channelSize =
        static_cast<uint16_t>(RestOf(shape_.m, uint64_t{tiling.stepM} * tiling.baseM, walk.m_step()));
    params.kExtension = static_cast<uint16_t>(shape_.BlockM(tiling, walk));
    params.kStartPt = static_cast<uint16_t>((walk.m % tiling.stepM) * tiling.baseM);
    params.mExtension = PixelsOf(k);
    params.mStartPt = static_cast<uint16_t>((k % tiling.stepKa) * tiling.baseK);
    params.enTranspose = true;
    AscendC::LoadData(a2, a1, params);
  }

  // The windows of the feature map: (k, n) in L0B.
  __aicore__ inline void LoadB2(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                const FilterPlaceB& place, const FilterBlockWalk& walk, uint32_t k) const {
    const TConv3DBpFilterTiling& tiling = *tiling_;
    const uint64_t c0 = tiling.channelSize;
    const uint64_t window = uint64_t{tiling.hk} * tiling.wk * c0;
    const uint8_t pads[AscendC::PAD_SIZE] = {static_cast<uint8_t>(tiling.padLeft),
                                             static_cast<uint8_t>(tiling.padRight), place.pad_top,
                                             place.pad_bottom};
    AscendC::SetFmatrix(place.rows, static_cast<uint16_t>(tiling.wi), pads,
                        AscendC::FmatrixMode::FMATRIX_RIGHT);
    AscendC::LoadData3DParamsV2<T> params;
    params.channelSize = static_cast<uint16_t>(place.lines * c0);
    params.l1H = place.rows;
    params.l1W = static_cast<uint16_t>(tiling.wi);
    params.kExtension = static_cast<uint16_t>(shape_.BlockN(tiling, walk));
    params.kStartPt = static_cast<uint16_t>(uint64_t{walk.n} * tiling.baseN - place.first_line * window);
    params.mExtension = PixelsOf(k);
    params.mStartPt =
        static_cast<uint16_t>(uint64_t{k} * tiling.baseK - uint64_t{place.first_ho} * tiling.wo);
    params.strideW = static_cast<uint8_t>(tiling.strideW);
    params.strideH = static_cast<uint8_t>(tiling.strideH);
    params.filterW = static_cast<uint8_t>(tiling.wk > 255 ? tiling.wk - 256 : tiling.wk);
    params.filterH = static_cast<uint8_t>(tiling.hk > 255 ? tiling.hk - 256 : tiling.hk);
    params.filterSizeW = tiling.wk > 255;
    params.filterSizeH = tiling.hk > 255;
    params.dilationFilterW = static_cast<uint8_t>(tiling.dilationW);
    params.dilationFilterH = static_cast<uint8_t>(tiling.dilationH);
    params.fMatrixCtrl = true;
    static constexpr AscendC::IsResetLoad3dConfig kKeepFmatrix = {false, true};
    AscendC::LoadData<T, kKeepFmatrix>(b2, b1, params);
  }

 private:
  // Of block k of K, whole fractals.
  __aicore__ inline uint16_t PixelsOf(uint32_t k) const {
    return static_cast<uint16_t>((shape_.BlockK(*tiling_, k) + 15) / 16 * 16);
  }

  const TConv3DBpFilterTiling* tiling_ = nullptr;
  FilterShape shape_;
  AscendC::GlobalTensor<T> input_;
  AscendC::GlobalTensor<T> grad_output_;
};

}  // namespace ConvBackpropApi
