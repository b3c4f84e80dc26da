// What a core of a pooling does at least, forward and gradient alike, as sums of products over the blocks
// that are its: each factor depends on the block's place along one axis. Bounds are made of these.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/pool_shape.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// A number for each block along an axis; sums of the first ones are told at once.
class BlockFactor {
 public:
  void Add(double value) { before_.push_back(before_.back() + value); }

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(before_.size()) - 1; }
  [[nodiscard]] double total() const { return before_.back(); }
  [[nodiscard]] double Before(int64_t block) const { return before_[static_cast<size_t>(block)]; }
  [[nodiscard]] double At(int64_t block) const { return Before(block + 1) - Before(block); }
  // Of a block.
  [[nodiscard]] double Most() const {
    double most = 0;
    for (int64_t block = 0; block < size(); ++block) {
      most = std::max(most, At(block));
    }
    return most;
  }

 private:
  std::vector<double> before_ = {0};
};

// Cycles and bytes of some blocks; those that an operator knows nothing of stay 0.
struct PoolCycles {
  double vector = 0;      // of the vector unit, with its waits for itself
  double zeroed = 0;      // of these before anything need have come
  double taken = 0;       // of these on what a load brought, before its buffer is given back
  double stored = 0;      // of these for a store, after its buffer was taken
  double read_bytes = 0;  // and how they come
  double read_bursts = 0;
  double moves = 0;
  double loads = 0;
  double last_bytes = 0;  // of what comes last of a load
  double write_bytes = 0;
  double write_bursts = 0;
  double stores = 0;
  double blocks = 0;     // whose stores follow each other: of a gradient, or planes of a pooling's outputs
  double tap_calls = 0;  // taps that are added to these
};

// The sums, over blocks that are numbered group of lanes by group.
class PoolWork {
 public:
  PoolWork(const PoolWork&) = delete;
  PoolWork& operator=(const PoolWork&) = delete;
  virtual ~PoolWork() = default;

  // The first core of those that take the vector unit longest.
  [[nodiscard]] int64_t BusiestCore(int64_t cores) const;
  [[nodiscard]] PoolCycles OfCore(int64_t core, int64_t cores) const;
  // Of each core, if all did the same.
  [[nodiscard]] PoolCycles Mean(int64_t cores) const;

 protected:
  using Sum = double PoolCycles::*;
  // Along three axes, the one whose blocks follow each other first.
  using Factors = std::array<const BlockFactor*, 3>;
  using Dealing = PoolRange (*)(int64_t core, int64_t cores, int64_t blocks);

  // Of groups of up to `lanes` lanes, with so many blocks along each axis.
  PoolWork(const PoolShape& shape, int64_t lanes, const std::array<int64_t, 3>& counts, Dealing dealing);

  // The product of the factors, which must outlive it, times what `of_lanes` tells for as many lanes as a
  // group has, is a part of each of `to`.
  template <std::invocable<int64_t> OfLanes>
  void Add(std::initializer_list<Sum> to, const Factors& factors, OfLanes&& of_lanes) {
    for (const Sum sum : to) {
      parts_.push_back({sum, factors, of_lanes(lanes_), of_lanes(tail_lanes_)});
    }
  }
  void Add(std::initializer_list<Sum> to, const Factors& factors, double times = 1) {
    Add(to, factors, [times](int64_t) { return times; });
  }
  // Bursts of GM: with channels last one a point, but where a group is all channels; otherwise one a lane of
  // each move, or one of all lanes that join.
  void AddBursts(Sum to, const PoolShape& shape, const Factors& points, const Factors& moves, bool join,
                 double times = 1) {
    Add({to}, shape.channels_last ? points : moves, [&](int64_t lanes) {
      return times * (shape.channels_last ? (lanes < shape.channels ? 1 : 0)
                      : join              ? 1
                                          : static_cast<double>(lanes));
    });
  }

 private:
  struct Part {
    Sum sum;
    Factors factors;
    double full, tail;  // of a group that is full, and of one that is not
  };

  [[nodiscard]] double TailsBefore(int64_t group) const;
  // Of the first `block` blocks.
  [[nodiscard]] double Before(const Part& part, int64_t block) const;

  int64_t lanes_, tail_lanes_;
  int64_t groups_;
  int64_t turn_;  // groups of which the last is not full
  bool has_tail_;
  std::array<int64_t, 3> counts_;
  Dealing dealing_;
  std::vector<Part> parts_;
};

// What outputs of one axis read and merge, over any range of them.
class PoolAxisCounts {
 public:
  explicit PoolAxisCounts(const PoolAxis& axis);

  // Inputs that outputs [begin, end) read, or fewer where taps lie apart.
  [[nodiscard]] double Reads(int64_t begin, int64_t end) const {
    return begin >= end ? 0 : taps_.At(begin) + fresh_.Before(end) - fresh_.Before(begin + 1);
  }
  // Inputs that an output reads and none before it.
  [[nodiscard]] double Fresh(int64_t begin, int64_t end) const {
    return begin >= end ? 0 : fresh_.Before(end) - fresh_.Before(begin);
  }
  // Taps of each output in bounds, but the first.
  [[nodiscard]] double Merges(int64_t begin, int64_t end) const {
    return begin >= end ? 0 : merges_.Before(end) - merges_.Before(begin);
  }

 private:
  BlockFactor taps_;  // of each output, in bounds
  BlockFactor fresh_;
  BlockFactor merges_;
};

// What does not depend on a tiling.
struct MaxPoolCounts {
  explicit MaxPoolCounts(const PoolShape& shape);

  PoolAxisCounts d, h, w;
  bool any_empty;  // are there windows of nothing but padding?
};

// What else a bound needs to know.
struct PoolFacts {
  bool waits_for_loads = true;    // there is nothing to store before something has come
  bool stores_last = false;       // nor after the last load
  bool loads_take_turns = true;   // of two buffers each is filled by every other load; else each by every one
  int64_t tap_table = INT32_MAX;  // taps whose index need not be made
  double hbm_bytes = 0;           // that all cores read of it at least
  int64_t store_points = 0;       // of a store at most; 0: not known
  int64_t element_bytes = 4;      // of the narrowest that is stored
};
// Cycles below which a core does not do all that.
double PoolLeastCycles(const SocConfig& soc, const PoolCycles& work, const PoolFacts& facts);

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

// Which fields of a tiling its sums may rely on; of the others those are taken that make the least of all.
enum class PoolGradKnown : uint8_t {
  kBlock,    // base and cuts; strategy and runs must be `resident` and one
  kParts,    // also strategy, parts and runs
  kBuffers,  // also outPoints, xRows and xTaps
};

// `problem`, `counts` (of its shape) and `soc` must outlive it.
std::unique_ptr<const PoolWork> WorkOf(const PoolGradProblem& problem, const MaxPoolCounts& counts,
                                       const MaxPoolGradTiling& tiling, PoolGradKnown known,
                                       const SocConfig& soc);

// Of a tiling, but what HBM gives: its first store waits for a load.
PoolFacts FactsOf(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling);

// The core with most to do.
size_t BusiestCoreOf(const MaxPoolGradTiling& tiling, const PoolGradProblem& problem,
                     const MaxPoolCounts& counts, const SocConfig& soc);

}  // namespace tilesim
