// How much scratch a host has to leave for the elementwise functions of the library, in bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/ascendc/lib/scratch_sizes.h"
#include "tiling/library/tensor_shape.h"

namespace AscendC {

namespace internal {

// `max`: the function goes through the shape at once, and more is of no use; `min`: it can run at all.
inline void TellScratch(tilesim::library::Function function, int64_t elements, uint32_t& max, uint32_t& min) {
  const tilesim::library::ScratchNeed& need = tilesim::library::RowOf(function).need;
  max = need.BytesFor(static_cast<uint32_t>(std::max<int64_t>(elements, 0)));
  min = need.MinBytes();
}

}  // namespace internal

// Get<Name>TmpBufferFactorSize: so many live nodes, each the elements of a piece times typeSize bytes, and so
// many bytes whatever the piece.
#define TILESIM_TMP_SIZE(NAME)                                                                               \
  inline void Get##NAME##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t /*typeSize*/,             \
                                       const bool /*isReuseSource*/, uint32_t& maxValue,                     \
                                       uint32_t& minValue) {                                                 \
    internal::TellScratch(tilesim::library::Function::k##NAME, srcShape.GetShapeSize(), maxValue, minValue); \
  }                                                                                                          \
  inline void Get##NAME##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,            \
                                             uint32_t& extraBuffer) {                                        \
    const tilesim::library::ScratchNeed& need =                                                              \
        tilesim::library::RowOf(tilesim::library::Function::k##NAME).need;                                   \
    maxLiveNodeCount = need.NodesOf(typeSize);                                                               \
    extraBuffer = need.extra_bytes;                                                                          \
  }

TILESIM_TMP_SIZE(Sigmoid)
TILESIM_TMP_SIZE(Tanh)

#undef TILESIM_TMP_SIZE

}  // namespace AscendC
