// All that a run of the max pooling needs to know about tiling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_shape.h"

namespace tilesim {

// The vendor's names: those of its strategy without expanded indices, then the dilations and the parts of a
// window of its strategy for huge ones. Sizes in bytes.
struct MaxPool3DWithArgmaxTilingData {
  uint64_t nc = 0;  // lanes in all: batch * channels
  uint64_t dx = 0, hx = 0, wx = 0;
  uint64_t kd = 0, kh = 0, kw = 0;
  uint64_t sd = 0, sh = 0, sw = 0;
  uint64_t pf = 0, pb = 0, pl = 0, pr = 0, pt = 0, pd = 0;  // padding that windows reach
  uint64_t dy = 0, hy = 0, wy = 0;
  uint64_t ncFactor = 0, ncTail = 0, ncOuter = 0;  // of a block, of the last block, how many
  uint64_t dyFactor = 0, dyTail = 0, dyOuter = 0;
  uint64_t hyFactor = 0, hyTail = 0, hyOuter = 0;
  uint64_t wyFactor = 0, wyTail = 0, wyOuter = 0;
  uint64_t blockFactor = 0;             // blocks of a core at most
  uint64_t blockTail = 0;               // and at least
  uint64_t totalIdx = 0;                // blocks
  uint64_t coreNums = 0;                // cores at work
  uint64_t inputBufferSize = 0;         // one of two for loads
  uint64_t outputMaxBufferSize = 0;     // maxima of the planes under way
  uint64_t outputIndiceBufferSize = 0;  // their indices
  uint64_t indiceTempBufferSize = 0;    // constants that indices are made of
  uint64_t maskBufferSize = 0;          // one of two
  uint64_t dD = 0, dH = 0, dW = 0;      // dilations
  uint64_t partD = 0, partH = 0;        // planes and rows of x in a load
  uint64_t partW = 0;                   // taps of a window's row in a load
};

enum class MaxPoolStrategy : uint8_t {
  kNoExpandIndices,
  kHuge,  // a row of a window comes in several loads
};
inline constexpr std::array<std::string_view, 2> kMaxPoolStrategyNames = {"no_expand_indices", "huge"};
constexpr std::string_view Name(MaxPoolStrategy strategy) {
  return kMaxPoolStrategyNames[static_cast<size_t>(strategy)];
}

// What the vendor's struct has no field for.
struct MaxPoolSplit {
  MaxPoolStrategy strategy = MaxPoolStrategy::kNoExpandIndices;
  int64_t used_cores = 1;
  int64_t batch = 1;
  int64_t channels = 1;
  int64_t store_rows = 1;  // of y in one store
  bool channels_last = false;
  bool ignores_nan = false;
  PoolIndex index = PoolIndex::kPlane;

  friend bool operator==(const MaxPoolSplit&, const MaxPoolSplit&) = default;
};

struct MaxPoolTiling {
  MaxPool3DWithArgmaxTilingData data;
  MaxPoolSplit split;
};

// What a tile program reads from the tiling; `dtype` is not part of it.
PoolShape ShapeOf(const MaxPoolTiling& tiling, DType dtype);
PoolTile TileOf(const MaxPoolTiling& tiling);

// Fills in what the tiling repeats of the shape.
void SetShapeFields(const PoolShape& shape, MaxPoolTiling& tiling);

// The tiling of a shape that is cut so, on up to `cores` cores: every field follows.
MaxPoolTiling TilingOf(const PoolShape& shape, const PoolTile& tile, int64_t cores);

}  // namespace tilesim
