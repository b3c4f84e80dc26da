#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tiling/max_pool/max_pool_tiling.h"

namespace tilesim {

// Tiles near to one that breaks rules, as mends. Knows sizes and what of UB and of a move they take; what the
// other fields of a tiling follow from is for TilingOf to say.

// Those that fit and are the tile but for one size that is smaller (and what it bounds); where none is, one
// with several smaller sizes, or with whole rows, which may take less than parts; empty where nothing fits.
std::vector<PoolTile> SmallerTiles(const PoolShape& shape, const PoolTile& tile, int64_t usable_bytes);

// The sizes that differ, as `to` has them: "data.hyFactor 3 with split.storeRows 3".
std::string ChangesText(const PoolTile& from, const PoolTile& to);

// The size that a field of the tiling is; null for all other fields.
int64_t PoolTile::*SizeOfField(std::string_view field);

// The legal tiling that is nearest to one for this shape.
struct NearPoolTiling {
  PoolTile in_range;     // each size by itself within its range
  PoolTile tile;         // and all of them together; that of the tiling where it breaks no rule of sizes
  MaxPoolTiling tiling;  // of it: all fields
  bool fits = false;     // false: nothing smaller fits UB, and `tile` is `in_range`
};
NearPoolTiling NearestTo(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t usable_bytes,
                         int64_t cores);

}  // namespace tilesim
