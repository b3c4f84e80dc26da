// Running maxima of points with their indices, on the vector unit: the first maximum wins, and of NaN (if
// they count) the last.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "kernel_operator.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// Values of points, and how many points lie from one to the next: 0 where all are the same one.
struct PointValues {
  AscendC::LocalTensor<float> at;
  int64_t step = 1;

  [[nodiscard]] PointValues From(int64_t point) const {
    return {at[static_cast<uint32_t>(point * step * kPoolLanes)], step};
  }
};

// Maxima and their indices, a point behind the other. Indices are whole numbers of 32 bits that are moved as
// floats.
struct PointMaxima {
  AscendC::LocalTensor<float> values;
  AscendC::LocalTensor<float> indices;

  [[nodiscard]] PointMaxima From(int64_t point) const {
    const auto element = static_cast<uint32_t>(point * kPoolLanes);
    return {values[element], indices[element]};
  }
};

inline float IndexBits(int64_t index) { return std::bit_cast<float>(static_cast<int32_t>(index)); }

// One row whose maxima take in a candidate each: values with one index for all of them.
struct MaxRow {
  PointMaxima to;
  PointValues current;          // as to.values, or where the maxima start from
  PointValues current_indices;  // as to.indices, or where they start from
  PointValues candidates;
  int64_t index = 0;
};

class RunningMax {
 public:
  static constexpr int64_t kNone = -1;      // the index where nothing is in bounds, or all is below
  static constexpr int64_t kMostStep = 31;  // points: repeat strides have 8 bits, a point is 8 data blocks

  // `mask_bytes`: see MaxPoolBuffers.
  __aicore__ inline void Init(AscendC::TPipe& pipe, bool ignores_nan, int64_t mask_bytes) {
    ignores_nan_ = ignores_nan;
    pipe.InitBuffer(keep_buffer_, static_cast<uint32_t>(mask_bytes));
    pipe.InitBuffer(other_buffer_, static_cast<uint32_t>(mask_bytes));
    pipe.InitBuffer(constants_, static_cast<uint32_t>(2 * kPointBytes));
    keep_ = keep_buffer_.Get<int16_t>();
    other_ = other_buffer_.Get<int16_t>();
    AscendC::Duplicate(keep_, int16_t{0}, static_cast<int32_t>(mask_bytes / 2));
    AscendC::Duplicate(other_, int16_t{0}, static_cast<int32_t>(mask_bytes / 2));
    lowest_ = constants_.Get<float>();
    none_ = lowest_[kPoolLanes];
    AscendC::Duplicate(lowest_, kLowest, kPoolLanes);
    AscendC::Duplicate(none_, IndexBits(kNone), kPoolLanes);
  }

  // What maxima of nothing are: the lowest value, and no index.
  [[nodiscard]] PointValues Lowest() const { return {lowest_, 0}; }
  [[nodiscard]] PointValues None() const { return {none_, 0}; }
  __aicore__ inline void SetToNone(const PointMaxima& maxima, int64_t points) {
    const auto count = static_cast<int32_t>(points * kPoolLanes);
    AscendC::Duplicate(maxima.values, kLowest, count);
    AscendC::Duplicate(maxima.indices, IndexBits(kNone), count);
  }

  // Values that start maxima: the first in bounds.
  __aicore__ inline void Start(const PointMaxima& maxima, const PointValues& values, int64_t index,
                               int64_t points) {
    Copy(maxima.values, values, points);
    AscendC::Duplicate(maxima.indices, IndexBits(index), static_cast<int32_t>(points * kPoolLanes));
  }
  __aicore__ inline void Copy(const AscendC::LocalTensor<float>& to, const PointValues& from,
                              int64_t points) {
    if (from.step == 1) {
      AscendC::DataCopy(to, from.at, static_cast<uint32_t>(points * kPoolLanes));
      return;
    }
    ForRepeats(points, from.step, [&](int64_t point, uint8_t repeats) {
      AscendC::Copy(to[static_cast<uint32_t>(point * kPoolLanes)], from.From(point).at, uint64_t{kPoolLanes},
                    repeats, AscendC::CopyRepeatParams(1, 1, 8, Blocks(from)));
    });
  }

