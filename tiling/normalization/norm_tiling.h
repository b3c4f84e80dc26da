// How much scratch a host has to leave for the functions that normalise, in bytes, and their tilings. Of a
// tiling the shape is filled, and the rows that a call with so much scratch works on at a time (loopRound and
// what belongs to it); other fields, which tell places in the scratch, are 0: the call divides it on its own.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/library/row_shape.h"
#include "tiling/normalization/norm_tilingdata.h"

namespace AscendC {

namespace simulator {

// [b, s, h] or [b, s, h, original h].
struct BshShape {
  uint32_t b, s, h, original_h;

  uint32_t rows() const { return b * s; }
};
inline BshShape BshOf(const TensorShape& shape) {
  const auto axis = [&](size_t i) { return static_cast<uint32_t>(shape.GetDim(i)); };
  return {axis(0), axis(1), axis(2), shape.GetDimNum() > 3 ? axis(3) : axis(2)};
}
inline BshShape BshOf(const TensorShape& shape, const TensorShape& original) {
  BshShape bsh = BshOf(shape);
  bsh.original_h = static_cast<uint32_t>(original.GetDim(2));
  return bsh;
}
inline tilesim::library::RowNeed NormNeedOf(const BshShape& shape, uint32_t type_bytes) {
  return tilesim::library::NormNeed(type_bytes, shape.rows(), shape.h);
}

// The fields that all of these tilings have.
template <class Tiling>
void SetBsh(const BshShape& shape, Tiling& tiling) {
  TILESIM_SET(bLength, shape.b)
  TILESIM_SET(sLength, shape.s)
  TILESIM_SET(hLength, shape.h)
  TILESIM_SET(originalHLength, shape.original_h)
}
template <class Tiling>
void SetParts(const BshShape& shape, const tilesim::library::RowNeed& need, uint32_t bytes, Tiling& tiling) {
  const uint32_t rows = need.RowsIn(bytes, shape.rows());
  TILESIM_SET(loopRound, rows == 0 ? 0 : shape.rows() / rows)
  TILESIM_SET(bshCurLength, rows * shape.h)
  TILESIM_SET(bsCurLength, rows)
  TILESIM_SET(inputTailSize, rows == 0 ? 0 : shape.rows() % rows * shape.h)
}
template <class Tiling>
void SetNorm(const BshShape& shape, uint32_t bytes, uint32_t type_bytes, Tiling& tiling) {
  SetBsh(shape, tiling);
  SetParts(shape, NormNeedOf(shape, type_bytes), bytes, tiling);
  TILESIM_SET(inputXSize, shape.rows() * shape.h)
  TILESIM_SET(meanVarSize, shape.rows())
  TILESIM_SET(lastDimValueBack, 1.0F / static_cast<float>(shape.original_h))
}

}  // namespace simulator

// srcShape: [b, s, h, original h], of which h is what the rows are padded to.
TILESIM_ROW_TMP_SIZE(LayerNorm, simulator::BshOf(srcShape), NormNeed(typeSize, of.rows(), of.h), of.rows(),
                     const TensorShape& srcShape, const uint32_t typeSize, const bool /*isReuseSource*/)
template <class Tiling>
void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                              const uint32_t typeSize, const bool /*isReuseSource*/, Tiling& tiling) {
  simulator::SetNorm(simulator::BshOf(srcShape), stackBufferSize, typeSize, tiling);
}
// The earlier spelling.
template <class Tiling>
void GetLayerNormNDTillingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                               const uint32_t typeSize, const bool isReuseSource, Tiling& tiling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tiling);
}
// srcShape: [a, r].
TILESIM_ROW_TMP_SIZE(LayerNorm, simulator::RowsOf(srcShape), NormNeed(typeSize, of.rows, of.columns), of.rows,
                     const TensorShape& srcShape, const uint32_t typeSize, const bool /*isReuseSource*/,
                     const bool /*isComputeRstd*/, const bool /*isOnlyOutput*/)
