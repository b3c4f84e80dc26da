// What the calls that normalise share, for the sources that compute them.
#pragma once

#include "sim/ascendc/lib/normalization/norm_call.h"
#include "sim/ascendc/lib/rows.h"

namespace AscendC::simulator {

using tilesim::isa::VectorType;

// Weights of columns as fp32.
template <class U>
Floats WeightsOf(const RowSteps& steps, const LibraryOperand& weights, RowScratch& scratch,
                 const NormShape& shape) {
  const Floats copy = scratch.Take(shape.width);
  if (weights.given()) {
    CopyIn<U>(steps.On(shape.width), copy, weights, 0);
  }
  return copy;
}
// numbers[i] to element first + i of dst, of half or float. `stored`: as many elements.
inline void StoreNumbers(const RowSteps& steps, const LibraryOperand& dst, uint32_t first,
                         const Floats& numbers, const Floats& stored, const Floats& spread, uint32_t count) {
  if (dst.type == VectorType::kFp16) {
    const LocalTensor<half> halves = stored.ReinterpretCast<half>();
    steps.On(count).Cast(halves, numbers, RoundMode::CAST_RINT);
    steps.Scatter(As<half>(dst)[first], halves, spread, count);
  } else {
    steps.Scatter(As<float>(dst)[first], numbers, spread, count);
  }
}

void CheckNormShape(tilesim::Core& core, const NormShape& shape, uint32_t type_bytes);

}  // namespace AscendC::simulator
