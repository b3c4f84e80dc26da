#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/core_share.h"
#include "tiling/conv_backprop/filter_moves.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/conv_backprop/filter_work.h"
#include "tiling/conv_backprop/gm_rates.h"

namespace tilesim {

// Plays the tile program of the filter gradient on one core as far as time is concerned: L1 loads ahead of
// their use, L0 halves, accumulation, write-out, each pipe in order and no earlier than what it waits for.
// Steps are those of the object API; costs are the simulator's. Knows no data and no flags as such.
class FilterClock {
 public:
  // Busy cycles of the pipes of a core alone, beside what they add up to in time.
  struct Busy {
    double cube = 0, mte1 = 0, mte2 = 0, fix = 0;
  };

  FilterClock(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling, const SocConfig& soc,
              int64_t cores);

  void set_misses(const FilterMisses& misses) { moves_.set_misses(misses); }
  // Moves take of the rates that all cores share, in place of this core's part of them.
  void ShareWith(GmRates& all, size_t core) { rates_ = &all, core_ = core; }
  // One task after what was played before, in place of `whole` (Sample).
  void Play(const FilterTaskSize& size, const FilterTaskSize& whole);
  void Play(const FilterTaskSize& size) { Play(size, size); }
  // The same step by step along K: false when there is none left.
  void Begin(const FilterTaskSize& size, const FilterTaskSize& whole);
  bool PlayNext();
  // Blocks of K of all blocks of M and N of one task: what playing it costs.
  [[nodiscard]] double StepsOf(const FilterTaskSize& size) const;
  // A task of the same kind that takes at most about `most_steps`: fewer channels, for each block is written
  // once however long K is; fewer output rows where that is not enough; but as many as its L1 tiles need to
  // be kept or brought again as before.
  [[nodiscard]] FilterTaskSize Sample(const FilterTaskSize& size, double most_steps) const;
  // Steps of all tasks played.
  [[nodiscard]] double steps() const { return steps_; }
  // When the next block's instructions are issued.
  [[nodiscard]] double issued() const { return scalar_; }
  // When the last write is complete.
  [[nodiscard]] double now() const { return fix_free_ + static_cast<double>(soc_.gm_write_latency_cycles); }
  [[nodiscard]] const Busy& busy() const { return busy_; }

 private:
  // Two tiles of one operand in L1 and when they can be used.
  struct Tiles {
    struct Tile {
      int64_t block_step = -1, k_step = -1;
      double ready = 0;
      int64_t buffer = 0;
    };
    std::array<Tile, 2> held;
    int64_t count = 0;
    int64_t copies = 1;
    int64_t next_buffer = 0;
    std::array<double, 2> free{};
  };
  struct Block {
    int64_t m, n;
  };

  // Cycles of one block's instructions; [0] for a full extent, [1] for the last.
  struct Costs {
    const std::array<double, 2>& load_a;    // by k
    const std::vector<float>& load_b;       // by k block
    const std::array<double, 2>& multiply;  // by k
    bool barrier;
  };

  double EndOf(double start, const CoreShares::Needs& needs, bool reads);
  // One step along K of a block: true where it was the last.
  bool PlayStep(const Block& block, const Block* next);
  void BringTilesOf(const Block& block, int64_t k, const Block* next);
  void PlayK(const Costs& costs, int64_t k, double ready);
  void FreeOldest(Tiles& tiles);
  void FreeStep(Tiles& tiles, int64_t block_step);
  [[nodiscard]] const Tiles::Tile* Find(const Tiles& tiles, int64_t block_step, int64_t k_step) const;
  void Bring(Tiles& tiles, int64_t block_step, int64_t k_step);
  double Need(Tiles& tiles, int64_t block_step, int64_t k_step);
  void PrepareBlocks();
  void PrepareLoads();
  [[nodiscard]] bool keep_a() const { return k_count_ <= int64_t{t_.stepKa} * t_.al1Pbuffer; }
  [[nodiscard]] bool keep_b() const { return k_count_ <= int64_t{t_.stepKb} * t_.bl1Pbuffer; }

  const FilterProblem& p_;
  const TConv3DBpFilterTiling& t_;
  const SocConfig& soc_;
  FilterMoves moves_;
  FilterExtents e_;
  bool halves_;
  double load_latency_, multiply_latency_;
  Busy busy_;
  double steps_ = 0;

  // the task in hand
  FilterTaskSize size_;
  int64_t n_ = 0, k_ = 0;
  int64_t m_count_ = 0, n_count_ = 0, k_count_ = 0;
  std::vector<Block> blocks_;
  size_t next_block_ = 0;
  int64_t next_k_ = 0;
  std::array<std::array<double, 2>, 2> load_a_{};                   // by m, k
  std::array<std::vector<float>, 2> load_b_;                        // by n, then k block
  std::array<std::array<std::array<double, 2>, 2>, 2> multiply_{};  // by m, n, k

  // the pipes
  double scalar_ = 0, mte2_free_ = 0, mte1_free_ = 0, mte1_done_ = 0, m_free_ = 0, m_done_ = 0, fix_free_ = 0;
  CoreShares shares_;
  GmRates* rates_ = nullptr;  // where all cores are played
  size_t core_ = 0;
  std::array<double, 2> half_free_{}, c_free_{};
  int64_t half_ = 0, c_next_ = 0;
  static constexpr size_t kLookAhead = 8;  // k blocks: MTE1's queue of 32 holds four entries each
  std::array<double, kLookAhead> left_{};  // when the entries of the last blocks left the queue
  size_t next_left_ = 0;
  Tiles a_, b_;
};

}  // namespace tilesim
