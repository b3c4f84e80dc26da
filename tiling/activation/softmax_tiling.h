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
    simulator::HandParts(                                                                                    \
        simulator::SoftmaxParts(tilesim::library::NEED, srcShape, dataTypeSize, localWorkSpaceSize),         \
        tiling);                                                                                             \
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
