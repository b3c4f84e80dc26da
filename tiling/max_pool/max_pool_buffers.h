// What the max pooling's tile program takes of UB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_points.h"

namespace tilesim {

// What the tile program keeps account of.
inline constexpr int64_t kMostPoolRows = 8;     // of one load
inline constexpr int64_t kMostPoolPlanes = 32;  // results under way

// Result planes that are under way at once, at most: those that earlier planes of x have begun and the one at
// hand, which the maxima of a plane of x go to where no output begins with it.
constexpr int64_t PoolPlanesUnderWay(const PoolAxis& d) {
  return CeilDiv((d.window - 1) * d.dilation, d.stride) + 1;
}

// In bytes of UB, in the order they are allocated.
struct MaxPoolBuffers {
  PoolStorage storage;
  bool stored = true;        // results are: their rows stand as stores want them
  int64_t load_points = 0;   // of a load at most
  int64_t store_points = 0;  // of a store at most
  int64_t plane_points = 0;  // of a result plane, values or indices
  int64_t row_points = 0;    // of a row of results
  int64_t planes = 0;        // result planes
  int64_t loader_bytes = 0;
  int64_t storer_bytes = 0;
  int64_t values_bytes = 0;   // of all result planes
  int64_t indices_bytes = 0;  // of all result planes
  int64_t rows_bytes = 0;     // results of rows that belong to no plane yet, values and indices
  int64_t index_bytes = 0;    // constants that indices are made of
  int64_t mask_bytes = 0;     // one of the two masks

