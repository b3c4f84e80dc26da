// dy on its way from GM to the planes that the gradient's taps read, and the room of the argmax beside it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/grad_walk.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/point_moves.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

// The tensors, how they stand in UB, and the queue that all inputs come through. Knows the type of dy by its
// size.
class PoolGradInputs {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MaxPoolGradTiling& tiling, const PoolGrid& dy,
                              const PoolGradUb& ub, int64_t dy_element_bytes) {
    dy_grid_ = dy;
    points_ = PointsOf(tiling, dy_element_bytes);
    pipe.InitBuffer(queue_, static_cast<uint8_t>(kPoolQueueBuffers), static_cast<uint32_t>(ub.in));
    pipe.InitBuffer(grads_buffer_, static_cast<uint32_t>(ub.grads));
    pipe.InitBuffer(indices_buffer_, static_cast<uint32_t>(ub.indices));
    grads_ = grads_buffer_.Get<float>();
    indices_ = indices_buffer_.Get<int32_t>();
    const bool all_lanes = Signed(tiling.data.ncTail) == kPoolLanes;
    // lanes and columns that no move fills are computed on, too
    for (int64_t i = 0; i < kPoolQueueBuffers && !(all_lanes && points_.whole_rows); ++i) {
      AscendC::LocalTensor<float> buffer = Allocate<float>();
      AscendC::Duplicate(buffer, 0.0F, static_cast<int32_t>(ub.in / 4));
      Free(buffer);
    }
    if (!all_lanes) {
      AscendC::Duplicate(grads_, 0.0F, static_cast<int32_t>(ub.grads / 4));
      AscendC::Duplicate(indices_, -1, static_cast<int32_t>(ub.indices / 4));
    }
  }

  [[nodiscard]] const PoolGradPoints& points() const { return points_; }
  [[nodiscard]] const PoolGrid& dy_grid() const { return dy_grid_; }
  // A plane of dy, as fp32 without -0, and of the indices; rows of the part in UB points().row_pitch apart.
  __aicore__ inline AscendC::LocalTensor<float> Grads(int64_t plane) { return grads_[PlaneOffset(plane)]; }
  __aicore__ inline AscendC::LocalTensor<int32_t> Indices(int64_t plane) {
    return indices_[PlaneOffset(plane)];
  }
  // Points of a plane's part.
  [[nodiscard]] __aicore__ inline int64_t PartPoints(const PoolGradStep& step) const {
    return step.outputs[1].size() * points_.row_pitch;
  }

  // The part of `gm` that the step loads.
  template <class U>
  __aicore__ inline void Load(const AscendC::GlobalTensor<U>& gm, const PoolGradStep& step) {
    LoadBox(gm, dy_grid_, step.block.lanes, {step.plane, step.outputs[1], step.outputs[2]},
            points_.row_pitch);
  }
  template <class U>
  __aicore__ inline void LoadBox(const AscendC::GlobalTensor<U>& gm, const PoolGrid& grid,
                                 const LaneGroup& lanes, const PointBox& box, int64_t row_pitch) {
    AscendC::LocalTensor<U> buffer = Allocate<U>();
    PointMoves<U>::Load(buffer, gm, grid, lanes, box, {row_pitch, LaneBlocks<U>(box.h.size() * row_pitch)});
    queue_.EnQue(buffer);
  }
  template <class U>
  __aicore__ inline AscendC::LocalTensor<U> Take() {
    return queue_.DeQue<U>();
  }
  template <class U>
  __aicore__ inline void Free(AscendC::LocalTensor<U>& buffer) {
    queue_.FreeTensor(buffer);
  }
  template <class U>
  __aicore__ inline int64_t LaneBlocks(int64_t points) const {
    return PoolStorage{dy_grid_.channels_last, sizeof(U)}.LaneBlocks(points);
  }

  // Points of type T as they came, to fp32. `to` and `spare` have room for whole transposes.
  template <class T>
  __aicore__ inline void Widen(const AscendC::LocalTensor<float>& to, const AscendC::LocalTensor<T>& from,
                               const AscendC::LocalTensor<T>& spare, int64_t lanes, int64_t points) {
    const auto elements = static_cast<int32_t>(points * kPoolLanes);
    AscendC::LocalTensor<T> narrow = from;
    if constexpr (sizeof(T) == 2) {
      if (!dy_grid_.channels_last) {
        narrow = spare;
        PointMoves<T>::LanesToPoints(narrow, from, lanes, points, LaneBlocks<T>(points));
      }
      AscendC::Cast(to, narrow, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(elements));
    } else if (dy_grid_.channels_last) {
      AscendC::DataCopy(to, from, static_cast<uint32_t>(elements));
    } else {
      PointMoves<T>::LanesToPoints(to, from, lanes, points, LaneBlocks<T>(points));
    }
  }

  // dy of the step, which is next in the queue. `spare`: as large as that in the type of dy.
  template <class T>
  __aicore__ inline void TakeGrads(const PoolGradStep& step, const AscendC::LocalTensor<T>& spare) {
    const int64_t points = PartPoints(step);
    const auto elements = static_cast<int32_t>(points * kPoolLanes);
    const AscendC::LocalTensor<float> grads = Grads(step.plane);
    AscendC::LocalTensor<T> buffer = Take<T>();
    if constexpr (sizeof(T) == 4) {
      if (dy_grid_.channels_last) {
        AscendC::Adds(grads, buffer, 0.0F, elements);
        Free(buffer);
        return;
      }
    }
    Widen(grads, buffer, spare, step.block.lanes.count, points);
    Free(buffer);
    AscendC::Adds(grads, grads, 0.0F, elements);  // -0 becomes 0, as a sum from 0 on has it
  }

 private:
  template <class U>
  __aicore__ inline AscendC::LocalTensor<U> Allocate() {
    return queue_.AllocTensor<U>();
  }
  __aicore__ inline uint32_t PlaneOffset(int64_t plane) const {
    const int64_t at = points_.planes == 1 ? 0 : plane % points_.planes;
    return static_cast<uint32_t>(at * points_.plane_pitch * kPoolLanes);
  }

  PoolGrid dy_grid_;
  PoolGradPoints points_;
  AscendC::TQue<AscendC::TPosition::VECIN, kPoolQueueBuffers> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> grads_buffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> indices_buffer_;
  AscendC::LocalTensor<float> grads_;
  AscendC::LocalTensor<int32_t> indices_;
};

}  // namespace tilesim
