// Conv3DBackpropInput: the input gradient of a 3D convolution (a transposed convolution) on one cube core.
//
//   gradInput_.Init(&tiling.conv3DDxTiling);
//   gradInput_.SetWeight(weight[offsetB]);  gradInput_.SetGradOutput(dy[offsetA]);
//   gradInput_.SetSingleShape(m, k, n);  gradInput_.SetStartPosition(dinStart, hoStart);
//   while (gradInput_.Iterate()) { gradInput_.GetTensorC(dx[offsetC]); }
//   gradInput_.End();
//
// dx(m, n) = sum over dk and k of window(m, k) * weight(k, n): m runs over pixels of one depth plane of dx, k
// over (cout1, hk, wk, c0), n over input channels. Pixels that no tap reaches become 0. dx is in NDC1HWC0 or,
// by the format of GRAD_INPUT, in NCDHW. A call out of order is a fault that names the rule.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/backprop_object.h"
#include "lib/conv_backprop/conv_type.h"
#include "lib/conv_backprop/input_context.h"
#include "lib/conv_backprop/input_writer.h"
#include "tiling/conv_backprop/conv_common.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_weight_walk.h"
#include "tiling/conv_backprop/whole_numbers.h"

namespace ConvBackpropApi {

// With dx in NCDHW the product is turned: channels are its rows and pixels its columns, so that what leaves
// L0C row by row is pixels of one channel. No vector core and no workspace is needed.
template <class GRAD_INPUT>
inline constexpr bool kIsTurned = GRAD_INPUT::format == ConvCommonApi::ConvFormat::NCDHW;

template <class WEIGHT, class INPUTSIZE, class GRAD_OUTPUT, class GRAD_INPUT,
          const Conv3dConfig& CONFIG = CONV3D_CFG_DEFAULT>
class Conv3DBackpropInputWith
    : public BackpropObject<Conv3DBackpropInputWith<WEIGHT, INPUTSIZE, GRAD_OUTPUT, GRAD_INPUT, CONFIG>,
                            InputContext<typename WEIGHT::T, kIsTurned<GRAD_INPUT>>> {
  using Base =
      BackpropObject<Conv3DBackpropInputWith, InputContext<typename WEIGHT::T, kIsTurned<GRAD_INPUT>>>;
  friend Base;

 public:
  using Base::ctx;
  using SrcT = typename WEIGHT::T;
  using DstT = typename GRAD_INPUT::T;
  static constexpr Conv3dConfig conv3dConfig = CONFIG;
  static_assert(AscendC::IsSameType<SrcT, typename GRAD_OUTPUT::T>::value &&
                    AscendC::IsSameType<SrcT, DstT>::value,
                "Conv3DBackpropInput: WEIGHT, GRAD_OUTPUT and GRAD_INPUT have one type");
  static_assert(WEIGHT::format == ConvCommonApi::ConvFormat::FRACTAL_Z_3D &&
                    GRAD_OUTPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0,
                "Conv3DBackpropInput: WEIGHT is FRACTAL_Z_3D, GRAD_OUTPUT is NDC1HWC0");
  static_assert(GRAD_INPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0 ||
                    GRAD_INPUT::format == ConvCommonApi::ConvFormat::NCDHW,
                "Conv3DBackpropInput: GRAD_INPUT is NDC1HWC0 or NCDHW");

  __aicore__ inline void Init(const TConv3DBackpropInputTiling* __restrict tiling) {
    ctx.order.Init();
    ascendc_assert(tiling != nullptr,
                   "Init: the tiling is a null pointer; pass the core's copy of conv3DDxTiling");
    ascendc_assert(tiling->stepM == 1 && tiling->stepN == 1, "Init: stepM and stepN are 1");
    ascendc_assert(
        conv3dConfig.loadB2Condition == LoadB2Condition::kAtLeastTaps ||
            conv3dConfig.loadB2Condition == LoadB2ConditionOf(*tiling),
        "Init: loadB2Condition of the configuration is not the tiling's: kOneTap is for hk * wk = 1, "
        "kBelowTaps for baseK < hk * wk * c0; kAtLeastTaps, the default, takes every tiling");
    const uint32_t line = tiling->hk * tiling->wk * tiling->c0;  // K behind C0 output channels
    ascendc_assert(tiling->stepKa * tiling->baseK % line == 0 && tiling->stepKb * tiling->baseK % line == 0,
                   "Init: stepKa * baseK and stepKb * baseK are multiples of hk * wk * c0");
    const uint32_t larger = tiling->stepKa > tiling->stepKb ? tiling->stepKa : tiling->stepKb;
    const uint32_t smaller = tiling->stepKa > tiling->stepKb ? tiling->stepKb : tiling->stepKa;
    ascendc_assert(larger % smaller == 0, "Init: the smaller of stepKa and stepKb divides the larger");
    this->Begin(*tiling);
  }

  // The filter, from the first line of cin1 that this core reads, depth 0.
  __aicore__ inline void SetWeight(const AscendC::GlobalTensor<SrcT>& weight) {
    ctx.order.Set();
    ctx.weight = weight;
    ctx.has_weight = true;
    ctx.product.ForgetWeights();
  }

  // The gradient of the output, from the first row that this core reads, depth 0: row 0 or, if that is later,
  // the first at or behind curHoStartIdx.
  __aicore__ inline void SetGradOutput(const AscendC::GlobalTensor<SrcT>& gradOutput) {
    ctx.order.Set();
    ctx.grad_output = gradOutput;
    ctx.has_grad_output = true;
    ctx.product.ForgetGradient();
  }

  // Elements: pixels of dx (whole rows), all of (dk, cout1, hk, wk, C0) and input channels, in this order.
  __aicore__ inline void SetSingleShape(uint64_t singleShapeM, uint64_t singleShapeK, uint32_t singleShapeN) {
    ctx.order.Set();
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const uint64_t taps = uint64_t{t.dk} * t.hk * t.wk;
    ascendc_assert(singleShapeM > 0 && singleShapeK > 0 && singleShapeN > 0,
                   "SetSingleShape: M, K and N are elements and more than 0; their order is M, K, N");
    ascendc_assert(singleShapeM % t.wi == 0,
                   "SetSingleShape: M is whole rows of dx, a multiple of wi; their order is M, K, N");
    ascendc_assert(singleShapeK % taps == 0,
                   "SetSingleShape: K is whole channels, a multiple of dk * hk * wk; their order is M, K, N");
    const uint64_t planes = (singleShapeK / taps + t.c0 - 1) / t.c0;
    ascendc_assert(t.group == 1 ? planes == t.cout1 : planes <= t.cout1G,
                   "SetSingleShape: K is dk * cout1 * hk * wk * c0, all of it: no core takes a part of K");
    const uint64_t lines = (uint64_t{singleShapeN} + t.c0 - 1) / t.c0;
    ascendc_assert(lines <= t.cin1G, "SetSingleShape: N is at most cin1G * c0; their order is M, K, N");
    ctx.single_rows = static_cast<int64_t>(singleShapeM / t.wi);
    ctx.single_lines = static_cast<int64_t>(lines);
    ctx.single_n = singleShapeN;
    ctx.planes = static_cast<int64_t>(planes);
  }

  // The depth plane of dx, and the position in the stride-expanded gradient that the first tap of its first
  // row sees: the row less backpropPadUp. The third is not the vendor's: the input channel, of all groups,
  // with which N begins. NCDHW needs it for parts of N where the last line or the last group is not full,
  // because channels that are not there have no room in it.
  __aicore__ inline void SetStartPosition(uint32_t curDinStartIdx, int32_t curHoStartIdx,
                                          int64_t curCinStartIdx = kCinNotStated) {
    ctx.order.Set();
    ctx.din = curDinStartIdx;
    ctx.ho_start = curHoStartIdx;
    ctx.cin_start = curCinStartIdx;
  }

  // Stores the block to `output` (enAtomic 0) or adds it (1). `output` starts at this core's first pixel and
  // first line of cin1, depth 0.
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const AscendC::GlobalTensor<DstT>& output, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false) {
    this->template Store<DstT>(enAtomic, enSequentialWrite, [&](const AscendC::LocalTensor<float>& c) {
      const TConv3DBackpropInputTiling& t = *ctx.tiling;
      const int64_t line = ctx.product.steps().FirstLine(ctx.walk);
      const int64_t lines = ctx.product.steps().Lines(ctx.walk);
      const int64_t pixels = int64_t{t.hi} * t.wi;
      if constexpr (kIsTurned<GRAD_INPUT>) {
        const int64_t channels = Least(ctx.channels - line * kC0, lines * kC0);
        InputWriter<DstT>().WriteTurned(output[static_cast<uint64_t>((line * kC0 * t.di + ctx.din) * pixels)],
                                        c, ctx.walk.block(), channels, lines, t);
      } else {
        InputWriter<DstT>().Write(output[static_cast<uint64_t>((ctx.din * t.cin1 + line) * pixels * kC0)], c,
                                  ctx.walk.block(), lines, t);
      }
    });
  }