  [[nodiscard]] constexpr int64_t total() const {
    return loader_bytes + storer_bytes + values_bytes + indices_bytes + rows_bytes + index_bytes +
           2 * mask_bytes;
  }
  // Points from row to row of results.
  [[nodiscard]] constexpr int64_t RowPitch(int64_t columns, int64_t width) const {
    return stored ? storage.Pitch(columns, width) : columns;
  }
  // Of BlockMaxima alone, with loads of `rows` rows.
  [[nodiscard]] constexpr int64_t MaximaBytes(int64_t rows) const {
    constexpr int64_t kConstants = 2;  // lowest value, index of none
    return loader_bytes + values_bytes + indices_bytes + rows_bytes + 2 * mask_bytes +
           (kConstants + rows) * kPointBytes;
  }
};

// Do all loads of `tile` span the same columns, those that any output reads?
inline bool LoadsAllColumns(const PoolShape& shape, const PoolTile& tile) {
  return tile.w == shape.w.out && tile.taps_w >= shape.w.window;
}
// Columns of x that a load of `tile` spans at most.
inline int64_t LoadedColumns(const PoolShape& shape, const PoolTile& tile) {
  if (LoadsAllColumns(shape, tile)) {
    return PoolChunkWalk::ColumnsOf(PoolTaps(shape.w), {0, shape.w.out}).size();
  }
  return std::min(shape.w.in, (tile.w - 1) * shape.w.stride + (tile.taps_w - 1) * shape.w.dilation + 1);
}

// Rows of x beyond which a load for a block of `tile` brings no more.
inline int64_t MostRowsOfLoad(const PoolShape& shape, const PoolTile& tile) {
  const PoolAxis& h = shape.h;
  const int64_t reach = std::min((tile.h - 1) * h.stride + (h.window - 1) * h.dilation + 1, h.in);
  const bool apart = h.dilation == 1 && h.stride > h.window;  // rows between windows are not read
  return std::min(apart ? h.window : reach, kMostPoolRows);
}
// Points of a store at most, as they stand in UB.
inline int64_t StorePoints(const PoolShape& shape, const PoolTile& tile) {
  const PoolStorage storage{shape.channels_last, static_cast<int64_t>(SizeOf(shape.dtype))};
  return tile.store_rows * storage.Pitch(tile.w, shape.w.out);
}
// Points of a plane of results.
inline int64_t PlanePoints(const PoolShape& shape, const PoolTile& tile) {
  const PoolStorage storage{shape.channels_last, static_cast<int64_t>(SizeOf(shape.dtype))};
  return tile.h * (tile.store_rows > 0 ? storage.Pitch(tile.w, shape.w.out) : tile.w);
}
// What one instruction takes at most: of what, the field that says how much, how much, and the most it can.
struct PoolLimit {
  std::string_view rule;
  std::string_view field;
  int64_t found;
  int64_t most;
};

// f(limit) of loads of x with channels last, where a move's blocks are points: rows that are whole in GM come
// together. `w` and `rows`: the fields that say how long a row is, and how many come.
template <class F>
void ForEachLimitOfLoads(const PoolShape& shape, const PoolTile& tile, std::string_view w,
                         std::string_view rows, F&& f) {
  const int64_t columns = shape.channels_last ? LoadedColumns(shape, tile) : 0;
  f(PoolLimit{"points of a row of x, the blocks of one move from GM", w, columns, kMostMovePoints});
  if (columns == shape.w.in && columns <= kMostMovePoints) {
    f(PoolLimit{"points of whole rows of x, the blocks of one move from GM", rows, tile.rows * columns,
                kMostMovePoints});
  }
}
// The same of all that a tile takes. With channels before D, H, W a move's blocks are lanes.
template <class F>
void ForEachLimit(const PoolShape& shape, const PoolTile& tile, F&& f) {
  f(PoolLimit{"points of a plane of results, which one copy within UB takes", "data.hyFactor",
              PlanePoints(shape, tile), kMostCopyPoints});
  ForEachLimitOfLoads(shape, tile, "data.wyFactor", "data.partH", f);
  if (shape.channels_last && tile.store_rows > 0) {
    f(PoolLimit{"points of a row of y, the blocks of one move to GM", "data.wyFactor", tile.w,
                kMostMovePoints});
    if (tile.w == shape.w.out && tile.w <= kMostMovePoints) {
      f(PoolLimit{"points of whole rows of y, the blocks of one move to GM", "split.storeRows",
                  tile.store_rows * tile.w, kMostMovePoints});
    }
  }
}
// Can its moves be made?
inline bool MovesFit(const PoolShape& shape, const PoolTile& tile) {
  bool fit = true;
  ForEachLimit(shape, tile, [&](const PoolLimit& limit) { fit = fit && limit.found <= limit.most; });
  return fit;
}

inline MaxPoolBuffers MaxPoolBuffersOf(const PoolShape& shape, const PoolTile& tile) {
  MaxPoolBuffers b;
  b.storage = {shape.channels_last, static_cast<int64_t>(SizeOf(shape.dtype))};
  b.stored = tile.store_rows > 0;
  // loads of other blocks may span fewer columns, which then are no whole row
  const int64_t columns = std::max<int64_t>(LoadedColumns(shape, tile), 1);
  b.load_points = tile.rows * b.storage.Pitch(columns, LoadsAllColumns(shape, tile) ? shape.w.in : -1);
  b.row_points = b.RowPitch(tile.w, shape.w.out);
  b.plane_points = tile.h * b.row_points;
  b.store_points = StorePoints(shape, tile);
  b.planes = std::min(PoolPlanesUnderWay(shape.d), tile.d + 1);
  b.loader_bytes = b.storage.LoaderBytes(b.load_points);
  b.storer_bytes = b.storage.StorerBytes(b.store_points);
  b.values_bytes = b.planes * b.plane_points * kPointBytes;
  b.indices_bytes = b.values_bytes;
  b.rows_bytes = 2 * tile.rows * b.row_points * kPointBytes;
  constexpr int64_t kConstants = 4;               // lowest value, index of none, two of the lanes
  constexpr int64_t kMaskBytes = kPoolLanes / 8;  // of a point
  b.mask_bytes = AlignUp(
      std::max(b.plane_points * kMaskBytes, tile.rows * AlignUp(tile.w * kMaskBytes, kDataBlockBytes)),
      kDataBlockBytes);
  b.index_bytes = (kConstants + tile.rows + tile.w) * kPointBytes + b.mask_bytes;
  return b;
}

// Lanes of a block at most.
inline int64_t MostPoolLanes(const PoolShape& shape) {
  return std::clamp<int64_t>(shape.lanes(), 1, kPoolLanes);
}

// The tile that takes the least of UB: a tap of an output, or of a whole row, which may be packed.
inline PoolTile SmallestPoolTile(const PoolShape& shape) {
  const PoolTile tap = {.lanes = MostPoolLanes(shape)};
  PoolTile row = tap;
  row.w = shape.w.out;
  row.taps_w = shape.w.window;
  const bool is_less = MaxPoolBuffersOf(shape, row).total() < MaxPoolBuffersOf(shape, tap).total();
  return is_less && MovesFit(shape, row) ? row : tap;
}

// Do its buffers fit, and its moves?
inline bool TileFits(const PoolShape& shape, const PoolTile& tile, int64_t usable_bytes) {
  const MaxPoolBuffers buffers = MaxPoolBuffersOf(shape, tile);
  return buffers.total() <= usable_bytes && buffers.planes <= kMostPoolPlanes && MovesFit(shape, tile);
}

}  // namespace tilesim
