// What an object of Conv3DBackpropFilter keeps between calls.
#pragma once

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/call_order.h"
#include "lib/conv_backprop/filter_blocks.h"
#include "lib/conv_backprop/filter_product.h"

namespace ConvBackpropApi {

// What a tile program may look at between calls. `isFirstIter_` is to be set true after each finished single
// shape.
template <class SrcT>
struct FilterContext {
  bool isFirstIter_ = true;

  CallOrder order;
  const TConv3DBpFilterTiling* tiling = nullptr;
  AscendC::GlobalTensor<SrcT> input;
  AscendC::GlobalTensor<SrcT> grad_output;
  bool has_input = false;
  bool has_grad_output = false;
  FilterShape shape;
  FilterBlockWalk walk;
  AscendC::TPipe pipe;
  FilterProduct<SrcT> product;
};

}  // namespace ConvBackpropApi
