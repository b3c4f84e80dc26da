// How much scratch a host has to leave for functions of the library, in bytes: elementwise ones, and those of
// quantisation and masks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/ascendc/lib/scratch_sizes.h"
#include "tiling/library/data_type.h"
#include "tiling/library/tensor_shape.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

namespace simulator {

using LibraryFunction = tilesim::library::Function;
using tilesim::library::ScratchNeed;

// `max`: the function goes through all elements at once, and more is of no use; `min`: it can run at all.
inline void TellScratch(const ScratchNeed& need, int64_t elements, uint32_t& max, uint32_t& min) {
  max = need.BytesFor(static_cast<uint32_t>(std::max<int64_t>(elements, 0)));
  min = need.MinBytes();
}
// So many nodes, each the elements of a piece times typeSize bytes, and so many bytes whatever the piece.
inline void TellFactor(const ScratchNeed& need, uint32_t type_size, uint32_t& nodes, uint32_t& extra) {
  nodes = need.NodesOf(type_size);
  extra = need.extra_bytes;
}

}  // namespace simulator

#define TILESIM_MAX_MIN_TMP_SIZE(NAME, NEED, ELEMENTS, ...)                                   \
  inline void Get##NAME##MaxMinTmpSize(__VA_ARGS__, uint32_t& maxValue, uint32_t& minValue) { \
    simulator::TellScratch(NEED, ELEMENTS, maxValue, minValue);                               \
  }
#define TILESIM_TMP_FACTOR(NAME, NEED, TYPE_SIZE, ...)                                \
  inline void Get##NAME##TmpBufferFactorSize(__VA_ARGS__, uint32_t& maxLiveNodeCount, \
                                             uint32_t& extraBuffer) {                 \
    simulator::TellFactor(NEED, TYPE_SIZE, maxLiveNodeCount, extraBuffer);            \
  }
#define TILESIM_TMP_SIZE(NAME, NEED)                                                         \
  TILESIM_MAX_MIN_TMP_SIZE(NAME, NEED, srcShape.GetShapeSize(), const TensorShape& srcShape, \
                           const uint32_t /*typeSize*/, const bool /*isReuseSource*/)        \
  TILESIM_TMP_FACTOR(NAME, NEED, typeSize, const uint32_t typeSize)
#define TILESIM_TMP_SIZE_OF(NAME, ...) \
  TILESIM_TMP_SIZE(NAME, tilesim::library::RowOf(simulator::LibraryFunction::k##NAME).need)
// Of functions that need none, and take it.
#define TILESIM_TMP_SIZE_UNUSED(NAME) TILESIM_TMP_SIZE(NAME, simulator::ScratchNeed{1})
#define TILESIM_TMP_SIZE_OF_ROWS(NAME) TILESIM_TMP_SIZE(NAME, tilesim::library::k##NAME)
// The form without isReuseSource.
#define TILESIM_TMP_SIZE_WITHOUT_REUSE(NAME)                                                 \
  inline void Get##NAME##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, \
                                       uint32_t& maxValue, uint32_t& minValue) {             \
    Get##NAME##MaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);                 \
  }

TILESIM_FUNCTIONS_OF_ONE_NAME(TILESIM_TMP_SIZE_OF, TILESIM_TMP_SIZE_OF, TILESIM_TMP_SIZE_OF)
TILESIM_TMP_SIZE_WITHOUT_REUSE(FasterGelu)
TILESIM_TMP_SIZE_WITHOUT_REUSE(FasterGeluV2)
TILESIM_TMP_SIZE_WITHOUT_REUSE(Gelu)
TILESIM_TMP_SIZE_UNUSED(Clamp)
TILESIM_TMP_SIZE_UNUSED(Floor)
TILESIM_TMP_SIZE_UNUSED(Log)
TILESIM_TMP_SIZE_UNUSED(Log10)
TILESIM_TMP_SIZE_OF_ROWS(AscendDequant)
TILESIM_TMP_SIZE_WITHOUT_REUSE(AscendDequant)
TILESIM_TMP_SIZE_OF_ROWS(AscendQuant)
TILESIM_TMP_SIZE_WITHOUT_REUSE(AscendQuant)
TILESIM_TMP_SIZE_OF_ROWS(DropOut)

#undef TILESIM_TMP_SIZE
#undef TILESIM_TMP_SIZE_OF
#undef TILESIM_TMP_SIZE_OF_ROWS
#undef TILESIM_TMP_SIZE_UNUSED
#undef TILESIM_TMP_SIZE_WITHOUT_REUSE

// These two are called in another order, too.
inline void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool isReuseSource) {
  GetSwiGLUMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                                  const TensorShape& srcShape, const uint32_t typeSize,
                                  const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  GetRoundMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}

