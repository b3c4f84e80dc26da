#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_work.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// All tilings of a max pooling's gradient. A path is the block of dx; the strategy with the parts of dy in UB
// and the runs along D; rows and taps of x in a load and points of dx in a store; the table of taps and the
// cores.
class MaxPoolGradSpace : public TileSpace {
 public:
  // `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
  MaxPoolGradSpace(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads);

  [[nodiscard]] int levels() const override { return 4; }
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
  [[nodiscard]] std::vector<int64_t> RunsOf(const Block& block) const;
  // All that fit; none twice that makes the cores do the same.
  [[nodiscard]] std::vector<Buffers> BuffersOf(const Block& block, const Part& part) const;
  [[nodiscard]] std::vector<int64_t> OutPointsOf(const Block& block) const;
  // -1: not even none fits.
  [[nodiscard]] int64_t MostTable(MaxPoolGradTiling tiling) const;

  // The rest is the least there is.
  [[nodiscard]] MaxPoolGradTiling TilingOf(const Block& block, const Part& part,
                                           const Buffers& buffers) const;
  [[nodiscard]] MaxPoolGradTiling TilingOf(int levels, const TilePath& path) const;
  [[nodiscard]] Buffers LeastBuffers(const MaxPoolGradTiling& tiling) const;

  [[nodiscard]] double LeastUs(const PoolCycles& work, const PoolFacts& facts, int64_t cores) const;
  [[nodiscard]] double MeanUs(const MaxPoolGradTiling& tiling, PoolGradKnown known, int64_t most_cores) const;
  // Every tap's index stands in UB.
  [[nodiscard]] PoolFacts FactsOf(const MaxPoolGradTiling& tiling, PoolGradKnown known) const;
  [[nodiscard]] int64_t MostCores(const MaxPoolGradTiling& tiling) const;

  const PoolGradProblem p_;
  const SocConfig& soc_;
  int64_t cores_;
  double hbm_bytes_;
  int64_t element_bytes_;
  PoolGradAxes axes_;
  MaxPoolCounts counts_;
  std::array<bool, 4> waits_for_loads_{};  // of each strategy: no block of dx is without outputs to load
  std::vector<Block> blocks_;
};

}  // namespace tilesim
