// What the tile program of a max pooling's gradient does at least, under one tiling: what bounds are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/pool_work.h"

namespace tilesim {

// Which fields of a tiling its sums may rely on; of the others those are taken that make the least of all.
enum class PoolGradKnown : uint8_t {
  kBlock,    // base and cuts; strategy and runs must be `resident` and one
  kParts,    // also strategy, parts and runs
  kBuffers,  // also outPoints, xRows and xTaps
};

class MaxPoolGradWork : public PoolWork {
 public:
  // `problem`, `counts` (of its shape) and `soc` must outlive it.
  MaxPoolGradWork(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                  const MaxPoolGradTiling& tiling, PoolGradKnown known, const SocConfig& soc);
  MaxPoolGradWork(const MaxPoolGradWork&) = delete;
  MaxPoolGradWork& operator=(const MaxPoolGradWork&) = delete;

 private:
  // What a task's slots of one axis of dx mean.
  enum SlotSum : size_t {
    kLanded,  // outputs of each tap that land there,
    kTaps,    // and taps with any;
    kFilled,  // the same of the first tap of each phase
    kFilling,
    kPhases,     // points of the image
    kPositions,  // of dx,
    kPhased,     // and those of them that the image has
    kOne,
    kSlotSums
  };
  using SlotSums = std::array<double, kSlotSums>;
  struct Axis {
    std::array<BlockFactor, kSlotSums> of;
    void Add(const SlotSums& sums);
    const BlockFactor* operator[](SlotSum sum) const { return &of[sum]; }
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
  // Outputs along D or H that are loaded, and what of x is pooled for them.
  struct PoolOutputs {
    double loaded = 0, reads = 0, merges = 0;
  };

  static SlotSums SlotSumsOf(const PoolGradAxis& axis, const PoolRange& slots, const PoolRange& cut);
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
  [[nodiscard]] Factors Each(SlotSum sum) const { return {d_[sum], w_[sum], h_[sum]}; }

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
};

// Of a tiling, but what HBM gives: its first store waits for a load.
PoolFacts FactsOf(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling);

// The core with most to do.
size_t BusiestCoreOf(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                     const MaxPoolCounts& counts, const SocConfig& soc);

}  // namespace tilesim
