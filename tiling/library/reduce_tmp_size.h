// How much scratch a host has to leave for reductions, in bytes.
#pragma once

#include <cstdint>

#include "sim/ascendc/lib/reduce/reduce_pattern.h"
#include "tiling/library/data_type.h"
#include "tiling/library/row_shape.h"

namespace AscendC {

namespace simulator {

inline void TellReduction(tilesim::library::Reduction op, const TensorShape& shape, uint32_t type_bytes,
                          ReducePattern pattern, uint32_t& max, uint32_t& min) {
  const RowsOfShape of = RowsOf(shape);
  TellScratch(pattern == ReducePattern::RA
                  ? tilesim::library::ColumnReductionNeed(op, type_bytes, of.columns)
                  : tilesim::library::RowReductionNeed(op, type_bytes, of.rows, of.columns),
              of.rows, max, min);
}

}  // namespace simulator

#define TILESIM_REDUCTION_TMP_SIZE(NAME, KIND)                                                            \
  inline void Get##NAME##MaxMinTmpSize(const TensorShape& srcShape, const ge::DataType dataType,          \
                                       ReducePattern pattern, bool /*isSrcInnerPad*/,                     \
                                       bool /*isReuseSource*/, uint32_t& maxValue, uint32_t& minValue) {  \
    simulator::TellReduction(tilesim::library::Reduction::KIND, srcShape, simulator::TypeBytes(dataType), \
                             pattern, maxValue, minValue);                                                \
  }
TILESIM_REDUCTION_TMP_SIZE(ReduceSum, kSum)
TILESIM_REDUCTION_TMP_SIZE(ReduceMean, kMean)
TILESIM_REDUCTION_TMP_SIZE(ReduceMax, kMax)
TILESIM_REDUCTION_TMP_SIZE(ReduceMin, kMin)
TILESIM_REDUCTION_TMP_SIZE(ReduceProd, kProd)
TILESIM_REDUCTION_TMP_SIZE(ReduceAny, kAny)
TILESIM_REDUCTION_TMP_SIZE(ReduceAll, kAll)
#undef TILESIM_REDUCTION_TMP_SIZE

// n: elements of a row; the most is for 64 rows.
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool /*isReuseSource*/,
                                uint32_t& maxValue, uint32_t& minValue) {
  simulator::TellScratch(
      tilesim::library::RowReductionNeed(tilesim::library::Reduction::kSum, typeSize, 1, n), 64, maxValue,
      minValue);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const uint32_t /*accTypeSize*/,
                                 const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  GetSumMaxMinTmpSize(n, typeSize, isReuseSource, maxValue, minValue);
}

}  // namespace AscendC
