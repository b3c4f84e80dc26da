// One operand of the matrix product on its way from GM over L1 to L0.
#pragma once

#include <cstdint>
#include <type_traits>

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

// A matrix with one axis K and one that is M or N: row-major in GM, or there as strips of 32 bytes (NZ), or
// in L1 already. Knows no buffer and no order.
template <class T>
class MatmulOperand {
 public:
  static constexpr int64_t kBits = AscendC::simulator::kElementBits<T>;
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE * 8 / kBits;
  // Of 8 and of 4 bits img2col turns nothing: squares of kC0 x kC0 are turned instead.
  static constexpr bool kSquares = kBits <= 8;

  // `row` is the length of a row in GM, elements. `k_in_rows`: K runs down the rows. `whole_fractals`: its
  // strips in L1 are to be whole fractals.
  __aicore__ inline void Init(GM_ADDR address, int64_t row, bool k_in_rows, bool whole_fractals) {
    gm_.SetGlobalBuffer(reinterpret_cast<T*>(address));
    row_ = row;
    k_in_rows_ = k_in_rows;
    granule_ = kSquares && k_in_rows ? kC0 : whole_fractals ? 16 : 1;
    strips_ = false;
    resident_ = false;
  }
  // NZ: strips of kC0 columns one behind the other, each of `rows` rows, a multiple of 16.
  __aicore__ inline void InitStrips(GM_ADDR address, int64_t rows, bool k_in_rows) {
    Init(address, rows, k_in_rows, true);
    strips_ = true;
  }
  // All of it lies in L1 as a tile does.
  __aicore__ inline void InitResident(const AscendC::LocalTensor<T>& tile, const MatmulPlace& place,
                                      bool k_in_rows) {
    tile_ = tile;
    place_ = place;
    k_in_rows_ = k_in_rows;
    resident_ = true;
  }
  // Accesses from this address on are faults; 0: from none.
  __aicore__ inline void SetLimit(uint64_t limit) {
    if (limit > gm_.address()) {
      gm_.SetGlobalBuffer(gm_.GetPhyAddr(), (limit - gm_.address()) * 8 / kBits);
    }
  }
  // Behind the last column of a tile zeros follow up to a multiple of `granule`.
  __aicore__ inline void PadColumns(int64_t granule) { column_granule_ = granule > kC0 ? granule : 1; }
  [[nodiscard]] __aicore__ inline bool resident() const { return resident_; }
  [[nodiscard]] __aicore__ inline const AscendC::LocalTensor<T>& tile() const { return tile_; }
  [[nodiscard]] __aicore__ inline const MatmulPlace& place() const { return place_; }

  // Of the matrix in GM.
  [[nodiscard]] __aicore__ inline uint64_t address() const { return gm_.address(); }
  // The matrix from (free, k) on.
  __aicore__ inline AscendC::GlobalTensor<T> At(const MatmulRange& free, const MatmulRange& k) const {
    const MatmulRange& down = k_in_rows_ ? k : free;
    const MatmulRange& along = k_in_rows_ ? free : k;
    return gm_[static_cast<uint64_t>(strips_ ? along.begin * row_ + down.begin * kC0
                                             : down.begin * row_ + along.begin)];
  }

  // Brings (free, k) of the matrix into L1.
  __aicore__ inline MatmulPlace Bring(const AscendC::LocalTensor<T>& dst, const MatmulRange& free,
                                      const MatmulRange& k) const {
    const MatmulRange& down = k_in_rows_ ? k : free;
    const MatmulRange& along = k_in_rows_ ? free : k;
    const MatmulPlace place = {Ceil(down.size(), granule_), along.size()};
    const int64_t columns = Ceil(place.columns, column_granule_);
    const AscendC::GlobalTensor<T> src = At(free, k);
    const int64_t rows = strips_ ? Ceil(down.size(), 16) : down.size();
    if (strips_) {
      CopyStrips(dst, src, rows, place);
    } else if (down.size() == 1 || row_ > kMostRowStride) {
      for (int64_t r = 0; r < down.size(); ++r) {
        Copy(dst[static_cast<uint32_t>(r * kC0)], src[static_cast<uint64_t>(r * row_)], 1, place,
             place.columns);
      }
    } else {
      Copy(dst, src, down.size(), place, row_);
    }
    if (place.rows > rows) {  // what the last fractal has below the matrix
      const int64_t missing = place.rows - rows;
      Zero(dst[static_cast<uint32_t>(rows * kC0)], Ceil(place.columns, kC0) / kC0, missing, rows);
    }
    if (const int64_t strips = (columns - Ceil(place.columns, kC0)) / kC0; strips > 0) {
      Zero(dst[static_cast<uint32_t>(Ceil(place.columns, kC0) * place.rows)], 1, strips * place.rows, 0);
    }
    return {place.rows, columns};
  }

  // Of a tile whose strips are whole fractals.
  [[nodiscard]] __aicore__ inline MatmulPlace PlaceOfFractals(const MatmulRange& free,
                                                              const MatmulRange& k) const {
    const MatmulRange& down = k_in_rows_ ? k : free;
    const MatmulRange& along = k_in_rows_ ? free : k;
    return {Ceil(down.size(), kSquares && k_in_rows_ ? kC0 : 16), along.size()};
  }