template <class Tiling>
void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                              const uint32_t typeSize, const bool /*isReuseSource*/,
                              const bool /*isComputeRstd*/, Tiling& tiling) {
  const simulator::RowsOfShape shape = simulator::RowsOf(srcShape);
  const uint32_t rows =
      tilesim::library::NormNeed(typeSize, shape.rows, shape.columns).RowsIn(stackBufferSize, shape.rows);
  TILESIM_SET(aLength, shape.rows)
  TILESIM_SET(rLength, shape.columns)
  TILESIM_SET(loopRound, rows == 0 ? 0 : shape.rows / rows)
  TILESIM_SET(aCurLength, rows)
  TILESIM_SET(rValueBack, 1.0F / static_cast<float>(shape.columns))
}

inline bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool /*isBasicBlock*/ = false) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
  return true;
}
// False: so much scratch is too little.
template <class Tiling>
bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                          const uint32_t stackBufferByteSize, const uint32_t typeSize, Tiling& tiling,
                          const bool /*isBasicBlock*/ = false) {
  const simulator::BshShape shape = simulator::BshOf(srcShape, originSrcShape);
  const uint32_t rows = simulator::NormNeedOf(shape, typeSize).RowsIn(stackBufferByteSize, shape.rows());
  simulator::SetBsh(shape, tiling);
  TILESIM_SET(reciprocalOfHLength, 1.0F / static_cast<float>(shape.original_h))
  TILESIM_SET(mainBsLength, rows)
  TILESIM_SET(mainBshLength, rows * shape.h)
  TILESIM_SET(loopRound, rows == 0 ? 0 : shape.rows() / rows)
  TILESIM_SET(tailBsLength, rows == 0 ? 0 : shape.rows() % rows)
  return rows > 0;
}

inline bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                     const bool /*isReuseSource*/, const bool /*isBasicBlock*/,
                                     uint32_t& maxValue, uint32_t& minValue) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
  return true;
}
template <class Tiling>
bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                           const uint32_t stackBufferSize, const uint32_t typeSize,
                           const bool /*isReuseSource*/, const bool /*isBasicBlock*/, Tiling& tiling) {
  const simulator::BshShape shape = simulator::BshOf(srcShape, originSrcShape);
  simulator::SetNorm(shape, stackBufferSize, typeSize, tiling);
  return simulator::NormNeedOf(shape, typeSize).RowsIn(stackBufferSize, 1) > 0;
}

// srcShape: [a, r].
TILESIM_ROW_TMP_SIZE(Normalize, simulator::RowsOf(srcShape), NormNeed(typeSizeT, of.rows, of.columns, true),
                     of.rows, const TensorShape& srcShape, const uint32_t /*typeSizeU*/,
                     const uint32_t typeSizeT, const bool /*isReuseSource*/, const bool /*isComputeRstd*/,
                     const bool /*isOnlyOutput*/)

TILESIM_ROW_TMP_SIZE(LayerNormGrad, simulator::BshOf(srcShape), LayerNormGradNeed(typeSize, of.rows(), of.h),
                     of.rows(), const TensorShape& srcShape, const uint32_t typeSize,
                     const bool /*isReuseSource*/)
template <class Tiling>
void GetLayerNormGradNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                  const uint32_t /*typeSize*/, const bool /*isReuseSource*/, Tiling& tiling) {
  simulator::SetBsh(simulator::BshOf(srcShape), tiling);
  TILESIM_SET(stackBufferSize, stackBufferSize)
}
TILESIM_ROW_TMP_SIZE(LayerNormGradBeta, simulator::BshOf(srcShape), LayerNormGradBetaNeed(typeSize, of.h),
                     of.rows(), const TensorShape& srcShape, const uint32_t typeSize,
                     const bool /*isReuseSource*/)
template <class Tiling>
void GetLayerNormGradBetaNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                      const uint32_t typeSize, const bool /*isReuseSource*/, Tiling& tiling) {
  const simulator::BshShape shape = simulator::BshOf(srcShape);
  simulator::SetBsh(shape, tiling);
  simulator::SetParts(shape, tilesim::library::LayerNormGradBetaNeed(typeSize, shape.h), stackBufferSize,
                      tiling);
  TILESIM_SET(stackBufferSize, stackBufferSize)
}

