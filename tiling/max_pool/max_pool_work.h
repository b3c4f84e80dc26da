// What a max pooling's tile program does at least, of one tile: what bounds are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/pool_shape.h"
#include "tiling/max_pool/pool_work.h"

namespace tilesim {

// What does not depend on a tile.
struct MaxPoolCounts {
  explicit MaxPoolCounts(const PoolShape& shape);

  PoolAxisCounts d, h, w;
  bool any_empty;  // are there windows of nothing but padding?
};

// Of the vector unit for the maxima of a row of x.
struct PoolMaxima {
  double cycles = 0;  // but for its waits:
  double waits = 0;   // how often candidates are taken in
};
// Of some outputs over some taps of a window's row.
PoolMaxima MaximaOf(const PoolShape& shape, const PoolRange& outputs, const PoolRange& taps,
                    const SocConfig& soc);

// Of a row of x and some outputs that read it.
struct PoolRowWork : PoolMaxima {
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
class MaxPoolWork {
 public:
  // `columns` must outlive it; of width tile.w.
  MaxPoolWork(const PoolShape& shape, const MaxPoolCounts& counts, const PoolTile& tile,
              const MaxPoolColumns& columns, const SocConfig& soc, PoolStored stored = PoolStored::kAll);
  MaxPoolWork(const MaxPoolWork&) = delete;
  MaxPoolWork& operator=(const MaxPoolWork&) = delete;

  // Other rows of a load and of a store than the tile's.
  void SetRows(int64_t rows, int64_t store_rows);
  [[nodiscard]] int64_t BusiestCore(int64_t cores) const;
  [[nodiscard]] PoolCycles OfCore(int64_t core, int64_t cores) const;
  // Of each core, if all did the same.
  [[nodiscard]] PoolCycles Mean(int64_t cores) const { return ledger_.Mean(cores); }
  [[nodiscard]] PoolRange BlocksOf(int64_t core, int64_t cores) const;

 private:
  void AddVector(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns,
                 const SocConfig& soc);
  void AddMoves(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns);

  double values_;  // stores of values for one of indices
  PoolLedger ledger_;
  BlockFactor d_outputs_, d_reads_, d_merges_;
  BlockFactor h_outputs_, h_reads_, h_merges_, h_one_;
  BlockFactor h_chunks_, h_stores_;
};

// The core with most to do.
size_t BusiestCoreOf(const MaxPoolTiling& tiling, const PoolShape& shape, const MaxPoolCounts& counts,
                     const SocConfig& soc);

// Groups of up to `lanes` lanes, and the lanes of those that are not full.
PoolGroups PoolGroupsOf(const PoolShape& shape, int64_t lanes);
int64_t PoolTailLanes(const PoolShape& shape, int64_t lanes);
// Cycles of a point of so many lanes on its way in.
double PoolTakeCycles(const PoolShape& shape, int64_t lanes);
// Of a point's value, and of its index, on their way out.
double PoolValueCycles(const PoolShape& shape, int64_t lanes);
double PoolIndexCycles(const PoolShape& shape, int64_t lanes);

// Cycles that an instruction on so many points takes, `each` of them.
double PointCycles(const SocConfig& soc, double points, double each = 1);
// Between two vector instructions of which the second needs the first.
double PoolWait(const SocConfig& soc);
// What taking in candidates takes beside its points.
double PoolMergeWaits(const SocConfig& soc);
// Cycles a point of candidates that are taken in, at least.
double PoolMergeEach(bool ignores_nan);
// Both, of so many points.
double PoolMergeCycles(const SocConfig& soc, double points, bool ignores_nan);

// How long the vector unit waits for buffers of stores of up to `points` points (0: not known): of a block's
// one after another each takes up the one that the last but one has left, and nothing else is done
// meanwhile. `write`: of MTE3, all of them.
double PoolStoreWaits(const SocConfig& soc, const PoolCycles& work, int64_t points, int64_t element_bytes,
                      double write);

// What else a bound needs to know.
struct PoolFacts {
  bool any_empty = false;    // windows of nothing but padding: it may store before anything has come
  double hbm_bytes = 0;      // that all cores read of it at least
  int64_t store_points = 0;  // of a store at most; 0: not known
};
// Cycles below which a core does not do all that.
double PoolLeastCycles(const SocConfig& soc, const PoolCycles& work, const PoolFacts& facts);

}  // namespace tilesim
