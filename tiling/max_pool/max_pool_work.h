// What a max pooling's tile program does at least, of one tile: what bounds are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/pool_work.h"

namespace tilesim {

// Of a row of x and some outputs that read it.
struct PoolRowWork {
  double cycles = 0;   // of the vector unit for its maxima, but for its waits:
  double waits = 0;    // how often candidates are taken in
  double columns = 0;  // of x that are loaded
};
PoolRowWork RowWorkOf(const PoolShape& shape, const MaxPoolCounts& counts, const PoolRange& outputs,
                      int64_t taps_w, const SocConfig& soc);

// One width of blocks, each along W.
struct MaxPoolColumns {
  MaxPoolColumns(const PoolShape& shape, const MaxPoolCounts& counts, int64_t w, int64_t taps_w,
                 const SocConfig& soc);

  BlockFactor outputs, pitch, loaded, read, rows, starts, merges, finishes;
  BlockFactor whole_read, part_read;  // rows of x come together, or each by itself
  bool whole_y = false;
};

// What leaves UB.
enum class PoolStored : uint8_t {
  kAll,      // values and indices
  kIndices,  // alone
};

// A tile's sums.
class MaxPoolWork : public PoolWork {
 public:
  // `columns` must outlive it; of width tile.w.
  MaxPoolWork(const PoolShape& shape, const MaxPoolCounts& counts, const PoolTile& tile,
              const MaxPoolColumns& columns, const SocConfig& soc, PoolStored stored = PoolStored::kAll);

  // Other rows of a load and of a store than the tile's.
  void SetRows(int64_t rows, int64_t store_rows);

 private:
  void AddVector(const PoolShape& shape, const MaxPoolColumns& columns, const SocConfig& soc);
  void AddMoves(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns);

  double values_;  // stores of values for one of indices
  BlockFactor d_outputs_, d_reads_, d_merges_;
  BlockFactor h_outputs_, h_reads_, h_merges_, h_one_;
  BlockFactor h_chunks_, h_stores_;
};

// Of a tile, but what HBM gives.
PoolFacts FactsOf(const MaxPoolCounts& counts, int64_t store_points = 0);

// The core with most to do.
size_t BusiestCoreOf(const MaxPoolTiling& tiling, const PoolShape& shape, const MaxPoolCounts& counts,
                     const SocConfig& soc);

}  // namespace tilesim
