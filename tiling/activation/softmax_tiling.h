// How much scratch a host has to leave for the softmax family, in bytes, and its tilings. srcShape: the last
// axis is the row. The most is what all rows at once take, and more is of no use; the least is for one row.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/activation/softmax_tilingdata.h"
#include "tiling/library/row_shape.h"

namespace AscendC {

namespace simulator {

inline uint32_t MostScratch(const tilesim::library::RowNeed& need, const TensorShape& shape) {
  const uint32_t rows = RowsOf(shape).rows;
  return static_cast<uint32_t>(need.BytesFor(rows == 0 ? 1 : rows));
}

// The parts of a call that has `bytes` of scratch: `rangeM` times `splitM` rows, then `tailM`.
inline tiling::SoftMaxTiling SoftmaxParts(const tilesim::library::RowNeed& need, const TensorShape& shape,
                                          uint32_t type_bytes, uint32_t bytes) {
  const RowsOfShape of = RowsOf(shape);
  tiling::SoftMaxTiling parts;
  parts.srcM = of.rows;
  parts.srcK = of.columns;
  parts.srcSize = of.rows * of.columns;
  parts.outMaxM = of.rows;
  parts.outMaxK = static_cast<uint32_t>(tilesim::library::kBlockBytes) / type_bytes;
  parts.outMaxSize = parts.outMaxM * parts.outMaxK;
  parts.splitM = need.RowsIn(bytes, of.rows);
  parts.splitK = of.columns;
  parts.splitSize = parts.splitM * parts.splitK;
  parts.reduceM = parts.splitM;
  parts.reduceK = parts.outMaxK;
  parts.reduceSize = parts.reduceM * parts.reduceK;
  parts.rangeM = parts.splitM == 0 ? 0 : of.rows / parts.splitM;
  parts.tailM = parts.splitM == 0 ? 0 : of.rows % parts.splitM;
  parts.tailSplitSize = parts.tailM * parts.splitK;
  parts.tailReduceSize = parts.tailM * parts.reduceK;
  return parts;
}
// Into the host's class, or the kernel's struct.
template <class Tiling>
void HandParts(const tiling::SoftMaxTiling& parts, Tiling& to) {
  if constexpr (requires { to.GetDataSize(); }) {
#define TILESIM_SET_FIELD(type, name) to.set_##name(parts.name);
    TILESIM_SOFTMAX_TILING_FIELDS(TILESIM_SET_FIELD)
#undef TILESIM_SET_FIELD
  } else {
#define TILESIM_SET_FIELD(type, name) to.name = parts.name;
    TILESIM_SOFTMAX_TILING_FIELDS(TILESIM_SET_FIELD)
#undef TILESIM_SET_FIELD
  }
}
inline tilesim::library::RowNeed SoftmaxNeedOf(tilesim::library::Softmax form, uint32_t type_bytes,
                                               const TensorShape& shape) {
  return tilesim::library::SoftmaxNeed(form, type_bytes, RowsOf(shape).columns);
}
inline tilesim::library::RowNeed SoftmaxGradNeedOf(uint32_t type_bytes, const TensorShape& shape) {
  return tilesim::library::SoftmaxGradNeed(type_bytes, RowsOf(shape).columns);
}

}  // namespace simulator

inline uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                     const bool /*isReuseSource*/) {
  return simulator::MostScratch(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kWhole, dataTypeSize, srcShape), srcShape);
}
inline uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                     const bool /*isReuseSource*/) {
  return static_cast<uint32_t>(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kWhole, dataTypeSize, srcShape).MinBytes());
}
template <class Tiling>
void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                       const uint32_t localWorkSpaceSize, Tiling& softmaxTiling) {
  simulator::HandParts(simulator::SoftmaxParts(simulator::SoftmaxNeedOf(tilesim::library::Softmax::kWhole,
                                                                        dataTypeSize, srcShape),
                                               srcShape, dataTypeSize, localWorkSpaceSize),
                       softmaxTiling);
}

