// What the tile program of a max pooling's gradient does at least, under one tiling: what bounds are made of.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_work.h"
#include "tiling/max_pool/pool_work.h"

namespace tilesim {

// Which fields of a tiling its sums may rely on; of the others those are taken that make the least of all.
enum class PoolGradKnown : uint8_t {
  kBlock,    // base and cuts; strategy and runs must be `resident` and one
  kParts,    // also strategy, parts and runs
  kBuffers,  // also outPoints, xRows and xTaps
};

// What a range of slots of one axis of a block of dx means; of an axis with several such ranges, summed.
struct PoolSlotCounts {
  double landed = 0, taps = 0;       // outputs of each tap that land there; taps with any
  double filled = 0, filling = 0;    // the same of the first tap of each phase
  double phases = 0;                 // points of the image
  double positions = 0, phased = 0;  // of dx; those of them that the image has

  PoolSlotCounts& operator+=(const PoolSlotCounts& more);
};
PoolSlotCounts SlotCountsOf(const PoolGradAxis& axis, const PoolRange& slots, const PoolRange& cut);

class MaxPoolGradWork {
 public:
  // `problem`, `counts` (of its shape) and `soc` must outlive it.
  MaxPoolGradWork(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                  const MaxPoolGradTiling& tiling, PoolGradKnown known, const SocConfig& soc);
  MaxPoolGradWork(const MaxPoolGradWork&) = delete;
  MaxPoolGradWork& operator=(const MaxPoolGradWork&) = delete;

  [[nodiscard]] int64_t BusiestCore(int64_t cores) const;
  [[nodiscard]] PoolCycles OfCore(int64_t core, int64_t cores) const;
  // Of each core, if all did the same.
  [[nodiscard]] PoolCycles Mean(int64_t cores) const { return ledger_.Mean(cores); }

 private:
  // Of each task along an axis.
  struct Axis {
    BlockFactor landed, taps, filled, filling, phases, positions, phased, one;
    void Add(const PoolSlotCounts& counts);
  };
  struct Columns {
    BlockFactor loaded, pitch, parts;                     // of dy
    BlockFactor x, x_some, x_maxima, x_starts, x_merges;  // where x is pooled
    BlockFactor boxes;                                    // of dx, in a row
  };
  struct Rows {
    BlockFactor loaded, parts, x, x_chunks, x_merges, boxes;
  };
  struct Planes {
    BlockFactor loaded, x, x_merges, blocks;
  };
  using Sum = PoolLedger::Sum;
  // Outputs along D or H that are loaded, and what of x is pooled for them.
  struct PoolOutputs {
    double loaded = 0, reads = 0, merges = 0;
    PoolOutputs& operator+=(const PoolOutputs& more) {
      loaded += more.loaded, reads += more.reads, merges += more.merges;
      return *this;
    }
  };

  template <class F>
  void ForTasks(size_t axis, int64_t base, int64_t cut, F&& f) const;
  [[nodiscard]] PoolOutputs OutputsOneByOne(size_t axis, const PoolRange& slots) const;
  [[nodiscard]] PoolOutputs Least(const PoolOutputs& near, size_t axis, const PoolRange& slots) const;
  [[nodiscard]] PoolOutputs PlanesOf(const PoolRange& slots, const PoolRange& outputs, bool goes_on) const;
  void AddColumns();
  void AddRows();
  void AddPlanes();
  [[nodiscard]] double TakeWaits() const;
  void SetTaps();
  void SetTakes();
  void SetPooling();
  void SetStores();
  // Into each of `sums`: the product times what `of_lanes` tells for as many lanes as a group has.
  template <std::invocable<int64_t> OfLanes>
  void Add(std::initializer_list<Sum> sums, const std::array<const BlockFactor*, 3>& d_w_h,
           OfLanes&& of_lanes);
  void Add(std::initializer_list<Sum> sums, const std::array<const BlockFactor*, 3>& d_w_h, double times);
  [[nodiscard]] PoolRange TasksOf(int64_t core, int64_t cores) const;

  const PoolGradProblem& p_;
  const MaxPoolCounts& counts_;
  const MaxPoolGradTiling t_;
  const PoolGradKnown known_;
  const SocConfig& soc_;
  const PoolGradAxes axes_;
  const PoolGradStrategy strategy_;
  const int64_t element_bytes_;
  Axis d_, h_, w_;
  Columns columns_;
  Rows rows_;
  bool block_needs_all_rows_ = false;  // of dy: one of them does
  Planes planes_;
  PoolLedger ledger_;
};

// The core with most to do.
size_t BusiestCoreOf(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                     const MaxPoolCounts& counts, const SocConfig& soc);

// What else a bound needs to know.
struct PoolGradFacts {
  bool waits_for_loads = true;  // there is nothing to store before something has come
  bool recomputes = false;
  int64_t tap_table = 0;
  double hbm_bytes = 0;    // that all cores read of it at least
  int64_t out_points = 0;  // of a store; 0: not known
  int64_t x_points = 0;    // of a load of x at most; 0: not known
  int64_t element_bytes = 4;
};
// Of a tiling, but what HBM gives: its first store waits for a load.
PoolGradFacts FactsOf(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling);
// Cycles below which a core does not do all that.
double PoolGradLeastCycles(const SocConfig& soc, const PoolCycles& work, const PoolGradFacts& facts);

}  // namespace tilesim
