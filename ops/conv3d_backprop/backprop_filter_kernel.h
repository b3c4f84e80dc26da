// The tile program of the filter gradient: zero fill of dw, all cores meet (both left out where dw holds
// zeros from a launch before), then each core's tasks, which add into dw atomically.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/conv3d_bp_filter_api.h"
#include "tiling/conv_backprop/filter_tasks.h"
#include "tiling/conv_backprop/gradient_tiling.h"

namespace tilesim {

// Writes zeros to this core's slice of dw through L1, then waits until every cube core has.
class FilterZeroFill {
 public:
  // `elements`: of dw. `l1_bytes`: of this part.
  __aicore__ inline void Process(const AscendC::GlobalTensor<float>& dw, uint64_t elements,
                                 uint32_t l1_bytes) {
    const uint64_t cores = static_cast<uint64_t>(AscendC::GetBlockNum());
    const uint64_t slice = (elements + cores * kGrain - 1) / (cores * kGrain) * kGrain;  // elements
    const uint64_t begin = slice * static_cast<uint64_t>(AscendC::GetBlockIdx());
    const uint64_t end = begin + slice < elements ? begin + slice : elements;
    if (begin < end && AscendC::BeginTask({.kind = {kFill, static_cast<int64_t>(end - begin)},
                                           .places = {{{dw.address(), dw[begin].address()}}}})) {
      Fill(dw[begin], end - begin, l1_bytes);
    }
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(AscendC::SYNC_AIC_FLAG);
    AscendC::CrossCoreWaitFlag(AscendC::SYNC_AIC_FLAG);
  }

 private:
  static constexpr uint64_t kGrain = 256;  // elements: slices begin at whole KiB
  static constexpr int64_t kFill = -1;     // no task of products has as many planes

  __aicore__ inline void Fill(const AscendC::GlobalTensor<float>& dw, uint64_t elements, uint32_t l1_bytes) {
    constexpr uint64_t kPerBlock = AscendC::ONE_BLK_SIZE / sizeof(float);
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::TSCM> zeros_buffer;
    const uint64_t most = l1_bytes / AscendC::ONE_BLK_SIZE / 2;  // half of L1
    const uint64_t needed = elements / kPerBlock;  // elements is a multiple of 256 or of 16 * C0
    const uint64_t blocks = needed < most ? needed : most;
    pipe.InitBuffer(zeros_buffer, static_cast<uint32_t>(blocks * AscendC::ONE_BLK_SIZE));
    AscendC::LocalTensor<float> zeros = zeros_buffer.Get<float>();  // (blocks, 8)
    AscendC::InitConstValue(zeros,
                            AscendC::InitConstValueParams<float>(1, static_cast<uint16_t>(blocks), 0, 0.0F));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
    for (uint64_t at = 0; at < needed; at += blocks) {
      const uint64_t here = needed - at < blocks ? needed - at : blocks;
      AscendC::DataCopy(dw[at * kPerBlock], zeros,
                        AscendC::DataCopyParams(1, static_cast<uint16_t>(here), 0, 0));
    }
  }
};

template <class T>
class BackpropFilterKernel {
 public:
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR dy, GM_ADDR dw, const FilterTiling& tiling,
                                 bool zero_fill) {
    const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
    const FilterTaskSpace space = {.batch_dout = int64_t{t.batch} * t.dout, .groups = t.group, .dk = t.dk};
    c0_ = t.channelSize;
    x_.SetGlobalBuffer(reinterpret_cast<T*>(x));
    dy_.SetGlobalBuffer(reinterpret_cast<T*>(dy));
    dw_.SetGlobalBuffer(reinterpret_cast<float*>(dw));
    const uint64_t cout_g = uint64_t{t.cout1G} * c0_;
    const uint64_t elements = uint64_t{t.group} * t.dk * t.cin1G * t.hk * t.wk * cout_g * c0_;
    if (zero_fill) {
      FilterZeroFill().Process(dw_, elements, tiling.data.params.totalL1Size);
    }
    GradWeight grad_weight;
    grad_weight.Init(&t);
    ForEachFilterTask(tiling.split, space, AscendC::GetBlockIdx(),
                      [&](const FilterTask& task) { Run(grad_weight, t, task); });
    grad_weight.End();
  }

