#pragma once
#include <cstddef>
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/max_pool_work.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// All tilings of a max pooling. A path is the lanes of a block, its outputs along W and the taps of a
// window's row in a load; the block along D and H; rows of x in a load and of y in a store; the cores.
class MaxPoolSpace : public TileSpace {
 public:
  // `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
  MaxPoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads);

  [[nodiscard]] int levels() const override { return 4; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;
  // No tiling takes less, nor if it stored indices alone.
  [[nodiscard]] double LeastUsOfIndices() const;

  [[nodiscard]] MaxPoolTiling TilingOf(const TilePath& path) const;
  // The core with most to do.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  // The first node: outputs along W and taps, of fewer than all only where there is one output.
  struct Width {
    int64_t w, taps_w;
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us, PoolStored stored) const;
  [[nodiscard]] Opened OpenWidth(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenRows(const TilePath& node, double cutoff_us) const;

  [[nodiscard]] int64_t Widths() const;
  [[nodiscard]] Width WidthOf(int64_t index) const;
  // What a path of so many levels decides; the rest is the least there is.
  [[nodiscard]] PoolTile TileOf(int levels, const TilePath& path) const;
  [[nodiscard]] int64_t CoresOf(const TilePath& path) const { return static_cast<int64_t>(path[3]) + 1; }

  // The most rows of y in a store; 0: none.
  [[nodiscard]] int64_t MostStoreRows(PoolTile tile) const;
  // Blocks and cores for them.
  [[nodiscard]] int64_t MostCores(const PoolTile& tile) const;

  [[nodiscard]] double LeastUs(const PoolCycles& work, int64_t cores, int64_t store_points = 0) const;
  // Over all numbers of cores, each with the same to do.
  [[nodiscard]] double MeanUs(const MaxPoolWork& work, int64_t most_cores) const;

  const PoolShape s_;
  const SocConfig& soc_;
  int64_t cores_;
  double hbm_bytes_;
  int64_t lanes_;   // of a block at most
  int64_t most_w_;  // outputs of a block along W at most
  MaxPoolCounts counts_;
};

}  // namespace tilesim
