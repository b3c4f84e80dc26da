#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/tune/filter_block_cycles.h"
#include "tiling/tune/filter_bound.h"
#include "tiling/tune/filter_dealing.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// All tilings of a filter gradient: the largest task; how tasks are dealt out, and the block of L0; steps
// into L1, copies and order. A path is these: task, deal, block, choice.
class FilterSpace : public TileSpace {
 public:
  // The problem must be one that WhyNot accepts; `soc` must outlive the space.
  FilterSpace(const FilterProblem& problem, const SocConfig& soc, int64_t cores);

  [[nodiscard]] int levels() const override { return 3; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;

  [[nodiscard]] FilterTiling TilingOf(const TilePath& path) const;
  // The core with most to do.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  // A way to deal out that could still be the best one.
  struct Deal {
    FilterSplit split;
    size_t core = 0;        // with most to do
    FilterCoreTasks tasks;  // of it
  };
  struct Part {
    std::vector<CubeSize> blocks;
    FilterCoreTasks all;             // tasks of all cores
    double reads = 0;                // cycles that all of them need for their reads
    std::map<uint64_t, Deal> deals;  // by their place among all
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const;
  Opened OpenPart(const TilePath& node, double cutoff_us);
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const;

  const FilterProblem p_;
  const SocConfig& soc_;
  int64_t cores_;
  FilterDealing dealing_;
  FilterBound bound_;
  std::vector<Part> parts_;  // filled as they are opened
};

}  // namespace tilesim
