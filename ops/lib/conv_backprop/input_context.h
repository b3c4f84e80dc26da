// What an object of Conv3DBackpropInput is configured with, and what it keeps between calls.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/call_order.h"
#include "lib/conv_backprop/input_product.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_weight_walk.h"

namespace ConvBackpropApi {

// loadB2Condition: the walk over the weights that a tiling needs. The walk here follows each tile, so that
// the documented object, whose condition is always kAtLeastTaps, runs every tiling; either other condition is
// a promise, and Init refuses a tiling that does not keep it. enableKernelSplit: where there is a stride, the
// phases of dx are computed one after the other, each with the taps that reach it, instead of all together
// over a gradient with zeros between its pixels.
struct Conv3dConfig {
  LoadB2Condition loadB2Condition = LoadB2Condition::kAtLeastTaps;
  bool enableKernelSplit = false;
};
inline constexpr Conv3dConfig CONV3D_CFG_DEFAULT = {};
inline constexpr Conv3dConfig CONV3D_CFG_KERNEL_SPLIT = {LoadB2Condition::kAtLeastTaps, true};

// The first input channel of N where SetStartPosition does not state it.
inline constexpr int64_t kCinNotStated = -1;

// What a tile program may look at between calls. `isFirstIter_` is to be set true after each finished single
// shape.
template <class SrcT, bool turned>
struct InputContext {
  bool isFirstIter_ = true;

  CallOrder order;
  const TConv3DBackpropInputTiling* tiling = nullptr;
  AscendC::GlobalTensor<SrcT> weight;
  AscendC::GlobalTensor<SrcT> grad_output;
  bool has_weight = false;
  bool has_grad_output = false;
  int64_t single_rows = 0;   // of dx
  int64_t single_lines = 0;  // of cin1
  int64_t single_n = 0;      // channels as stated, whole lines or those that there are
  int64_t channels = 0;      // of them that there are
  int64_t planes = 0;        // of cout1
  int64_t din = 0;
  int64_t ho_start = 0;
  int64_t cin_start = kCinNotStated;
  InputBlockWalk walk;
  AscendC::TPipe pipe;
  InputProduct<SrcT, turned> product;
};

}  // namespace ConvBackpropApi
