// Brings points from UB to GM: the way back of point_loader.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/point_moves.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// Stores tensors of one layout, of several types, through one queue. The points that Store reads may be
// written anew as soon as it returns.
class PointStorer {
 public:
  // What elements of type T are computed as.
  template <class T>
  using WideOf = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, float>;

  // Boxes take up to `points` points, counted by PoolStorage::Pitch. `element_bytes`: of the narrowest type.
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolGrid& grid, int64_t points,
                              int64_t element_bytes) {
    grid_ = grid;
    storage_ = {grid.channels_last, element_bytes};
    const int64_t bytes = PoolStorage{grid.channels_last, 4}.QueueBytes(AlignUp(points, 16));
    pipe.InitBuffer(queue_, static_cast<uint8_t>(kPoolQueueBuffers), static_cast<uint32_t>(bytes));
    if (const int64_t narrow = storage_.NarrowBytes(points); narrow > 0) {
      pipe.InitBuffer(narrow_, static_cast<uint32_t>(narrow));
    }
  }

  // `points`: row by row, PoolStorage::Pitch of the narrowest type apart; those between rows are initialised.
  // T: half, bfloat16_t (of float), float, int32_t. The box is not empty.
  template <class T>
  __aicore__ inline void Store(const AscendC::GlobalTensor<T>& gm, const LaneGroup& lanes,
                               const PointBox& box, const AscendC::LocalTensor<WideOf<T>>& points) {
    const int64_t pitch = storage_.Pitch(box.w.size(), grid_.w);
    const int64_t size = box.h.size() * pitch;
    AscendC::LocalTensor<T> buffer = queue_.AllocTensor<T>();
    if (grid_.channels_last) {
      Narrow(buffer, points, size);
    } else if constexpr (sizeof(T) == 4) {
      Transpose(buffer, points, lanes.count, size);
    } else {
      AscendC::LocalTensor<T> narrow = narrow_.Get<T>();
      Narrow(narrow, points, size);
      Transpose(buffer, narrow, lanes.count, size);
    }
    queue_.EnQue(buffer);
    buffer = queue_.DeQue<T>();
    PointMoves<T>::Store(gm, buffer, grid_, lanes, box, {pitch, LaneBlocks<T>(size)});
    queue_.FreeTensor(buffer);
  }

 private:
  // Data blocks from lane to lane in the queue's buffer; whole transposes end there.
  template <class T>
  __aicore__ inline int64_t LaneBlocks(int64_t points) const {
    return PoolStorage{grid_.channels_last, sizeof(T)}.LaneBlocks(AlignUp(points, 16));
  }

  template <class T>
  __aicore__ inline void Narrow(const AscendC::LocalTensor<T>& to,
                                const AscendC::LocalTensor<WideOf<T>>& points, int64_t size) {
    const auto elements = static_cast<uint32_t>(size * kPoolLanes);
    if constexpr (sizeof(T) == 4) {
      AscendC::DataCopy(to, points, elements);
    } else {
      AscendC::Cast(to, points, AscendC::RoundMode::CAST_RINT, elements);
    }
  }

  // Points of lanes to lanes of points, 16 points at a time; for those behind the last one some before it
  // that lie in the same banks.
  template <class T>
  __aicore__ inline void Transpose(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                   int64_t lanes, int64_t points) {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
    constexpr int64_t kPeriod = 512 / (kPoolLanes * kBytes);  // points after which bank groups repeat
    for (int64_t point = 0; point < points; point += 16) {
      uint64_t rows[16];
      const int64_t last = points - 1 - point;
      for (int64_t i = 0; i < 16; ++i) {
        const int64_t back = (kPeriod - (i - last) % kPeriod) % kPeriod;
        const int64_t there = i <= last ? i : std::max(last - back, -point);
        rows[i] = from.GetPhyAddr() + static_cast<uint64_t>((point + there) * kPoolLanes * kBytes);
      }
      PointMoves<T>::PointsToLanes(to.GetPhyAddr() + static_cast<uint64_t>(point * kBytes), rows, lanes,
                                   LaneBlocks<T>(points));
    }
  }

  PoolGrid grid_;
  PoolStorage storage_;  // of the narrowest type
  AscendC::TQue<AscendC::TPosition::VECOUT, kPoolQueueBuffers> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;
};

}  // namespace tilesim
