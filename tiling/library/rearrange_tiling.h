// How much scratch a host has to leave for CumSum, Broadcast, TopK, Sort, the transpositions, Pad and UnPad,
// in bytes, and their tilings.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "sim/ascendc/lib/sort/topk_mode.h"
#include "tiling/library/rearrange_tilingdata.h"
#include "tiling/library/row_shape.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

TILESIM_ROW_TMP_SIZE(CumSum, simulator::RowsOf(srcShape), CumSumNeed(typeSize, of.columns, isLastAxis),
                     of.rows, const TensorShape& srcShape, const uint32_t typeSize, const bool isLastAxis,
                     const bool /*isReuseSource*/)
TILESIM_ROW_TMP_SIZE(BroadCast, simulator::RowsOf(dstShape), BroadcastNeed(typeSize, of.rows, of.columns),
                     of.rows, const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                     const TensorShape& /*srcShape*/, const TensorShape& dstShape, uint32_t typeSize,
                     const bool /*isReuseSource*/)

inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                                 const int32_t inner, const int32_t outter, const bool /*isReuseSource*/,
                                 const bool /*isInitIndex*/, enum TopKMode mode, const bool /*isLargest*/,
                                 const uint32_t /*dataTypeSize*/, uint32_t& maxValue, uint32_t& minValue) {
  simulator::TellScratch(
      tilesim::library::TopKNeed(static_cast<uint64_t>(inner), static_cast<uint64_t>(outter),
                                 mode == TopKMode::TOPK_NSMALL),
      1, maxValue, minValue);
  return true;
}
// False: no row has so many elements.
template <class Tiling>
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner,
                    const int32_t outter, const int32_t k, const uint32_t dataTypeSize,
                    const bool isInitIndex, enum TopKMode mode, const bool isLargest, Tiling& tiling) {
  uint32_t most = 0;
  uint32_t least = 0;
  GetTopKMaxMinTmpSize(ascendcPlatform, inner, outter, false, isInitIndex, mode, isLargest, dataTypeSize,
                       most, least);
  TILESIM_SET(tmpLocalSize, static_cast<int32_t>(least))
  TILESIM_SET(allDataSize, inner * outter)
  TILESIM_SET(innerDataSize, inner)
  TILESIM_SET(sortRepeat, static_cast<uint32_t>(inner) / 32)
  TILESIM_SET(kAlignFourBytes, (k + 7) / 8 * 8)
  TILESIM_SET(kAlignTwoBytes, (k + 15) / 16 * 16)
  return k > 0 && k <= inner;
}

// Elements of the pairs' type in the pairs of so many scores.
inline uint32_t GetSortLen(const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                           const uint32_t elemCount, const uint32_t dataTypeSize) {
  return elemCount * (8 / dataTypeSize);
}
inline uint32_t GetSortOffset(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                              const uint32_t elemOffset, const uint32_t dataTypeSize) {
  return GetSortLen(ascendcPlatform, elemOffset, dataTypeSize);
}
// As much as the sorted pairs.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                               const uint32_t elemCount, const uint32_t /*dataTypeSize*/) {
  return elemCount * 8;
}
// Concat touches none on this part.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                                 const uint32_t elemCount, const uint32_t /*dataTypeSize*/) {
  return elemCount * 8;
}

// transposeTypeIn: the number of the TransposeType, 7 that of ND2ND_ONLY. srcShape: see Transpose.
#define TILESIM_TRANSPOSE_TMP_SIZE(NAME)                                                           \
  TILESIM_ROW_TMP_SIZE(                                                                            \
      NAME, srcShape, TransposeNeed(transposeTypeIn == 7, static_cast<uint64_t>(of.GetDim(0))), 1, \
      const TensorShape& srcShape, const uint32_t /*typeSize*/, const uint32_t transposeTypeIn)
TILESIM_TRANSPOSE_TMP_SIZE(Transpose)
TILESIM_TRANSPOSE_TMP_SIZE(ConfusionTranspose)
#undef TILESIM_TRANSPOSE_TMP_SIZE
template <class Tiling>
void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t /*stackBufferSize*/,
                            const uint32_t /*typeSize*/, const uint32_t transposeTypeIn, Tiling& tiling) {
  const auto axis = [&](size_t i) { return static_cast<uint32_t>(srcShape.GetDim(i)); };
  TILESIM_SET(param0, transposeTypeIn)
  TILESIM_SET(param1, axis(0))
  TILESIM_SET(param2, axis(1))
  TILESIM_SET(param3, axis(2))
  TILESIM_SET(param4, axis(3))
}
template <class Tiling>
void GetConfusionTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const uint32_t transposeTypeIn,
                                     Tiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}

// srcShape: [height, width], the width in whole blocks of 32 bytes; oriSrcShape has the original one.
TILESIM_ROW_TMP_SIZE(Pad, simulator::RowsOf(srcShape), PadNeed(typeSize, of.columns), 1,
                     const TensorShape& srcShape, const uint32_t typeSize)
template <class Tiling>
void PadTilingFunc(const TensorShape& srcShape, const TensorShape& oriSrcShape,
                   const uint32_t /*stackBufferSize*/, const uint32_t typeSize, Tiling& tiling) {
  const simulator::RowsOfShape shape = simulator::RowsOf(srcShape);
  TILESIM_SET(srcHeight, shape.rows)
  TILESIM_SET(srcWidth, shape.columns)
  TILESIM_SET(srcOriWidth, simulator::RowsOf(oriSrcShape).columns)
  TILESIM_SET(blocksPerRow, shape.columns * typeSize / 32)
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& /*ascendcPlatform*/,
                                  const TensorShape& /*srcShape*/, const uint32_t /*typeSize*/,
                                  uint32_t& maxValue, uint32_t& minValue) {
  maxValue = minValue = 32;
}
template <class Tiling>
void UnPadTilingFunc(const TensorShape& srcShape, const uint32_t /*stackBufferSize*/,
                     const uint32_t /*typeSize*/, Tiling& tiling) {
  const simulator::RowsOfShape shape = simulator::RowsOf(srcShape);
  TILESIM_SET(srcHeight, shape.rows)
  TILESIM_SET(srcWidth, shape.columns)
}

}  // namespace AscendC