 private:
  static constexpr int64_t kC0 = AscendC::ONE_BLK_SIZE / sizeof(SrcT);

  __aicore__ inline void StartShape() {
    ascendc_assert(ctx.has_weight && ctx.has_grad_output && ctx.single_rows > 0,
                   "Iterate: call SetWeight, SetGradOutput and SetSingleShape first");
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const int64_t pad_up = int64_t{t.hk - 1} * t.dilationH - t.padUp;
    const int64_t row = ctx.ho_start + pad_up;  // of dx
    ascendc_assert(row >= 0 && row + ctx.single_rows <= t.hi,
                   "Iterate: curHoStartIdx (the first row less backpropPadUp) and M of SetSingleShape pass "
                   "the rows of dx; clip M to whole rows left");
    ascendc_assert(ctx.din < t.di, "Iterate: curDinStartIdx passes the last depth plane of dx");
    CountChannels();
    constexpr bool kTurned = kIsTurned<GRAD_INPUT>;
    InputShape shape = ShapeOf(t, ctx.ho_start, ctx.single_rows, ctx.single_lines,
                               conv3dConfig.enableKernelSplit && !kTurned);
    shape.limits.whole_fractals = kTurned;
    ctx.walk.Start(shape);
    ctx.product.Start(shape,
                      {.planes = ctx.planes,
                       .lines = ctx.single_lines,
                       .din = ctx.din,
                       .first_row = ctx.ho_start > 0 ? CeilOf(ctx.ho_start, t.strideH) : 0},
                      ctx.grad_output, ctx.weight);
  }

