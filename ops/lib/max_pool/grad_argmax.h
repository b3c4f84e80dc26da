// The argmax of a part of y made from x in UB, by the passes of the forward pooling.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/block_maxima.h"
#include "lib/max_pool/grad_dy.h"
#include "lib/max_pool/grad_walk.h"
#include "lib/max_pool/lane_group.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

// In UB it counts positions of x from the first tap of each output's window, as ArgmaxFromX::TapIndex does.
// While planes of outputs follow each other, planes of x that several of them read are pooled once.
template <class T>
class ArgmaxFromX {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MaxPoolGradTiling& tiling, const PoolGradUb& ub,
                              GM_ADDR x, PoolGradInputs& inputs) {
    inputs_ = &inputs;
    shape_ = XShapeOf(tiling, sizeof(T));
    tile_ = XTileOf(tiling, shape_);
    taps_d_ = PoolTaps(shape_.d);
    x_.SetGlobalBuffer(reinterpret_cast<T*>(x));
    maxima_.Init(pipe, shape_, tile_);
    // points between rows are compared, too
    AscendC::Duplicate(inputs.Indices(0), kNone, static_cast<int32_t>(ub.indices / 4));
  }

  [[nodiscard]] __aicore__ inline int32_t TapIndex(int64_t kd, int64_t kh, int64_t kw) const {
    return static_cast<int32_t>((kd * shape_.d.dilation * shape_.h.in + kh * shape_.h.dilation) *
                                    shape_.w.in +
                                kw * shape_.w.dilation);
  }

  // The first rows of x are under way when Take begins.
  __aicore__ inline void Load(const PoolGradStep& step) {
    if (taps_d_.Of(step.plane).Empty()) {
      return;
    }
    PoolBlock block = {
        GroupOf(step.block.lanes), {step.plane, step.plane + 1}, step.outputs[1], step.outputs[2]};
    const bool goes_on = tile_.d > 1 && block.lane_group == block_.lane_group && block.d.begin == next_ &&
                         block.h == block_.h && block.w == block_.w;
    if (!goes_on) {
      if (tile_.d > 1) {
        block.d.end = shape_.d.out;
      }
      block_ = block;
      maxima_.Begin(x_, block);
    }
    next_ = step.plane + 1;
    maxima_.Prefetch(step.plane);
  }

  __aicore__ inline void Take(const PoolGradStep& step) {
    const AscendC::LocalTensor<int32_t> indices = inputs_->Indices(step.plane);
    if (taps_d_.Of(step.plane).Empty()) {
      AscendC::Duplicate(indices, kNone, static_cast<int32_t>(inputs_->PartPoints(step) * kPoolLanes));
      return;
    }
    maxima_.Pull(step.plane, [&](const PointMaxima& plane) {
      const AscendC::LocalTensor<int32_t> from = plane.indices.template ReinterpretCast<int32_t>();
      const auto elements = static_cast<int32_t>(step.outputs[2].size() * kPoolLanes);
      for (int64_t row = 0; row < step.outputs[1].size(); ++row) {
        AscendC::Adds(indices[static_cast<uint32_t>(row * inputs_->points().row_pitch * kPoolLanes)],
                      from[static_cast<uint32_t>(row * maxima_.RowPitch(block_) * kPoolLanes)],
                      static_cast<int32_t>(-FirstOf(step.plane, step.outputs[1].begin + row)), elements);
      }
    });
  }

 private:
  static constexpr int32_t kNone = -1;  // no tap's index

  [[nodiscard]] __aicore__ inline int64_t GroupOf(const LaneGroup& lanes) const {
    return shape_.channels_last ? lanes.n * CeilDiv(shape_.channels, kPoolLanes) + lanes.c / kPoolLanes
                                : (lanes.n * shape_.channels + lanes.c) / kPoolLanes;
  }
  // What RowMaxima's indices of outputs of this row count up to the first tap of their windows. An index of
  // nothing becomes that of a tap beside x, if of any: dx has no such place.
  [[nodiscard]] __aicore__ inline int64_t FirstOf(int64_t d, int64_t h) const {
    return ((d * shape_.d.stride - shape_.d.before) * shape_.h.in + h * shape_.h.stride - shape_.h.before) *
               shape_.w.in +
           block_.w.begin * shape_.w.stride;
  }

  PoolGradInputs* inputs_ = nullptr;
  PoolShape shape_;
  PoolTile tile_;
  PoolTaps taps_d_;
  PoolBlock block_;    // of outputs, that maxima_ is at
  int64_t next_ = -1;  // plane of it to be pooled next
  AscendC::GlobalTensor<T> x_;
  BlockMaxima<T> maxima_;
};

}  // namespace tilesim
