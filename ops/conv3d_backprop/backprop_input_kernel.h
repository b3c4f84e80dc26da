// The tile program of the input gradient: each core's tasks, each of which stores a part of dx that no other
// task writes. Pixels that no tap reaches are stored as zeros by their task, so that
// dx needs no filling before.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/conv3d_bp_input_api.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_tasks.h"

namespace tilesim {

template <class T>
class BackpropInputKernel {
 public:
  __aicore__ inline void Process(GM_ADDR dy, GM_ADDR filter, GM_ADDR dx, const InputTiling& tiling) {
    const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    dy_.SetGlobalBuffer(reinterpret_cast<T*>(dy));
    filter_.SetGlobalBuffer(reinterpret_cast<T*>(filter));
    dx_.SetGlobalBuffer(reinterpret_cast<T*>(dx));
    GradInput grad_input;
    grad_input.Init(&t);
    ForEachInputTask(InputTaskSpace::Of(t), tiling.split, AscendC::GetBlockIdx(), [&](const InputTask& task) {
      for (int64_t din = task.din; din < task.din + task.dins; ++din) {
        Run(grad_input, t, task, din);
      }
    });
    grad_input.End();
  }

 private:
  using Position = AscendC::TPosition;
  using Format = ConvCommonApi::ConvFormat;
  using GradInput = ConvBackpropApi::Conv3DBackpropInputWith<
      ConvBackpropApi::ConvType<Position::GM, Format::FRACTAL_Z_3D, T>,
      ConvBackpropApi::ConvType<Position::GM, Format::ND, int32_t>,
      ConvBackpropApi::ConvType<Position::GM, Format::NDC1HWC0, T>,
      ConvBackpropApi::ConvType<Position::GM, Format::NDC1HWC0, T>, ConvBackpropApi::CONV3D_CFG_KERNEL_SPLIT>;

  // One depth plane of a task.
  __aicore__ inline void Run(GradInput& grad_input, const TConv3DBackpropInputTiling& t,
                             const InputTask& task, int64_t din) {
    const int64_t c0 = t.c0;
    const int64_t window = int64_t{t.hk} * t.wk;
    const int64_t channels = (t.cout1G * c0 + 15) / 16 * 16;  // of cout in a group's weights
    const int64_t left = int64_t{t.cout1} - task.group * t.cout1G;
    const int64_t planes = left < t.cout1G ? left : t.cout1G;
    const int64_t ho_start = task.row - static_cast<int32_t>(t.backpropPadUp);
    const int64_t ho = ho_start > 0 ? (ho_start + t.strideH - 1) / t.strideH : 0;
    const int64_t offset_a =
        ((task.batch * t.dout * t.cout1 + task.group * t.cout1G) * t.ho + ho) * t.wo * c0;
    const int64_t offset_b = (task.group * t.dk * t.cin1G + task.line) * window * channels * c0;
    const int64_t offset_c =
        ((task.batch * t.di * t.cin1 + task.group * t.cin1G + task.line) * t.hi + task.row) * t.wi * c0;
    const AscendC::GlobalTensor<T> dy = dy_[static_cast<uint64_t>(offset_a)];
    const AscendC::GlobalTensor<T> filter = filter_[static_cast<uint64_t>(offset_b)];
    const AscendC::GlobalTensor<T> dx = dx_[static_cast<uint64_t>(offset_c)];
    // the taps of depth that reach the plane, and how far it is in dy from the plane before: of one tensor
    // tiles in L1 may stay
    const Depths depths = DepthsOf(InputTaskSpace::Of(t).depth, din);
    const int64_t shift = offset_a == offset_a_ ? depths.first_plane - last_plane_ : kOtherTensor;
    const uint64_t first_a =
        dy.address() + static_cast<uint64_t>(depths.first_plane) * t.cout1 * t.ho * t.wo * t.c0 * sizeof(T);
    const uint64_t first_c =
        dx.address() + static_cast<uint64_t>(din) * t.cin1 * t.hi * t.wi * t.c0 * sizeof(T);
    last_plane_ = depths.first_plane;
    const bool work = AscendC::BeginTask(
        {.kind = {task.rows, task.lines, planes, task.row, depths.first_tap, depths.taps, shift,
                  offset_b == offset_b_ ? 1 : 0},
         .places = {
             {{dy_.address(), first_a}, {filter_.address(), filter.address()}, {dx_.address(), first_c}}}});
    if (!work) {
      offset_a_ = offset_a;
      offset_b_ = offset_b;
      return;
    }
    if (offset_b != offset_b_) {  // a tile in L1 is good for as long as its tensor stays
      grad_input.SetWeight(filter);
      offset_b_ = offset_b;
    }
    if (offset_a != offset_a_) {
      grad_input.SetGradOutput(dy);
      offset_a_ = offset_a;
    }
    grad_input.SetSingleShape(static_cast<uint64_t>(task.rows * t.wi),
                              static_cast<uint64_t>(t.dk * planes * window * c0),
                              static_cast<uint32_t>(task.lines * c0));
    grad_input.SetStartPosition(static_cast<uint32_t>(din), static_cast<int32_t>(ho_start));
    grad_input.ctx.isFirstIter_ = true;
    while (grad_input.Iterate()) {
      grad_input.GetTensorC(dx);
    }
  }

  // Taps of depth that reach a plane of dx, and the plane of dy that the first of them brings.
  struct Depths {
    int64_t first_tap = 0;
    int64_t taps = 0;
    int64_t first_plane = 0;
  };
  static Depths DepthsOf(const ConvDepth& depth, int64_t din) {
    Depths depths;
    for (int64_t tap = 0; tap < depth.dk; ++tap) {
      if (const int64_t plane = depth.PlaneOf(din, tap); plane >= 0) {
        depths = depths.taps == 0 ? Depths{tap, 1, plane}
                                  : Depths{depths.first_tap, depths.taps + 1, depths.first_plane};
      }
    }
    return depths;
  }
  static constexpr int64_t kOtherTensor = int64_t{1} << 40;

  AscendC::GlobalTensor<T> dy_;      // NDC1HWC0
  AscendC::GlobalTensor<T> filter_;  // FRACTAL_Z_3D
  AscendC::GlobalTensor<T> dx_;      // NDC1HWC0
  int64_t offset_a_ = -1;            // of the tensors set last, elements
  int64_t offset_b_ = -1;
  int64_t last_plane_ = 0;  // of dy, that the plane before began with
};

}  // namespace tilesim