  // Rows of `points` each, which all take in their candidates. Steps of `current` and `candidates` are the
  // same in every row; at most kMostStep where there is more than one point.
  __aicore__ inline void TakeIn(const MaxRow* rows, int64_t num_rows, int64_t points) {
    const auto row_words = static_cast<uint32_t>(AlignUp(points * kMaskBytes, kDataBlockBytes) / 2);
    for (int64_t i = 0; i < num_rows; ++i) {
      const auto at = static_cast<uint32_t>(i) * row_words;
      Compare(other_[at], rows[i].candidates, rows[i].current, AscendC::CMPMODE::GT, points);
      if (!ignores_nan_) {
        Compare(keep_[at], rows[i].candidates, rows[i].candidates, AscendC::CMPMODE::EQ, points);
      }
    }
    if (!ignores_nan_) {
      for (int64_t i = 0; i < num_rows; ++i) {
        Max(rows[i].to.values, rows[i].current, rows[i].candidates, points);
      }
    }
    MakeKeep(static_cast<int32_t>(num_rows * row_words));
    for (int64_t i = 0; i < num_rows; ++i) {
      const AscendC::LocalTensor<int16_t> keep = keep_[static_cast<uint32_t>(i) * row_words];
      if (ignores_nan_) {
        Select(rows[i].to.values, keep, rows[i].current, rows[i].candidates, points);
      }
      SelectIndex(rows[i].to.indices, keep, rows[i].current_indices, IndexBits(rows[i].index), points);
    }
  }

  // Maxima of points that lie one behind the other take in others, which come later in the window.
  __aicore__ inline void TakeIn(const PointMaxima& maxima, const PointMaxima& others, int64_t points) {
    const auto count = static_cast<int32_t>(points * kPoolLanes);
    const auto elements = static_cast<uint32_t>(count);
    const AscendC::LocalTensor<uint8_t> keep = keep_.ReinterpretCast<uint8_t>();
    AscendC::Compare(other_.ReinterpretCast<uint8_t>(), others.values, maxima.values, AscendC::CMPMODE::GT,
                     elements);
    if (!ignores_nan_) {
      AscendC::Compare(keep, others.values, others.values, AscendC::CMPMODE::EQ, elements);
      AscendC::Max(maxima.values, maxima.values, others.values, count);
    }
    MakeKeep(static_cast<int32_t>(points * kMaskBytes / 2));
    constexpr auto kMode = AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE;
    if (ignores_nan_) {
      AscendC::Select(maxima.values, keep, maxima.values, others.values, kMode, elements);
    }
    AscendC::Select(maxima.indices, keep, maxima.indices, others.indices, kMode, elements);
  }

 private:
  static constexpr float kLowest = -std::numeric_limits<float>::infinity();
  static constexpr int64_t kMaskBytes = kPoolLanes / 8;  // of a point

  // f(first point, repeats): as many points at once as an instruction takes.
  template <class F>
  __aicore__ inline void ForRepeats(int64_t points, int64_t step, F&& f) {
    const int64_t most = step > kMostStep ? 1 : kPoolMostMaskedRepeats;
    for (int64_t point = 0; point < points; point += most) {
      f(point, static_cast<uint8_t>(std::min(most, points - point)));
    }
  }
  static AscendC::BinaryRepeatParams Steps(const PointValues& src0, const PointValues& src1) {
    return {1, 1, 1, 8, Blocks(src0), Blocks(src1)};
  }
  static uint8_t Blocks(const PointValues& values) {
    return static_cast<uint8_t>(values.step > kMostStep ? 0 : 8 * values.step);  // of one point only: none
  }
  static bool AreNeighbours(const PointValues& src0, const PointValues& src1) {
    return src0.step == 1 && src1.step == 1;
  }