inline uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                          const bool /*isUpdate*/, const bool /*isReuseSource*/) {
  return simulator::MostScratch(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kFlash, dataTypeSize, srcShape), srcShape);
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                          const bool /*isUpdate*/, const bool /*isReuseSource*/) {
  return static_cast<uint32_t>(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kFlash, dataTypeSize, srcShape).MinBytes());
}
template <class Tiling>
void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                            const uint32_t localWorkSpaceSize, Tiling& softmaxFlashTiling,
                            const bool /*isUpdate*/) {
  simulator::HandParts(simulator::SoftmaxParts(simulator::SoftmaxNeedOf(tilesim::library::Softmax::kFlash,
                                                                        dataTypeSize, srcShape),
                                               srcShape, dataTypeSize, localWorkSpaceSize),
                       softmaxFlashTiling);
}

// dataTypeSize1: of the data; dataTypeSize2: of sum and max, which changes nothing here.
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t /*dataTypeSize2*/, const bool /*isUpdate*/,
                                            const bool /*isBasicBlock*/ = false,
                                            const bool /*isFlashOutputBrc*/ = false) {
  return simulator::MostScratch(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kFlashV2, dataTypeSize1, srcShape), srcShape);
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t /*dataTypeSize2*/, const bool /*isUpdate*/,
                                            const bool /*isBasicBlock*/ = false,
                                            const bool /*isFlashOutputBrc*/ = false) {
  return static_cast<uint32_t>(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kFlashV2, dataTypeSize1, srcShape).MinBytes());
}
template <class Tiling>
void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                              const uint32_t /*dataTypeSize2*/, const uint32_t localWorkSpaceSize,
                              Tiling& softmaxFlashTiling, const bool /*isUpdate*/,
                              const bool /*isBasicBlock*/ = false, const bool /*isFlashOutputBrc*/ = false) {
  simulator::HandParts(simulator::SoftmaxParts(simulator::SoftmaxNeedOf(tilesim::library::Softmax::kFlashV2,
                                                                        dataTypeSize1, srcShape),
                                               srcShape, dataTypeSize1, localWorkSpaceSize),
                       softmaxFlashTiling);
}

inline uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                         const bool /*isFront*/, const bool /*isReuseSource*/) {
  return simulator::MostScratch(simulator::SoftmaxGradNeedOf(dataTypeSize, srcShape), srcShape);
}
inline uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                         const bool /*isFront*/, const bool /*isReuseSource*/) {
  return static_cast<uint32_t>(simulator::SoftmaxGradNeedOf(dataTypeSize, srcShape).MinBytes());
}
template <class Tiling>
void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                           const uint32_t localWorkSpaceSize, Tiling& softmaxGradTiling,
                           const bool /*isFront*/ = false) {
  simulator::HandParts(simulator::SoftmaxParts(simulator::SoftmaxGradNeedOf(dataTypeSize, srcShape), srcShape,
                                               dataTypeSize, localWorkSpaceSize),
                       softmaxGradTiling);
}

inline uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                        const bool /*isReuseSource*/) {
  return simulator::MostScratch(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kLog, dataTypeSize, srcShape), srcShape);
}
inline uint32_t GetLogSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                        const bool /*isReuseSource*/) {
  return static_cast<uint32_t>(
      simulator::SoftmaxNeedOf(tilesim::library::Softmax::kLog, dataTypeSize, srcShape).MinBytes());
}
template <class Tiling>
void LogSoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                          const uint32_t localWorkSpaceSize, Tiling& logSoftmaxTiling) {
  simulator::HandParts(simulator::SoftmaxParts(
                           simulator::SoftmaxNeedOf(tilesim::library::Softmax::kLog, dataTypeSize, srcShape),
                           srcShape, dataTypeSize, localWorkSpaceSize),
                       logSoftmaxTiling);
}

// Are the parts whole basic blocks: rows in eights, columns in 64s, below 2048?
template <class Tiling>
bool IsBasicBlockInSoftMax(const Tiling& tiling, const uint32_t /*dataTypeSize*/ = 2) {
  return tiling.srcM % 8 == 0 && tiling.splitM % 8 == 0 && tiling.tailM % 8 == 0 && tiling.srcK % 64 == 0 &&
         tiling.srcK < 2048;
}

}  // namespace AscendC