  // Those of N that there are. NDC1HWC0 has room for whole lines of them.
  __aicore__ inline void CountChannels() {
    const TConv3DBackpropInputTiling& t = *ctx.tiling;
    const int64_t cin = t.cin;
    if (ctx.cin_start != kCinNotStated) {
      ascendc_assert(ctx.cin_start >= 0 && ctx.cin_start < cin && ctx.cin_start % kC0 == 0,
                     "Iterate: curCinStartIdx is the first of a line of C0 channels, less than cin");
      ctx.channels = Least(ctx.single_n, cin - ctx.cin_start);
    } else if (t.group == 1 && ctx.single_lines == t.cin1) {
      ctx.channels = Least(ctx.single_n, cin);
    } else {
      const bool full = cin == int64_t{t.group} * t.cin1G * kC0;  // every line of every group
      ascendc_assert(
          !kIsTurned<GRAD_INPUT> || full || ctx.single_n % kC0 != 0,
          "Iterate: with dx in NCDHW N in whole lines may pass the last channel and overwrite what "
          "follows; state the first channel of N as third argument of SetStartPosition");
      ctx.channels = ctx.single_n;
    }
    ascendc_assert((ctx.channels + kC0 - 1) / kC0 == ctx.single_lines,
                   "Iterate: N has whole lines behind the last channel; clip N of SetSingleShape");
  }
};

// The documented object: its configuration is the default one.
template <class WEIGHT, class INPUTSIZE, class GRAD_OUTPUT, class GRAD_INPUT>
using Conv3DBackpropInput = Conv3DBackpropInputWith<WEIGHT, INPUTSIZE, GRAD_OUTPUT, GRAD_INPUT>;

}  // namespace ConvBackpropApi
