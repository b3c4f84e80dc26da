// What a call of the softmax family comes to, whatever its types: the functions themselves are compiled once,
// with the simulator.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "sim/ascendc/lib/activation/softmax_types.h"
#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/order_pipes.h"

namespace AscendC::simulator {

using tilesim::library::Softmax;

struct SoftmaxCall {
  Softmax form;
  bool nz;
  LibraryOperand dst, src;
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given
  SoftMaxShapeInfo shape;
  uint32_t tiled_columns;  // the tiling's
  SourceLine where;
  // A block of 32 bytes for each row. There may be no sum and max.
  LibraryOperand sum = {}, max = {};
  bool is_update = false;  // of the flash forms: there are results of the columns before
  LibraryOperand exp_max = {}, in_sum = {}, in_max = {};
};
struct SoftmaxGradCall {
  const char* name;
  bool is_front;
  bool nz;
  LibraryOperand dst, grad, src;
  const LocalTensor<uint8_t>* scratch;
  SoftMaxShapeInfo shape;
  uint32_t tiled_columns;
  SourceLine where;
};

// They do nothing on a cube core.
void Run(const SoftmaxCall& call);
void Run(const SoftmaxGradCall& call);

// The shape that is given, or that of the tensor's ShapeInfo.
template <class T>
SoftMaxShapeInfo ShapeOf(const SoftMaxShapeInfo& given, const LocalTensor<T>& src) {
  if (given.srcM != 0 || given.srcK != 0) {
    return given;
  }
  const ShapeInfo info = src.GetShapeInfo();
  const auto rows = [](uint8_t axes, const uint32_t* extents) {
    uint32_t product = axes == 0 ? 0 : 1;
    for (int i = 0; i + 1 < axes; ++i) {
      product *= extents[i];
    }
    return product;
  };
  const auto columns = [](uint8_t axes, const uint32_t* extents) {
    return axes == 0 ? 0 : extents[axes - 1];
  };
  return {rows(info.shapeDim, info.shape), columns(info.shapeDim, info.shape),
          rows(info.originalShapeDim, info.originalShape),
          columns(info.originalShapeDim, info.originalShape)};
}

}  // namespace AscendC::simulator