 private:
  using Position = AscendC::TPosition;
  using Format = ConvCommonApi::ConvFormat;
  using GradWeight = ConvBackpropApi::Conv3DBackpropFilter<
      ConvBackpropApi::ConvType<Position::GM, Format::NDC1HWC0, T>,
      ConvBackpropApi::ConvType<Position::GM, Format::ND, int32_t>,
      ConvBackpropApi::ConvType<Position::GM, Format::NDC1HWC0, T>,
      ConvBackpropApi::ConvType<Position::GM, Format::FRACTAL_Z_3D, float>>;

  static constexpr int64_t kNoPadding = -1;  // no window reaches above x or below it
  static __aicore__ inline int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }

  // A part that lies outside the problem (depth in the padding, rows or channels beyond the last) is skipped.
  __aicore__ inline void Run(GradWeight& grad_weight, const TConv3DBpFilterTiling& t,
                             const FilterTask& task) {
    const int64_t n = task.batch_dout / t.dout;
    const int64_t dout = task.batch_dout % t.dout;
    const int64_t din = dout * t.strideD - t.padFront + task.dk * t.dilationD;
    const int64_t cout1 = (int64_t{t.cout} + c0_ - 1) / c0_;  // planes of all channels
    const int64_t cin1 = (int64_t{t.cin} + c0_ - 1) / c0_;
    const int64_t part_m1 = t.singleCoreCout / c0_;
    const int64_t part_n1 = static_cast<int64_t>(t.singleCoreCin) / c0_;
    const int64_t m1 = task.m * part_m1;  // planes within the group
    const int64_t n1 = task.n * part_n1;
    const int64_t ho = task.k * t.singleCoreHo;
    const int64_t planes_m = Min(part_m1, Min(t.cout1G, cout1 - task.group * t.cout1G) - m1);
    const int64_t planes_n = Min(part_n1, Min(t.cin1G, cin1 - task.group * t.cin1G) - n1);
    const int64_t rows = Min(t.singleCoreHo, t.ho - ho);
    if (din < 0 || din >= t.di || planes_m <= 0 || planes_n <= 0 || rows <= 0) {
      return;
    }
    const int64_t window = int64_t{t.hk} * t.wk;
    const int64_t hi = ho * t.strideH > t.padUp ? ho * t.strideH - t.padUp : 0;
    const int64_t cout_g = t.cout1G * c0_;
    const int64_t offset_a =
        (((n * t.dout + dout) * cout1 + task.group * t.cout1G + m1) * t.ho + ho) * t.wo * c0_;
    const int64_t offset_b = (((n * t.di + din) * cin1 + task.group * t.cin1G + n1) * t.hi + hi) * t.wi * c0_;
    const int64_t offset_c =
        (((task.group * t.dk + task.dk) * t.cin1G + n1) * window * cout_g + m1 * c0_) * c0_;  // row m1 * C0
    const AscendC::GlobalTensor<T> dy = dy_[static_cast<uint64_t>(offset_a)];
    const AscendC::GlobalTensor<T> x = x_[static_cast<uint64_t>(offset_b)];
    const AscendC::GlobalTensor<float> dw = dw_[static_cast<uint64_t>(offset_c)];
    const int64_t top = ho * t.strideH - t.padUp;
    const int64_t bottom = top + (rows - 1) * t.strideH + (int64_t{t.hk} - 1) * t.dilationH;
    const int64_t padded_from = top < 0 || bottom >= t.hi ? ho : kNoPadding;
    if (!AscendC::BeginTask({.kind = {planes_m, planes_n, rows, padded_from},
                             .places = {{{dy_.address(), dy.address()},
                                         {x_.address(), x.address()},
                                         {dw_.address(), dw.address()}}}})) {
      return;
    }
    grad_weight.SetGradOutput(dy);
    grad_weight.SetInput(x);
    grad_weight.SetSingleShape(static_cast<uint64_t>(planes_m * c0_),
                               static_cast<uint64_t>(planes_n * window * c0_),
                               static_cast<uint64_t>(rows * t.wo));
    grad_weight.SetStartPosition(static_cast<uint32_t>(ho));
    grad_weight.ctx.isFirstIter_ = true;
    while (grad_weight.Iterate()) {
      grad_weight.GetTensorC(dw);
    }
  }

  AscendC::GlobalTensor<T> x_;       // NDC1HWC0
  AscendC::GlobalTensor<T> dy_;      // NDC1HWC0
  AscendC::GlobalTensor<float> dw_;  // FRACTAL_Z_3D
  int64_t c0_ = 16;
};

}  // namespace tilesim
