// What the objects of the convolution APIs take as template arguments.
#pragma once

#include "kernel_operator.h"
#include "tiling/conv_backprop/conv_common.h"

namespace ConvBackpropApi {

// Where a tensor is, its format and the type of its elements.
template <AscendC::TPosition POSITION, ConvCommonApi::ConvFormat FORMAT, class TYPE>
struct ConvType {
  static constexpr AscendC::TPosition pos = POSITION;
  static constexpr ConvCommonApi::ConvFormat format = FORMAT;
  using T = TYPE;
};

}  // namespace ConvBackpropApi
