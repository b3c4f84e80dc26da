// One operand of the matrix product on its way from GM over L1 to L0.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {

// A tile in L1, fractal by fractal: column strips of 32 bytes, `rows` rows each.
struct MatmulPlace {
  int64_t rows = 0;
  int64_t columns = 0;
};

// Where a block lies in its tile: from (free, k) on, free being m or n.
struct MatmulPart {
  int64_t free_start = 0;
  int64_t free = 0;
  int64_t k_start = 0;
  int64_t k = 0;
};

// A row-major matrix in GM with one axis K and one that is M or N. Knows no buffer and no order.
template <class T>
class MatmulOperand {
 public:
  // `row` is the length of a row in GM, elements. `k_in_rows`: K runs down the rows. `whole_fractals`: its
  // strips in L1 are to be whole fractals.
  __aicore__ inline void Init(GM_ADDR address, int64_t row, bool k_in_rows, bool whole_fractals) {
    gm_.SetGlobalBuffer(reinterpret_cast<T*>(address));
    row_ = row;
    k_in_rows_ = k_in_rows;
    whole_fractals_ = whole_fractals;
  }

  // Of the matrix in GM.
  [[nodiscard]] __aicore__ inline uint64_t address() const { return gm_.address(); }
  // The matrix from (free, k) on.
  __aicore__ inline AscendC::GlobalTensor<T> At(const MatmulRange& free, const MatmulRange& k) const {
    const MatmulRange& down = k_in_rows_ ? k : free;
    const MatmulRange& along = k_in_rows_ ? free : k;
    return gm_[static_cast<uint64_t>(down.begin * row_ + along.begin)];
  }

  // Brings (free, k) of the matrix into L1.
  __aicore__ inline MatmulPlace Bring(const AscendC::LocalTensor<T>& dst, const MatmulRange& free,
                                      const MatmulRange& k) const {
    const MatmulRange& down = k_in_rows_ ? k : free;
    const MatmulRange& along = k_in_rows_ ? free : k;
    const MatmulPlace place = {whole_fractals_ ? Ceil(down.size(), 16) : down.size(), along.size()};
    const AscendC::GlobalTensor<T> src = At(free, k);
    if (down.size() == 1 || row_ > kMostRowStride) {
      for (int64_t r = 0; r < down.size(); ++r) {
        Copy(dst[static_cast<uint32_t>(r * kC0)], src[static_cast<uint64_t>(r * row_)], 1, place,
             place.columns);
      }
    } else {
      Copy(dst, src, down.size(), place, row_);
    }
    if (place.rows > down.size()) {  // what the last fractal has below the matrix
      const int64_t missing = place.rows - down.size();
      AscendC::InitConstValue(dst[static_cast<uint32_t>(down.size() * kC0)],
                              AscendC::InitConstValueParams<T>(
                                  static_cast<uint16_t>(Ceil(place.columns, kC0) / kC0),
                                  static_cast<uint16_t>(missing), static_cast<uint16_t>(down.size()), T(0)));
    }
    return place;
  }

  // Rows of M into L0A.
  __aicore__ inline void LoadA(const AscendC::LocalTensor<T>& a2, const AscendC::LocalTensor<T>& a1,
                               const MatmulPlace& place, const MatmulPart& part) const {
    AscendC::LoadData3DParamsV2<T> params = Window(place, part);
    params.enTranspose = k_in_rows_;
    AscendC::LoadData(a2, a1, params);
  }

  // Columns of N into L0B: img2col turns K-down tiles on its way; others have the fractals of L0B already.
  __aicore__ inline void LoadB(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                               const MatmulPlace& place, const MatmulPart& part) const {
    if (k_in_rows_) {
      AscendC::LoadData(b2, b1, Window(place, part));
      return;
    }
    const int64_t in_strip = place.rows / 16;  // fractals of the tile
    const int64_t wanted = Ceil(part.free, 16) / 16;
    const int64_t strips = Ceil(part.k, kC0) / kC0;
    const int64_t first = part.k_start / kC0 * in_strip + part.free_start / 16;
    const bool together = wanted == in_strip;
    const int64_t run = together ? wanted * strips : wanted;
    for (int64_t strip = 0; strip < (together ? 1 : strips); ++strip) {
      LoadFractals(b2[static_cast<uint32_t>(strip * wanted * kFractal)], b1, first + strip * in_strip, run);
    }
  }

 private:
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kFractal = 16 * kC0;
  static constexpr int64_t kMostRowStride = 65535;  // srcDValue
  static constexpr int64_t kMostRepeat = 255;

  static __aicore__ inline int64_t Ceil(int64_t value, int64_t granule) {
    return (value + granule - 1) / granule * granule;
  }

  // `rows` rows of GM, `row` elements from one to the next.
  __aicore__ inline void Copy(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
                              int64_t rows, const MatmulPlace& place, int64_t row) const {
    AscendC::DataCopy(
        dst, src,
        AscendC::Nd2NzParams(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(place.columns), 0,
                             static_cast<uint16_t>(row), static_cast<uint16_t>(place.rows), 1, 0));
  }

  // The tile as an image of one row under a filter of one pixel: its rows are pixels, its columns channels.
  __aicore__ inline AscendC::LoadData3DParamsV2<T> Window(const MatmulPlace& place,
                                                          const MatmulPart& part) const {
    AscendC::LoadData3DParamsV2<T> params;
    params.l1H = 1;
    params.l1W = static_cast<uint16_t>(place.rows);
    params.channelSize = static_cast<uint16_t>(Ceil(place.columns, kC0));
    params.mStartPt = static_cast<uint16_t>(k_in_rows_ ? part.k_start : part.free_start);
    params.mExtension = static_cast<uint16_t>(Ceil(k_in_rows_ ? part.k : part.free, 16));
    params.kStartPt = static_cast<uint16_t>(k_in_rows_ ? part.free_start : part.k_start);
    params.kExtension = static_cast<uint16_t>(Ceil(k_in_rows_ ? part.free : part.k, kC0));
    return params;
  }

  __aicore__ inline void LoadFractals(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                      int64_t first, int64_t count) const {
    for (int64_t at = 0; at < count; at += kMostRepeat) {
      AscendC::LoadData2DParams params;
      params.startIndex = static_cast<uint16_t>(first + at);
      params.repeatTimes = static_cast<uint8_t>(count - at < kMostRepeat ? count - at : kMostRepeat);
      params.srcStride = 1;
      AscendC::LoadData(b2[static_cast<uint32_t>(at * kFractal)], b1, params);
    }
  }

  AscendC::GlobalTensor<T> gm_;
  int64_t row_ = 0;
  bool k_in_rows_ = false;
  bool whole_fractals_ = false;
};

}  // namespace tilesim
