// Indices of maxima as argmax counts them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/running_max.h"
#include "tiling/max_pool/max_pool_buffers.h"

namespace tilesim {

// Adds the place of each output to indices of RowMaxima, then the channel and batch where the order counts
// them. kNone stays.
class PlaneIndex {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolShape& shape, const PoolTile& tile,
                              const MaxPoolBuffers& buffers) {
    shape_ = shape;
    some_are_none_ = shape.ignores_nan || PoolTaps(shape.d).AnyEmpty() || PoolTaps(shape.h).AnyEmpty() ||
                     PoolTaps(shape.w).AnyEmpty();
    pipe.InitBuffer(columns_, static_cast<uint32_t>(tile.w * kPointBytes));
    pipe.InitBuffer(lanes_, static_cast<uint32_t>(2 * kPointBytes));
    pipe.InitBuffer(none_, static_cast<uint32_t>(buffers.mask_bytes));
    AscendC::Duplicate(Columns(), static_cast<int32_t>(-shape.w.before), kPoolLanes);
    for (int64_t known = 1; known < tile.w; known *= 2) {  // each time as many again
      AscendC::Adds(Columns()[static_cast<uint32_t>(known * kPoolLanes)], Columns(),
                    static_cast<int32_t>(known * shape.w.stride),
                    static_cast<int32_t>(std::min(known, tile.w - known) * kPoolLanes));
    }
    AscendC::ArithProgression(LaneNumbers(), int32_t{0}, int32_t{1}, kPoolLanes);
  }

  // What each lane of the group adds. Before Finish of its planes.
  __aicore__ inline void SetLanes(const LaneGroup& lanes) {
    if (shape_.index == PoolIndex::kPlane) {
      return;
    }
    const int64_t per_batch =
        shape_.index == PoolIndex::kBatchNhwc ? shape_.d.in * shape_.h.in * shape_.w.in * shape_.channels : 0;
    int64_t lane = 0;
    for (int64_t n = lanes.n; lane < lanes.count; ++n) {  // all lanes first, then those of the next n
      const int64_t first_c = lanes.c - (n - lanes.n) * shape_.channels;  // of lane 0, if it were of n
      uint64_t mask[2] = {~uint64_t{0} << lane, 0};
      AscendC::Adds(Lanes(), LaneNumbers(), static_cast<int32_t>(first_c + n * per_batch), mask, 1,
                    AscendC::UnaryRepeatParams(1, 1, 8, 8));
      lane = shape_.channels - first_c;
    }
  }

  // Rows of `columns` points, `pitch` apart.
  __aicore__ inline void Finish(RunningMax& max, const AscendC::LocalTensor<float>& index_bits, int64_t rows,
                                int64_t columns, int64_t pitch) {
    const AscendC::LocalTensor<int32_t> indices = index_bits.ReinterpretCast<int32_t>();
    const AscendC::LocalTensor<int32_t> none = max.None().at.ReinterpretCast<int32_t>();
    const AscendC::LocalTensor<uint8_t> is_none = none_.Get<uint8_t>();
    const int64_t points = rows * pitch;
    if (some_are_none_) {
      ForRepeats(points, [&](uint32_t at, uint32_t bits, uint8_t repeats) {
        AscendC::Compare(is_none[bits], indices[at], none, AscendC::CMPMODE::EQ, uint64_t{kPoolLanes},
                         repeats, AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 0));
      });
    }
    for (int64_t row = 0; row < rows; ++row) {
      const AscendC::LocalTensor<int32_t> of_row = indices[static_cast<uint32_t>(row * pitch * kPoolLanes)];
      AscendC::Add(of_row, of_row, Columns(), static_cast<int32_t>(columns * kPoolLanes));
    }
    if (shape_.index != PoolIndex::kPlane) {
      AscendC::Muls(indices, indices, static_cast<int32_t>(shape_.channels),
                    static_cast<int32_t>(points * kPoolLanes));
      ForRepeats(points, [&](uint32_t at, uint32_t, uint8_t repeats) {
        AscendC::Add(indices[at], indices[at], Lanes(), uint64_t{kPoolLanes}, repeats,
                     AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 0));
      });
    }
    if (some_are_none_) {
      ForRepeats(points, [&](uint32_t at, uint32_t bits, uint8_t repeats) {
        AscendC::Select(index_bits[at], is_none[bits], max.None().at, index_bits[at],
                        AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{kPoolLanes}, repeats,
                        AscendC::BinaryRepeatParams(1, 1, 1, 8, 0, 8));
      });
    }
  }

 private:
  // f(first element, byte of its mask bit, repeats).
  template <class F>
  __aicore__ inline void ForRepeats(int64_t points, F&& f) {
    for (int64_t point = 0; point < points; point += kPoolMostMaskedRepeats) {
      f(static_cast<uint32_t>(point * kPoolLanes), static_cast<uint32_t>(point * kPoolLanes / 8),
        static_cast<uint8_t>(std::min(kPoolMostMaskedRepeats, points - point)));
    }
  }
  __aicore__ inline AscendC::LocalTensor<int32_t> Columns() { return columns_.Get<int32_t>(); }
  __aicore__ inline AscendC::LocalTensor<int32_t> Lanes() { return lanes_.Get<int32_t>(); }
  __aicore__ inline AscendC::LocalTensor<int32_t> LaneNumbers() {
    return lanes_.Get<int32_t>()[static_cast<uint32_t>(kPoolLanes)];
  }

  PoolShape shape_;
  bool some_are_none_ = false;
  AscendC::TBuf<AscendC::TPosition::VECCALC> columns_;  // what each output of a row adds
  AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_;    // what each lane adds; the lanes' numbers
  AscendC::TBuf<AscendC::TPosition::VECCALC> none_;     // a bit a lane: its index is kNone
};

}  // namespace tilesim
