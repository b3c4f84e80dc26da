// All that a run of copy, mem_set or add needs to know about tiling.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/dtype.h"
#include "formats/units.h"

namespace tilesim {

enum class ElementwiseKind : uint8_t { kCopy, kMemSet, kAdd };

// What is to be done, whatever the tiles. Knows no axes: every element is by itself.
struct ElementwiseShape {
  ElementwiseKind kind = ElementwiseKind::kCopy;
  DType dtype = DType::kFp16;
  int64_t elements = 0;
};

// The tensor is taken as a row-major matrix, of one row where the planner chooses, and cut into tiles of
// neighbouring rows and columns. Our own names: the vendor publishes none.
struct ElementwiseTilingData {
  uint64_t rows = 0;  // rows * columns: all elements
  uint64_t columns = 0;
  uint64_t tileRows = 0;
  uint64_t tileColumns = 0;
  uint64_t bufferNum = 0;    // of each tensor's queue: 1, or 2 to load beside storing
  uint64_t bufferBytes = 0;  // one buffer of a queue; more than a tile needs moves the next to other banks
  uint64_t l2Bypass = 0;     // 1: GM is asked not to stay in L2 (SetL2CacheHint)
};

enum class ElementwiseStrategy : uint8_t { kTilesByCore };  // a core takes neighbouring tiles
constexpr std::string_view Name(ElementwiseStrategy /*only*/) { return "tiles_by_core"; }

struct ElementwiseSplit {
  ElementwiseStrategy strategy = ElementwiseStrategy::kTilesByCore;
  int64_t used_cores = 1;
};

struct ElementwiseTiling {
  ElementwiseTilingData data;
  ElementwiseSplit split;
};

// The tiles of a matrix and which of them are a core's.
struct TileGrid {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t tile_rows = 1;
  int64_t tile_columns = 1;

  [[nodiscard]] int64_t across() const { return CeilDiv(columns, tile_columns); }
  [[nodiscard]] int64_t tiles() const { return across() * CeilDiv(rows, tile_rows); }
};
inline TileGrid GridOf(const ElementwiseTilingData& data) {
  return {static_cast<int64_t>(data.rows), static_cast<int64_t>(data.columns),
          static_cast<int64_t>(data.tileRows), static_cast<int64_t>(data.tileColumns)};
}
// First of the tiles of core `core`; that of `cores` is one past the last.
inline int64_t FirstTileOf(int64_t core, int64_t cores, int64_t tiles) { return tiles * core / cores; }

// Bytes of UB of one tile of one tensor: each row starts in a data block of its own.
inline int64_t TileBytes(const ElementwiseTilingData& data, int64_t element_bytes) {
  return static_cast<int64_t>(data.tileRows) *
         AlignUp(static_cast<int64_t>(data.tileColumns) * element_bytes, kDataBlockBytes);
}
// Queues of `bufferNum` buffers: the inputs and the result; copy has one for both.
constexpr int64_t QueuesOf(ElementwiseKind kind) { return kind == ElementwiseKind::kAdd ? 3 : 1; }
// Bytes of UB: queues, and for bf16 the two addends in fp32. mem_set has one tile, filled once.
inline int64_t UbBytesOf(const ElementwiseShape& shape, const ElementwiseTilingData& data) {
  if (shape.kind == ElementwiseKind::kMemSet) {
    return TileBytes(data, static_cast<int64_t>(SizeOf(shape.dtype)));
  }
  const bool widens = shape.kind == ElementwiseKind::kAdd && shape.dtype == DType::kBf16;
  return QueuesOf(shape.kind) * static_cast<int64_t>(data.bufferNum) *
             AlignUp(static_cast<int64_t>(data.bufferBytes), kDataBlockBytes) +
         (widens ? 2 * TileBytes(data, int64_t{2}) * 2 : 0);
}

}  // namespace tilesim