  // Rows of M into L0A.
  __aicore__ inline void LoadA(const AscendC::LocalTensor<T>& a2, const AscendC::LocalTensor<T>& a1,
                               const MatmulPlace& place, const MatmulPart& part) const {
    if constexpr (kSquares) {
      if (k_in_rows_) {
        LoadSquaresA(a2, a1, place, part);
        return;
      }
    }
    AscendC::LoadData3DParamsV2<T> params = Window(place, part);
    params.enTranspose = k_in_rows_;
    AscendC::LoadData(a2, a1, params);
  }

  // Columns of N into L0B: img2col turns K-down tiles on its way; others have the fractals of L0B already.
  __aicore__ inline void LoadB(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                               const MatmulPlace& place, const MatmulPart& part) const {
    if (k_in_rows_) {
      if constexpr (kSquares) {
        LoadSquaresB(b2, b1, place, part);
      } else {
        AscendC::LoadData(b2, b1, Window(place, part));
      }
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
  static constexpr int64_t kFractal = 16 * kC0;
  static constexpr int64_t kInSquare = kC0 / 16;    // fractals
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

  // Data blocks of L1, `repeats` times `blocks` of them and `gap` between.
  static __aicore__ inline void Zero(const AscendC::LocalTensor<T>& dst, int64_t repeats, int64_t blocks,
                                     int64_t gap) {
    using F = std::conditional_t<kSquares, half, T>;  // fills are of 2 and 4 bytes
    AscendC::InitConstValue(
        dst.template ReinterpretCast<F>(),
        AscendC::InitConstValueParams<F>(static_cast<uint16_t>(repeats), static_cast<uint16_t>(blocks),
                                         static_cast<uint16_t>(gap), F(0.0F)));
  }

  // Rows of the strips that the tile has columns of.
  __aicore__ inline void CopyStrips(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
                                    int64_t rows, const MatmulPlace& place) const {
    const int64_t strips = Ceil(place.columns, kC0) / kC0;
    const bool together = row_ - rows <= kMostRowStride;
    for (int64_t strip = 0; strip < (together ? 1 : strips); ++strip) {
      AscendC::DataCopy(
          dst[static_cast<uint32_t>(strip * place.rows * kC0)],
          src[static_cast<uint64_t>(strip * row_ * kC0)],
          AscendC::DataCopyParams(static_cast<uint16_t>(together ? strips : 1), static_cast<uint16_t>(rows),
                                  static_cast<uint16_t>(together ? row_ - rows : 0),
                                  static_cast<uint16_t>(place.rows - rows)));
    }
  }

  // Squares of kC0 rows of K and as many columns of M: each becomes fractals of L0A, one below the other.
  // What the last one has too many lies behind the rows of the block.
  __aicore__ inline void LoadSquaresA(const AscendC::LocalTensor<T>& a2, const AscendC::LocalTensor<T>& a1,
                                      const MatmulPlace& place, const MatmulPart& part) const {
    const int64_t along_k = Ceil(part.k, kC0) / kC0;
    for (int64_t strip = 0; strip < Ceil(part.free, kC0) / kC0; ++strip) {
      AscendC::LoadDataWithTranspose(
          a2[static_cast<uint32_t>(kInSquare * strip * along_k * kFractal)], a1,
          Squares((part.free_start / kC0 + strip) * (place.rows / kC0) + part.k_start / kC0, along_k, 1, 0,
                  along_k - 1));
    }
  }
  // The same of N: each becomes fractals of L0B, side by side. What the last one has too many lies where
  // those of the next rows of K begin, which come after it.
  __aicore__ inline void LoadSquaresB(const AscendC::LocalTensor<T>& b2, const AscendC::LocalTensor<T>& b1,
                                      const MatmulPlace& place, const MatmulPart& part) const {
    const int64_t in_strip = place.rows / kC0;
    const int64_t along_n = Ceil(part.free, 16) / 16;
    for (int64_t q = 0; q < Ceil(part.k, kC0) / kC0; ++q) {
      AscendC::LoadDataWithTranspose(b2[static_cast<uint32_t>(q * along_n * kFractal)], b1,
                                     Squares(part.free_start / kC0 * in_strip + part.k_start / kC0 + q,
                                             Ceil(part.free, kC0) / kC0, in_strip, kInSquare - 1, 0));
    }
  }
  static __aicore__ inline AscendC::LoadData2dTransposeParams Squares(int64_t first, int64_t count,
                                                                      int64_t stride, int64_t gap,
                                                                      int64_t fractal_gap) {
    return {static_cast<uint16_t>(first), static_cast<uint8_t>(count), static_cast<uint16_t>(stride),
            static_cast<uint16_t>(gap), static_cast<uint16_t>(fractal_gap)};
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
  AscendC::LocalTensor<T> tile_;  // of a resident one
  MatmulPlace place_;
  int64_t row_ = 0;      // elements of a row; of strips: rows of one
  int64_t granule_ = 1;  // rows of a tile are a multiple of it
  int64_t column_granule_ = 1;
  bool k_in_rows_ = false;
  bool strips_ = false;
  bool resident_ = false;
};

}  // namespace tilesim
