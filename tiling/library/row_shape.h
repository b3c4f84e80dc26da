// What the host functions of row-wise library functions share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/ascendc/lib/row_scratch.h"
#include "tiling/library/tensor_shape.h"

namespace AscendC::simulator {

struct RowsOfShape {
  uint32_t rows;
  uint32_t columns;
};
// The last axis is the row. Without axes, 0 x 0.
inline RowsOfShape RowsOf(const TensorShape& shape) {
  const size_t axes = shape.GetDimNum();
  const int64_t columns = axes == 0 ? 0 : shape.GetDim(axes - 1);
  return {static_cast<uint32_t>(columns == 0 ? 0 : shape.GetShapeSize() / columns),
          static_cast<uint32_t>(columns)};
}

// The least scratch is for one row; the most for all at once, and more is of no use.
inline void TellScratch(const tilesim::library::RowNeed& need, uint64_t rows, uint32_t& max, uint32_t& min) {
  max = static_cast<uint32_t>(need.BytesFor(rows == 0 ? 1 : rows));
  min = static_cast<uint32_t>(need.MinBytes());
}

}  // namespace AscendC::simulator

// Get<NAME>MaxMinTmpSize with these parameters, of a call that takes so much NEED for ROWS rows. Both may
// name `of`, which is SHAPE.
#define TILESIM_ROW_TMP_SIZE(NAME, SHAPE, NEED, ROWS, ...)                                    \
  inline void Get##NAME##MaxMinTmpSize(__VA_ARGS__, uint32_t& maxValue, uint32_t& minValue) { \
    const auto& of = SHAPE;                                                                   \
    simulator::TellScratch(tilesim::library::NEED, ROWS, maxValue, minValue);                 \
  }

// A field of `tiling`, the host's class or the kernel's struct.
#define TILESIM_SET(name, value)                      \
  if constexpr (requires { tiling.GetDataSize(); }) { \
    tiling.set_##name(value);                         \
  } else {                                            \
    tiling.name = value;                              \
  }