  __aicore__ inline void Compare(const AscendC::LocalTensor<int16_t>& bits, const PointValues& src0,
                                 const PointValues& src1, AscendC::CMPMODE mode, int64_t points) {
    const AscendC::LocalTensor<uint8_t> to = bits.ReinterpretCast<uint8_t>();
    if (AreNeighbours(src0, src1)) {
      AscendC::Compare(to, src0.at, src1.at, mode, static_cast<uint32_t>(points * kPoolLanes));
      return;
    }
    ForRepeats(points, 1, [&](int64_t point, uint8_t repeats) {
      AscendC::Compare(to[static_cast<uint32_t>(point * kMaskBytes)], src0.From(point).at,
                       src1.From(point).at, mode, uint64_t{kPoolLanes}, repeats, Steps(src0, src1));
    });
  }
  __aicore__ inline void Max(const AscendC::LocalTensor<float>& to, const PointValues& src0,
                             const PointValues& src1, int64_t points) {
    if (AreNeighbours(src0, src1)) {
      AscendC::Max(to, src0.at, src1.at, static_cast<int32_t>(points * kPoolLanes));
      return;
    }
    ForRepeats(points, 1, [&](int64_t point, uint8_t repeats) {
      AscendC::Max(to[static_cast<uint32_t>(point * kPoolLanes)], src0.From(point).at, src1.From(point).at,
                   uint64_t{kPoolLanes}, repeats, Steps(src0, src1));
    });
  }
  __aicore__ inline void Select(const AscendC::LocalTensor<float>& to,
                                const AscendC::LocalTensor<int16_t>& keep, const PointValues& kept,
                                const PointValues& others, int64_t points) {
    const AscendC::LocalTensor<uint8_t> bits = keep.ReinterpretCast<uint8_t>();
    ForRepeats(points, 1, [&](int64_t point, uint8_t repeats) {
      AscendC::Select(to[static_cast<uint32_t>(point * kPoolLanes)],
                      bits[static_cast<uint32_t>(point * kMaskBytes)], kept.From(point).at,
                      others.From(point).at, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{kPoolLanes},
                      repeats, Steps(kept, others));
    });
  }
  __aicore__ inline void SelectIndex(const AscendC::LocalTensor<float>& to,
                                     const AscendC::LocalTensor<int16_t>& keep, const PointValues& kept,
                                     float other, int64_t points) {
    const AscendC::LocalTensor<uint8_t> bits = keep.ReinterpretCast<uint8_t>();
    ForRepeats(points, 1, [&](int64_t point, uint8_t repeats) {
      AscendC::Select(to[static_cast<uint32_t>(point * kPoolLanes)],
                      bits[static_cast<uint32_t>(point * kMaskBytes)], kept.From(point).at, other,
                      AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{kPoolLanes}, repeats,
                      Steps(kept, kept));
    });
  }

  // keep_ = where the maxima stay: the candidate is no NaN (keep_ holds that) and not greater (other_ holds
  // where it is; then it is no NaN, so that no bit is borrowed). Of NaN that do not count: not greater.
  __aicore__ inline void MakeKeep(int32_t words) {
    if (ignores_nan_) {
      AscendC::Not(keep_, other_, words);
    } else {
      AscendC::Sub(keep_, keep_, other_, words);
    }
  }

  bool ignores_nan_ = false;
  AscendC::TBuf<AscendC::TPosition::VECCALC> keep_buffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> other_buffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> constants_;
  AscendC::LocalTensor<int16_t> keep_;   // a bit a lane
  AscendC::LocalTensor<int16_t> other_;  // the same
  AscendC::LocalTensor<float> lowest_;
  AscendC::LocalTensor<float> none_;
};

}  // namespace tilesim
