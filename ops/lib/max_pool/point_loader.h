// Brings points of a tensor from GM to UB: lanes side by side, 64 of 32 bits a point.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/point_moves.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// Two boxes may be under way: Load the next one before Take of the one at hand. T: half, bfloat16_t (which
// become float), float, int32_t. Lanes beyond the group's count hold anything that is initialised.
//
// What is loaded lies in whole data blocks, and nothing else is read, so that buffers are filled first only
// where groups have fewer lanes than a point; and where a box of lanes that lie apart in GM comes in several
// moves: the checks of unwritten bytes take long over memory that is written in pieces.
template <class T>
class PointLoader {
 public:
  using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, float>;

  // Boxes take up to `points` points, counted by PoolStorage::Pitch. `all_lanes`: every group has kPoolLanes;
  // `whole_rows`: every box is of rows as GM has them.
  __aicore__ inline void Init(AscendC::TPipe& pipe, const PoolGrid& grid, int64_t points, bool all_lanes,
                              bool whole_rows) {
    grid_ = grid;
    storage_ = {grid.channels_last, sizeof(T)};
    const bool fill = !all_lanes || !(grid.channels_last || whole_rows);
    const int64_t bytes = storage_.QueueBytes(points);
    pipe.InitBuffer(queue_, static_cast<uint8_t>(kPoolQueueBuffers), static_cast<uint32_t>(bytes));
    for (int64_t i = 0; i < kPoolQueueBuffers && fill; ++i) {
      AscendC::LocalTensor<T> buffer = NextBuffer();
      AscendC::Duplicate(buffer, T(0), static_cast<int32_t>(bytes / static_cast<int64_t>(sizeof(T))));
      queue_.FreeTensor(buffer);
    }
    if (const int64_t narrow = storage_.NarrowBytes(points); narrow > 0) {
      pipe.InitBuffer(narrow_, static_cast<uint32_t>(narrow));
      if (fill) {
        AscendC::Duplicate(narrow_.template Get<T>(), T(0), static_cast<int32_t>(narrow / 2));
      }
    }
    if (const int64_t wide = storage_.WideBytes(points); wide > 0) {
      pipe.InitBuffer(wide_, static_cast<uint32_t>(wide));
      if (fill) {
        AscendC::Duplicate(wide_.template Get<Wide>(), Wide(0), static_cast<int32_t>(wide / 4));
      }
    }
  }

  // GM to UB. The box is not empty.
  __aicore__ inline void Load(const AscendC::GlobalTensor<T>& gm, const LaneGroup& lanes,
                              const PointBox& box) {
    AscendC::LocalTensor<T> buffer = NextBuffer();
    const int64_t pitch = storage_.Pitch(box.w.size(), grid_.w);
    PointMoves<T>::Load(buffer, gm, grid_, lanes, box, {pitch, storage_.LaneBlocks(box.h.size() * pitch)});
    queue_.EnQue(buffer);
    const size_t last = (first_ + static_cast<size_t>(under_way_)) % kPoolQueueBuffers;
    sizes_[last] = {box.h.size() * pitch, lanes.count};
    ++under_way_;
  }

  // The points of the oldest box: row by row, PoolStorage::Pitch points apart. They are there until Release.
  __aicore__ inline AscendC::LocalTensor<Wide> Take() {
    taken_ = queue_.template DeQue<T>();
    const Size size = sizes_[first_];
    first_ = (first_ + 1) % kPoolQueueBuffers;
    --under_way_;
    if constexpr (sizeof(T) == sizeof(Wide)) {
      if (storage_.channels_last) {
        return taken_;
      }
      AscendC::LocalTensor<Wide> wide = wide_.template Get<Wide>();
      PointMoves<T>::LanesToPoints(wide, taken_, size.lanes, size.points, storage_.LaneBlocks(size.points));
      return wide;
    } else {
      AscendC::LocalTensor<Wide> wide = wide_.template Get<Wide>();
      AscendC::LocalTensor<T> points = taken_;
      if (!storage_.channels_last) {
        points = narrow_.template Get<T>();
        PointMoves<T>::LanesToPoints(points, taken_, size.lanes, size.points,
                                     storage_.LaneBlocks(size.points));
      }
      AscendC::Cast(wide, points, AscendC::RoundMode::CAST_NONE,
                    static_cast<uint32_t>(size.points * kPoolLanes));
      return wide;
    }
  }
  __aicore__ inline void Release() { queue_.FreeTensor(taken_); }

 private:
  struct Size {
    int64_t points = 0;
    int64_t lanes = 0;
  };
  __aicore__ inline AscendC::LocalTensor<T> NextBuffer() { return queue_.template AllocTensor<T>(); }

  PoolGrid grid_;
  PoolStorage storage_;
  AscendC::TQue<AscendC::TPosition::VECIN, kPoolQueueBuffers> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
  AscendC::LocalTensor<T> taken_;
  Size sizes_[kPoolQueueBuffers];
  size_t first_ = 0;
  int64_t under_way_ = 0;
};

}  // namespace tilesim
