// Conv3DBackpropFilter: the weight gradient of a 3D convolution on one cube core.
//
//   gradWeight_.Init(&tiling.dwTiling);
//   gradWeight_.SetInput(x[offsetB]);  gradWeight_.SetGradOutput(dy[offsetA]);
//   gradWeight_.SetSingleShape(m, n, k);  gradWeight_.SetStartPosition(hoStart);
//   while (gradWeight_.Iterate()) { gradWeight_.GetTensorC(dw[offsetC]); }
//   gradWeight_.End();
//
// dw(m, n) += sum over k of gradOutput(m, k) * window(k, n): m runs over output channels, k over output
// pixels of one depth plane, n over (cin1, hk, wk, c0). A call out of order is a fault that names the rule.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/backprop_object.h"
#include "lib/conv_backprop/conv_type.h"
#include "lib/conv_backprop/filter_context.h"

namespace ConvBackpropApi {

template <class INPUT, class WEIGHTSIZE, class GRAD_OUTPUT, class GRAD_WEIGHT>
class Conv3DBackpropFilter
    : public BackpropObject<Conv3DBackpropFilter<INPUT, WEIGHTSIZE, GRAD_OUTPUT, GRAD_WEIGHT>,
                            FilterContext<typename INPUT::T>> {
  using Base = BackpropObject<Conv3DBackpropFilter, FilterContext<typename INPUT::T>>;
  friend Base;

 public:
  using Base::ctx;
  using SrcT = typename INPUT::T;
  using DstT = typename GRAD_WEIGHT::T;
  static_assert(AscendC::IsSameType<SrcT, typename GRAD_OUTPUT::T>::value,
                "Conv3DBackpropFilter: INPUT and GRAD_OUTPUT have one type");
  static_assert(AscendC::IsSameType<DstT, float>::value, "Conv3DBackpropFilter: GRAD_WEIGHT is float");
  static_assert(INPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0 &&
                    GRAD_OUTPUT::format == ConvCommonApi::ConvFormat::NDC1HWC0 &&
                    GRAD_WEIGHT::format == ConvCommonApi::ConvFormat::FRACTAL_Z_3D,
                "Conv3DBackpropFilter: INPUT and GRAD_OUTPUT are NDC1HWC0, GRAD_WEIGHT is FRACTAL_Z_3D");

  __aicore__ inline void Init(const TConv3DBpFilterTiling* __restrict tiling) {
    ctx.order.Init();
    ascendc_assert(tiling != nullptr, "Init: the tiling is a null pointer; pass the core's copy of dwTiling");
    this->Begin(*tiling);
  }

  // The feature map, from the first row, channel and depth this core reads.
  __aicore__ inline void SetInput(const AscendC::GlobalTensor<SrcT>& input) {
    ctx.order.Set();
    ctx.input = input;
    ctx.has_input = true;
  }

  // The gradient of the output, from the first row and channel this core reads.
  __aicore__ inline void SetGradOutput(const AscendC::GlobalTensor<SrcT>& gradOutput) {
    ctx.order.Set();
    ctx.grad_output = gradOutput;
    ctx.has_grad_output = true;
  }

  // Elements: output channels, (cin1, hk, wk, C0) and output pixels (whole rows) of this core, in this order.
  __aicore__ inline void SetSingleShape(uint64_t singleCoreM, uint64_t singleCoreN, uint64_t singleCoreK) {
    ctx.order.Set();
    const uint64_t c0 = ctx.tiling->channelSize;
    const uint64_t line = uint64_t{ctx.tiling->hk} * ctx.tiling->wk * c0;
    ascendc_assert(singleCoreM > 0 && singleCoreN > 0 && singleCoreK > 0,
                   "SetSingleShape: M, N and K are elements and more than 0; their order is M, N, K");
    ascendc_assert(singleCoreK % ctx.tiling->wo == 0,
                   "SetSingleShape: K is whole output rows, a multiple of wo; their order is M, N, K");
    ctx.shape.m = (singleCoreM + c0 - 1) / c0 * c0;
    ctx.shape.n = (singleCoreN + line - 1) / line * line;
    ctx.shape.k = singleCoreK;
  }

  // The first output row of this core.
  __aicore__ inline void SetStartPosition(uint32_t hoStartIdx) {
    ctx.order.Set();
    ctx.shape.ho_start = hoStartIdx;
  }

  // Adds the block to `output` (enAtomic 1, so the output must hold zeros or earlier sums) or stores it (0).
  // `output` starts at this core's first output channel and first (cin1, hk, wk).
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const AscendC::GlobalTensor<DstT>& output, uint8_t enAtomic = 1,
                                    bool enSequentialWrite = false) {
    this->template Store<DstT>(enAtomic, enSequentialWrite, [&](const AscendC::LocalTensor<float>& c) {
      const TConv3DBpFilterTiling& tiling = *ctx.tiling;
      const uint64_t c0 = tiling.channelSize;
      const uint64_t cout_g = uint64_t{tiling.cout1G} * c0;
      const uint64_t offset =
          uint64_t{ctx.walk.n} * tiling.baseN * cout_g + uint64_t{ctx.walk.m} * tiling.baseM * c0;
      const uint64_t m = ctx.shape.BlockM(tiling, ctx.walk);
      AscendC::FixpipeParamsV220 params(
          static_cast<uint16_t>(ctx.shape.BlockN(tiling, ctx.walk)), static_cast<uint16_t>(m),
          static_cast<uint16_t>((m + 15) / 16 * 16),
          static_cast<uint32_t>(cout_g * c0 * sizeof(DstT) / AscendC::ONE_BLK_SIZE), false);
      params.isChannelSplit = c0 == 8;
      AscendC::Fixpipe<DstT, float, AscendC::CFG_NZ>(output[offset], c, params);
    });
  }

 private:
  __aicore__ inline void StartShape() {
    ascendc_assert(ctx.has_input && ctx.has_grad_output && ctx.shape.m > 0,
                   "Iterate: call SetInput, SetGradOutput and SetSingleShape first");
    const TConv3DBpFilterTiling& tiling = *ctx.tiling;
    ascendc_assert(
        static_cast<uint64_t>(ctx.shape.ho_start) * tiling.wo + ctx.shape.k <=
            uint64_t{tiling.ho} * tiling.wo,
        "Iterate: hoStartIdx and K of SetSingleShape pass the last output row; clip K to whole rows left");
    ctx.walk = ctx.shape.WalkOf(tiling);
    ctx.product.Start(ctx.shape, ctx.input, ctx.grad_output);
  }
};

}  // namespace ConvBackpropApi