// 64 elements are a row.
TILESIM_ROW_TMP_SIZE(WelfordUpdate, static_cast<uint64_t>(srcShape.GetShapeSize()), WelfordUpdateNeed(),
                     (of + tilesim::library::kRepeatFloats - 1) / tilesim::library::kRepeatFloats,
                     const TensorShape& srcShape, const uint32_t /*typeSizeT*/, const uint32_t /*typeSizeU*/,
                     const bool /*isReuseSource*/, const bool /*isInplace*/)
TILESIM_ROW_TMP_SIZE(WelfordFinalize, srcShape, WelfordFinalizeNeed(static_cast<uint64_t>(of.GetShapeSize())),
                     1, const TensorShape& srcShape, const uint32_t /*typeSize*/,
                     const bool /*isReuseSource*/)

// srcShape: [n, c, h, w].
TILESIM_ROW_TMP_SIZE(GroupNorm, static_cast<uint64_t>(srcShape.GetDim(1)),
                     GroupNormNeed(typeSize, of, groupNum == 0 ? of : of / groupNum,
                                   static_cast<uint64_t>(srcShape.GetDim(2) * srcShape.GetDim(3))),
                     1, const TensorShape& srcShape, const uint32_t typeSize, const bool /*isReuseSource*/,
                     const uint32_t groupNum)
template <class Tiling>
void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t /*stackBufferSize*/,
                              const uint32_t typeSize, const bool /*isReuseSource*/, const uint32_t groupNum,
                              Tiling& tiling) {
  const auto axis = [&](size_t i) { return static_cast<uint32_t>(srcShape.GetDim(i)); };
  const uint32_t hw = axis(2) * axis(3);
  const auto padded = static_cast<uint32_t>(tilesim::library::PaddedColumns(typeSize, hw));
  const uint32_t d = groupNum == 0 ? 0 : axis(1) / groupNum;
  TILESIM_SET(n, axis(0))
  TILESIM_SET(c, axis(1))
  TILESIM_SET(hw, hw)
  TILESIM_SET(g, groupNum)
  TILESIM_SET(d, d)
  TILESIM_SET(hwAlignSize, padded)
  TILESIM_SET(dhwAlignSize, d * padded)
  TILESIM_SET(loopRound, axis(0) * groupNum)
  TILESIM_SET(factor, 1.0F / static_cast<float>(d * hw))
}

// srcShape: [b, s, h], of which originSrcShape has the original b.
inline bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                      const uint32_t typeSize, const bool /*isReuseSource*/,
                                      uint32_t& maxValue, uint32_t& minValue,
                                      const bool /*isBasicBlock*/ = false) {
  const simulator::BshShape shape = simulator::BshOf(srcShape);
  const auto batches = static_cast<uint64_t>(originSrcShape.GetDim(0));
  simulator::TellScratch(tilesim::library::BatchNormNeed(typeSize, batches, uint64_t{shape.s} * shape.h),
                         batches, maxValue, minValue);
  return true;
}
template <class Tiling>
bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                              const uint32_t stackBufferByteSize, const uint32_t typeSize,
                              const bool /*isReuseSource*/, Tiling& tiling,
                              const bool /*isBasicBlock*/ = false) {
  const simulator::BshShape shape = simulator::BshOf(srcShape);
  const auto batches = static_cast<uint32_t>(originSrcShape.GetDim(0));
  const uint32_t columns = shape.s * shape.h;
  TILESIM_SET(originalBLength, batches)
  TILESIM_SET(meanVarSize, columns)
  TILESIM_SET(shCurLength, columns)
  TILESIM_SET(firstDimValueBack, 1.0F / static_cast<float>(batches))
  return tilesim::library::BatchNormNeed(typeSize, batches, columns).RowsIn(stackBufferByteSize, 1) > 0;
}

}  // namespace AscendC
