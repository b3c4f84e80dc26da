// How much scratch a host has to leave for the softmax family, in bytes, and its tilings. srcShape: the last
// axis is the row. The most is what all rows at once take, and more is of no use; the least is for one row.
#pragma once

#include <cstdint>

#include "sim/ascendc/kernel_tiling/kernel_tiling.h"
#include "tiling/activation/softmax_tilingdata.h"
#include "tiling/library/row_shape.h"

namespace AscendC {

namespace simulator {

// The parts of a call that has `bytes` of scratch: `rangeM` times `splitM` rows, then `tailM`.
template <class Tiling>
void SetSoftmaxParts(const tilesim::library::RowNeed& need, const TensorShape& shape, uint32_t type_bytes,
                     uint32_t bytes, Tiling& tiling) {
  const auto [rows, columns] = RowsOf(shape);
  const uint32_t out_columns = static_cast<uint32_t>(tilesim::library::kBlockBytes) / type_bytes;
  const uint32_t split = need.RowsIn(bytes, rows);
  const uint32_t tail = split == 0 ? 0 : rows % split;
  TILESIM_SET(srcM, rows)
  TILESIM_SET(srcK, columns)
  TILESIM_SET(srcSize, rows * columns)
  TILESIM_SET(outMaxM, rows)
  TILESIM_SET(outMaxK, out_columns)
  TILESIM_SET(outMaxSize, rows * out_columns)
  TILESIM_SET(splitM, split)
  TILESIM_SET(splitK, columns)
  TILESIM_SET(splitSize, split * columns)
  TILESIM_SET(reduceM, split)
  TILESIM_SET(reduceK, out_columns)
  TILESIM_SET(reduceSize, split * out_columns)
  TILESIM_SET(rangeM, split == 0 ? 0 : rows / split)
  TILESIM_SET(tailM, tail)
  TILESIM_SET(tailSplitSize, tail * columns)
  TILESIM_SET(tailReduceSize, tail * out_columns)
}

}  // namespace simulator

// Get<NAME>MaxTmpSize, Get<NAME>MinTmpSize and <NAME>TilingFunc of a call with so much NEED of scratch, which
// follows from dataTypeSize and columns. In brackets are parameters: the sizes of types, then those behind
// them and behind the tiling, which change nothing here.
#define TILESIM_PARAMETERS(...) __VA_ARGS__
#define TILESIM_SOFTMAX_HOST(NAME, NEED, TYPE_SIZES, FLAGS, TILING_FLAGS)                                    \
  inline uint32_t Get##NAME##MaxTmpSize(const TensorShape& srcShape,                                         \
                                        TILESIM_PARAMETERS TYPE_SIZES TILESIM_PARAMETERS FLAGS) {            \
    const auto [rows, columns] = simulator::RowsOf(srcShape);                                                \
    return static_cast<uint32_t>(tilesim::library::NEED.BytesFor(rows == 0 ? 1 : rows));                     \
  }                                                                                                          \
  inline uint32_t Get##NAME##MinTmpSize(const TensorShape& srcShape,                                         \
                                        TILESIM_PARAMETERS TYPE_SIZES TILESIM_PARAMETERS FLAGS) {            \
    const uint32_t columns = simulator::RowsOf(srcShape).columns;                                            \
    return static_cast<uint32_t>(tilesim::library::NEED.MinBytes());                                         \
  }                                                                                                          \
  template <class Tiling>                                                                                    \
  void NAME##TilingFunc(const TensorShape& srcShape, TILESIM_PARAMETERS TYPE_SIZES,                          \
                        const uint32_t localWorkSpaceSize, Tiling& tiling TILESIM_PARAMETERS TILING_FLAGS) { \
    const uint32_t columns = simulator::RowsOf(srcShape).columns;                                            \
    simulator::SetSoftmaxParts(tilesim::library::NEED, srcShape, dataTypeSize, localWorkSpaceSize, tiling);  \
  }

TILESIM_SOFTMAX_HOST(SoftMax, SoftmaxNeed(tilesim::library::Softmax::kWhole, dataTypeSize, columns),
                     (const uint32_t dataTypeSize), (, const bool /*isReuseSource*/), ())
TILESIM_SOFTMAX_HOST(SoftMaxFlash, SoftmaxNeed(tilesim::library::Softmax::kFlash, dataTypeSize, columns),
                     (const uint32_t dataTypeSize), (, const bool /*isUpdate*/, const bool /*isReuseSource*/),
                     (, const bool /*isUpdate*/))
// dataTypeSize: of the data; dataTypeSize2: of sum and max, which changes nothing here.
TILESIM_SOFTMAX_HOST(SoftMaxFlashV2, SoftmaxNeed(tilesim::library::Softmax::kFlashV2, dataTypeSize, columns),
                     (const uint32_t dataTypeSize, const uint32_t /*dataTypeSize2*/),
                     (, const bool /*isUpdate*/, const bool /*isBasicBlock*/ = false,
                      const bool /*isFlashOutputBrc*/ = false),
                     (, const bool /*isUpdate*/, const bool /*isBasicBlock*/ = false,
                      const bool /*isFlashOutputBrc*/ = false))
TILESIM_SOFTMAX_HOST(SoftMaxGrad, SoftmaxGradNeed(dataTypeSize, columns), (const uint32_t dataTypeSize),
                     (, const bool /*isFront*/, const bool /*isReuseSource*/),
                     (, const bool /*isFront*/ = false))
TILESIM_SOFTMAX_HOST(LogSoftMax, SoftmaxNeed(tilesim::library::Softmax::kLog, dataTypeSize, columns),
                     (const uint32_t dataTypeSize), (, const bool /*isReuseSource*/), ())
#undef TILESIM_SOFTMAX_HOST
#undef TILESIM_PARAMETERS

// Are the parts whole basic blocks: rows in eights, columns in 64s, below 2048?
template <class Tiling>
bool IsBasicBlockInSoftMax(const Tiling& tiling, const uint32_t /*dataTypeSize*/ = 2) {
  return tiling.srcM % 8 == 0 && tiling.splitM % 8 == 0 && tiling.tailM % 8 == 0 && tiling.srcK % 64 == 0 &&
         tiling.srcK < 2048;
}

}  // namespace AscendC