namespace simulator {
constexpr const ScratchNeed& NeedOfPower(bool whole) {
  return tilesim::library::RowOf(whole ? LibraryFunction::kPowerInt : LibraryFunction::kPower).need;
}
}  // namespace simulator

// The shape of a number is {1}.
TILESIM_MAX_MIN_TMP_SIZE(Power, simulator::NeedOfPower(typeIsInt),
                         std::max(srcShape1.GetShapeSize(), srcShape2.GetShapeSize()),
                         const TensorShape& srcShape1, const TensorShape& srcShape2, const bool typeIsInt,
                         const uint32_t /*typeSize*/, const bool /*isReuseSource*/)
TILESIM_TMP_FACTOR(Power, simulator::NeedOfPower(typeIsInt), typeSize, const bool /*baseIsTensor*/,
                   const bool /*expIsTensor*/, const bool typeIsInt, const uint32_t typeSize)

// Of Exp with a Taylor level; always true.
inline bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t /*typeSize*/,
                                const bool /*isReuseSource*/, uint32_t& maxValue, uint32_t& minValue) {
  simulator::TellScratch(tilesim::library::RowOf(simulator::LibraryFunction::kExpTaylor).need,
                         srcShape.GetShapeSize(), maxValue, minValue);
  return true;
}
inline bool GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                      uint32_t& extraBuffer) {
  simulator::TellFactor(tilesim::library::RowOf(simulator::LibraryFunction::kExpTaylor).need, typeSize,
                        maxLiveNodeCount, extraBuffer);
  return true;
}

// Of Select with a mask of bytes or wider elements. The shape of a number is {1}.
#define TILESIM_SELECT_TMP_SIZE(NAME)                                                        \
  TILESIM_MAX_MIN_TMP_SIZE(NAME, tilesim::library::kSelectWithBytesMask,                     \
                           std::max(src0Shape.GetShapeSize(), src1Shape.GetShapeSize()),     \
                           const TensorShape& src0Shape, const TensorShape& src1Shape,       \
                           const uint32_t /*srcTypeSize*/, const TensorShape& /*maskShape*/, \
                           const uint32_t /*maskTypeSize*/, const bool /*isReuseMask*/)
TILESIM_SELECT_TMP_SIZE(SelectWithBytesMask)
TILESIM_SELECT_TMP_SIZE(Select)

TILESIM_MAX_MIN_TMP_SIZE(AscendAntiQuant, tilesim::library::kAscendAntiQuant, srcShape.GetShapeSize(),
                         const TensorShape& srcShape, const TensorShape& /*scaleShape*/, bool /*isTranspose*/,
                         ge::DataType /*inputDataType*/, ge::DataType /*outputDataType*/)
TILESIM_TMP_FACTOR(AscendAntiQuant, tilesim::library::kAscendAntiQuant, 1, const TensorShape& /*srcShape*/,
                   const TensorShape& /*scaleShape*/, bool /*isTranspose*/, ge::DataType /*inputDataType*/,
                   ge::DataType /*outputDataType*/)
#undef TILESIM_SELECT_TMP_SIZE
#undef TILESIM_MAX_MIN_TMP_SIZE
#undef TILESIM_TMP_FACTOR

}  // namespace AscendC
