// All tilings of a max pooling, and of its gradient.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_work.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/max_pool_work.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// What both have: bounds by sums of what cores do at least.
class PoolSpace : public TileSpace {
 public:
  [[nodiscard]] int levels() const override { return 4; }

 protected:
  // `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
  PoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : soc_(soc), cores_(cores), hbm_bytes_(static_cast<double>(least_reads)), counts_(shape) {}

  // What a core that does this takes at least, with the launch of so many cores.
  [[nodiscard]] double LeastUs(const PoolCycles& work, PoolFacts facts, int64_t cores) const;
  // Over all numbers of cores, each with the same to do.
  [[nodiscard]] double MeanUs(const PoolWork& work, const PoolFacts& facts, int64_t most_cores) const;
  [[nodiscard]] int64_t MostCores(int64_t tasks) const { return std::clamp<int64_t>(tasks, 1, cores_); }

  const SocConfig& soc_;
  const int64_t cores_;
  const double hbm_bytes_;
  const MaxPoolCounts counts_;
};

// A path is the lanes of a block, its outputs along W and the taps of a window's row in a load; the block
// along D and H; rows of x in a load and of y in a store; the cores.
class MaxPoolSpace : public PoolSpace {
 public:
  MaxPoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads);

  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;
  // No tiling takes less, nor if it stored indices alone.
  [[nodiscard]] double LeastUsOfIndices() const;

  [[nodiscard]] MaxPoolTiling TilingOf(const TilePath& path) const;
  // The core with most to do.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  [[nodiscard]] Opened OpenRoot(double cutoff_us, PoolStored stored) const;
  [[nodiscard]] Opened OpenWidth(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenRows(const TilePath& node, double cutoff_us) const;

  // What a path of so many levels decides; the rest is the least there is.
  [[nodiscard]] PoolTile TileOf(int levels, const TilePath& path) const;
  [[nodiscard]] int64_t Tasks(const PoolTile& tile) const { return BlockCountsOf(s_, tile).total(); }
  [[nodiscard]] bool Fits(const PoolTile& tile) const;
  // The most rows of y in a store; 0: none.
  [[nodiscard]] int64_t MostStoreRows(PoolTile tile) const;

  const PoolShape s_;
  const int64_t lanes_;   // of a block at most
  const int64_t most_w_;  // outputs of a block along W at most
};

// A path is the block of dx; the strategy with the parts of dy in UB and the runs along D; rows and taps of x
// in a load and points of dx in a store; the table of taps and the cores. Tilings in one phase.
class MaxPoolGradSpace : public PoolSpace {
 public:
  MaxPoolGradSpace(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads);

  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;

  [[nodiscard]] MaxPoolGradTiling TilingOf(const TilePath& path) const;
  // The core with most to do.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  // Along one axis of a block: slots, or positions of a single one.
  struct Extent {
    int64_t slots, cut;
  };
  using Block = std::array<Extent, 3>;
  struct Part {
    PoolGradStrategy strategy = PoolGradStrategy::kResident;
    int64_t outputs = 0;  // in UB along the axis that the strategy cuts; of `resident` 0
    int64_t run_d = 1;
  };
  struct Buffers {
    int64_t x_rows = 0, x_taps = 0, out_points = 1;
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const;
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenPart(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenBuffers(const TilePath& node, double cutoff_us) const;

  [[nodiscard]] std::vector<Block> BlocksThatFit() const;
  // Those whose smallest buffers fit; runs of each are up to the caller.
  [[nodiscard]] std::vector<Part> PartsOf(const Block& block) const;
  // All that fit; none twice that makes the cores do the same.
  [[nodiscard]] std::vector<Buffers> BuffersOf(const Block& block, const Part& part) const;
  [[nodiscard]] std::vector<int64_t> OutPointsOf(const Block& block) const;
  [[nodiscard]] int64_t MostTable(MaxPoolGradTiling tiling) const;

  // Of a path of at least two and three levels.
  static Part PartAt(const TilePath& path);
  static Buffers BuffersAt(const TilePath& path);
  [[nodiscard]] bool Fits(const MaxPoolGradTiling& tiling) const;
  // The rest is the least there is.
  [[nodiscard]] MaxPoolGradTiling TilingOf(const Block& block, const Part& part,
                                           const Buffers& buffers) const;
  [[nodiscard]] Buffers LeastBuffers(const Block& block, const Part& part) const;

  [[nodiscard]] double MeanUs(const MaxPoolGradTiling& tiling, PoolGradKnown known, int64_t most_cores) const;
  // Every tap's index stands in UB.
  [[nodiscard]] PoolFacts FactsOf(const MaxPoolGradTiling& tiling, PoolGradKnown known) const;
  [[nodiscard]] int64_t MostCoresOf(const MaxPoolGradTiling& tiling) const;

  const PoolGradProblem p_;
  const PoolGradAxes axes_;
  std::array<bool, 4> waits_for_loads_{};  // of each strategy: no block of dx is without outputs to load
  std::vector<Block> blocks_;
};

}  // namespace tilesim
