#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/tune/max_pool_work.h"

namespace tilesim {

// Plays the tile program of a max pooling on one core, a load or a store at a time, so that nothing happens
// later than in the simulation: every byte is found in L2, as soon as if the core were alone; of the vector
// unit what its instructions take at least, of the scalar unit nothing. For many tilings, each after the
// other.
class MaxPoolPlay {
 public:
  // `shape` and `soc` must outlive it.
  MaxPoolPlay(const PoolShape& shape, const SocConfig& soc);

  // Of a tile's blocks, until the last write; where that is not below `cutoff`, anything that is neither.
  // `columns`: of width tile.w.
  double Cycles(const PoolTile& tile, const MaxPoolColumns& columns, const PoolRange& blocks, double cutoff);

 private:
  // Two buffers that take turns.
  struct Turns {
    std::array<double, kPoolQueueBuffers> free{};
    size_t next = 0;
    size_t Take() {
      const size_t taken = next;
      next = (next + 1) % free.size();
      return taken;
    }
  };
  // What is on its way into UB.
  struct Loaded {
    double ready = 0;
    size_t buffer = 0;
  };
  struct Move {
    double bytes = 0;
    int64_t bursts = 0;
  };

  void LoadNext(const PoolTile& tile);
  void TakeRows(const PoolTile& tile, const MaxPoolColumns& columns, const PoolChunk& chunk);
  void EndPlane(const PoolTile& tile, const PoolChunk& chunk);
  void Give(const PoolTile& tile, const PoolBlock& block);
  void Store(double vector, const Move& move, int64_t moves);
  [[nodiscard]] int64_t LanesOf(const PoolTile& tile, const PoolBlock& block) const;
  [[nodiscard]] int64_t BurstsOf(int64_t lanes, int64_t points, bool whole) const;

  const PoolShape& s_;
  const SocConfig& soc_;
  PoolStorage storage_;
  PoolTaps taps_d_, taps_h_, taps_w_;
  int64_t all_lanes_;
  double wait_;        // between two vector instructions of which the second needs the first
  double take_waits_;  // from a load to its first maxima
  double to_move_;     // from the vector unit to a store

  // the tiling in hand
  PoolChunkWalk ahead_;
  double vector_ = 0, mte2_free_ = 0, mte3_free_ = 0, mte3_done_ = 0;
  Turns loads_, stores_;
  std::array<Loaded, kPoolQueueBuffers> under_way_{};
  size_t first_ = 0, count_ = 0;  // of these
};

}  // namespace tilesim
