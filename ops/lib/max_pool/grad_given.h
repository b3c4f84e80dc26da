// A given argmax on its way from GM to the planes that the gradient's taps read.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "lib/max_pool/grad_dy.h"
#include "lib/max_pool/grad_walk.h"
#include "lib/max_pool/lane_group.h"
#include "lib/max_pool/point_moves.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {

// An argmax that is given: positions of x, counted as the tiling says. In UB it counts from the first tap of
// each output's window, as GivenArgmax::TapIndex does.
class GivenArgmax {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, const MaxPoolGradTiling& tiling, const PoolGradUb& ub,
                              GM_ADDR argmax, PoolGradInputs& inputs) {
    inputs_ = &inputs;
    split_ = &tiling.split;
    axes_ = AxesOf(tiling);
    order_ = static_cast<PoolIndex>(split_->argmax_order);
    step_w_ = order_ == PoolIndex::kPlane ? 1 : split_->channels;
    step_h_ = axes_[2].walk().in * step_w_;
    step_d_ = axes_[1].walk().in * step_h_;
    argmax_.SetGlobalBuffer(reinterpret_cast<int32_t*>(argmax));
    pipe.InitBuffer(lanes_, static_cast<uint32_t>(ub.lanes));
    pipe.InitBuffer(pattern_, static_cast<uint32_t>(ub.pattern));
    if (inputs.dy_grid().channels_last && !inputs.points().whole_rows) {
      // columns behind those of a narrower part are compared, too
      AscendC::Duplicate(inputs.Indices(0), int32_t{-1}, static_cast<int32_t>(ub.indices / 4));
    }
    if (!inputs.dy_grid().channels_last) {
      pipe.InitBuffer(moved_, static_cast<uint32_t>(ub.moved));
      InitRun();
    }
  }

  // What the argmax counts from the first tap of a window to this one.
  [[nodiscard]] __aicore__ inline int32_t TapIndex(int64_t kd, int64_t kh, int64_t kw) const {
    return Low(kd * axes_[0].walk().dilation * step_d_ + kh * axes_[1].walk().dilation * step_h_ +
               kw * axes_[2].walk().dilation * step_w_);
  }

  __aicore__ inline void Load(const PoolGradStep& step) { inputs_->Load(argmax_, step); }

  __aicore__ inline void Take(const PoolGradStep& step) {
    if (order_ != PoolIndex::kPlane || inputs_->dy_grid().channels_last) {
      SetLanes(step.block.lanes);
    }
    AscendC::LocalTensor<int32_t> buffer = inputs_->Take<int32_t>();
    if (inputs_->dy_grid().channels_last) {
      TakePoints(step, buffer);
    } else {
      TakeLanes(step, buffer);
    }
    inputs_->Free(buffer);
  }

 private:
  // Whole numbers wrap around: so do the sums that they are taken off.
  static __aicore__ inline int32_t Low(int64_t value) {
    return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(value)));
  }
  // The index of the first tap of an output, less that of its lane.
  [[nodiscard]] __aicore__ inline int64_t IndexOf(int64_t d, int64_t h, int64_t w) const {
    const auto first = [](const PoolAxis& axis, int64_t o) { return o * axis.stride - axis.before; };
    return first(axes_[0].walk(), d) * step_d_ + first(axes_[1].walk(), h) * step_h_ +
           first(axes_[2].walk(), w) * step_w_;
  }

  // Of the outputs of a part, one behind the other, how much more their first tap's index is than that of
  // the first of them.
  __aicore__ inline void InitRun() {
    const int64_t pitch = inputs_->points().row_pitch;
    const int64_t points = inputs_->points().rows * pitch;
    const int64_t along_w = axes_[2].walk().stride * step_w_;
    const int64_t jump = axes_[1].walk().stride * step_h_ - pitch * along_w;  // at the end of a row
    const AscendC::LocalTensor<int32_t> run = pattern_.Get<int32_t>();
    AscendC::ArithProgression(run, int32_t{0}, Low(along_w), static_cast<int32_t>(points));
    for (int64_t row = pitch; row < points && Low(jump) != 0; row += pitch) {
      AddFrom(run, row, points, Low(jump));
    }
  }

  // Adds to the elements [begin, end).
  static __aicore__ inline void AddFrom(const AscendC::LocalTensor<int32_t>& run, int64_t begin, int64_t end,
                                        int32_t value) {
    const int64_t block = begin / kPoolLanes * kPoolLanes;
    const int64_t first_end = std::min(block + kPoolLanes, end);
    uint64_t bits[2] = {LowBits(first_end - block) & ~LowBits(begin - block), 0};
    const AscendC::LocalTensor<int32_t> first = run[static_cast<uint32_t>(block)];
    AscendC::Adds(first, first, value, bits, 1, AscendC::UnaryRepeatParams());
    if (first_end < end) {
      const AscendC::LocalTensor<int32_t> rest = run[static_cast<uint32_t>(first_end)];
      AscendC::Adds(rest, rest, value, static_cast<int32_t>(end - first_end));
    }
  }
  static __aicore__ inline uint64_t LowBits(int64_t count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  }

  // What the argmax counts for n and c of each lane, and channels_last: the pattern of a row from it.
  __aicore__ inline void SetLanes(const LaneGroup& group) {
    if (known_lanes_ && group.n == known_n_ && group.c == known_c_) {
      return;
    }
    known_lanes_ = true;
    known_n_ = group.n;
    known_c_ = group.c;
    const PoolGrid& grid = inputs_->dy_grid();
    const int64_t batch = order_ == PoolIndex::kBatchNhwc ? axes_[0].walk().in * step_d_ : 0;
    const AscendC::LocalTensor<int32_t> lanes = lanes_.Get<int32_t>();
    const int32_t along_c = order_ == PoolIndex::kPlane ? 0 : 1;
    AscendC::ArithProgression(lanes, Low(group.n * batch + group.c * along_c), along_c,
                              static_cast<int32_t>(kPoolLanes));
    if (grid.channels_last) {
      SetRow(lanes);
      return;
    }
    for (int64_t lane = grid.channels - group.c; lane < group.count; lane += grid.channels) {
      AddFrom(lanes, lane, kPoolLanes, Low(batch - grid.channels));  // the next n begins
    }
  }

  // The pattern of a row's points: twice as many each time.
  __aicore__ inline void SetRow(const AscendC::LocalTensor<int32_t>& lanes) {
    const AscendC::LocalTensor<int32_t> row = pattern_.Get<int32_t>();
    const int64_t columns = split_->part_wo;
    AscendC::Adds(row, lanes, int32_t{0}, static_cast<int32_t>(kPoolLanes));
    for (int64_t done = 1; done < columns; done *= 2) {
      AscendC::Adds(row[static_cast<uint32_t>(done * kPoolLanes)], row,
                    Low(done * axes_[2].walk().stride * step_w_),
                    static_cast<int32_t>(std::min(done, columns - done) * kPoolLanes));
    }
  }

  __aicore__ inline void TakePoints(const PoolGradStep& step, const AscendC::LocalTensor<int32_t>& buffer) {
    const AscendC::LocalTensor<int32_t> row = pattern_.Get<int32_t>();
    const AscendC::LocalTensor<int32_t> indices = inputs_->Indices(step.plane);
    const auto elements = static_cast<int32_t>(step.outputs[2].size() * kPoolLanes);
    for (int64_t h = step.outputs[1].begin; h < step.outputs[1].end; ++h) {
      const auto offset =
          static_cast<uint32_t>((h - step.outputs[1].begin) * inputs_->points().row_pitch * kPoolLanes);
      AscendC::Sub(indices[offset], buffer[offset], row, elements);
      AscendC::Adds(indices[offset], indices[offset], Low(-IndexOf(step.plane, h, step.outputs[2].begin)),
                    elements);
    }
  }

  // The pattern comes off while lanes are whole: one instruction for 64 points of all lanes.
  __aicore__ inline void TakeLanes(const PoolGradStep& step, const AscendC::LocalTensor<int32_t>& buffer) {
    const int64_t points = inputs_->PartPoints(step);
    const int64_t lane_blocks = inputs_->LaneBlocks<int32_t>(points);
    const auto pitch = static_cast<uint8_t>(lane_blocks);
    const AscendC::LocalTensor<int32_t> moved = moved_.Get<int32_t>();
    AscendC::Adds(moved, pattern_.Get<int32_t>(),
                  Low(IndexOf(step.plane, step.outputs[1].begin, step.outputs[2].begin)),
                  static_cast<int32_t>(points));
    for (int64_t at = 0; at < points; at += kPoolLanes) {
      const AscendC::LocalTensor<int32_t> here = buffer[static_cast<uint32_t>(at)];
      AscendC::Sub(here, here, moved[static_cast<uint32_t>(at)], std::min(kPoolLanes, points - at),
                   static_cast<uint8_t>(step.block.lanes.count),
                   AscendC::BinaryRepeatParams(1, 1, 1, pitch, pitch, 0));
    }
    const AscendC::LocalTensor<int32_t> indices = inputs_->Indices(step.plane);
    PointMoves<int32_t>::LanesToPoints(indices, buffer, step.block.lanes.count, points, lane_blocks);
    if (order_ != PoolIndex::kPlane) {
      SubLanes(indices, points);
    }
  }

  __aicore__ inline void SubLanes(const AscendC::LocalTensor<int32_t>& indices, int64_t points) {
    for (int64_t done = 0; done < points; done += kPoolMostRepeats) {
      const AscendC::LocalTensor<int32_t> here = indices[static_cast<uint32_t>(done * kPoolLanes)];
      AscendC::Sub(here, here, lanes_.Get<int32_t>(), kPoolLanes,
                   static_cast<uint8_t>(std::min(kPoolMostRepeats, points - done)),
                   AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 0));
    }
  }

  PoolGradInputs* inputs_ = nullptr;
  const PoolGradSplit* split_ = nullptr;
  PoolGradAxes axes_;
  PoolIndex order_ = PoolIndex::kPlane;
  int64_t step_w_ = 1;  // what the argmax counts from a position to the next
  int64_t step_h_ = 1;
  int64_t step_d_ = 1;
  bool known_lanes_ = false;  // lanes_ holds those of known_n_, known_c_
  int64_t known_n_ = 0;
  int64_t known_c_ = 0;
  AscendC::GlobalTensor<int32_t> argmax_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> lanes_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> pattern_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> moved_;
};

}  // namespace tilesim
