#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "formats/units.h"
#include "sim/core/timeline.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/matmul_choices.h"
#include "tiling/tune/matmul_dealing.h"
#include "tiling/tune/matmul_first_moves.h"
#include "tiling/matmul/matmul_pieces.h"

namespace tilesim {

// Plays the tile program of a matrix product on the core with most to do, instruction by instruction, so that
// nothing happens later than in the simulation: moves of GM take what they take of a core alone. What no core
// has brought before comes from HBM, to whoever brings it first; and of cores that do the same one is the
// last to have a tile, no sooner than L2 and HBM have given all of them as much. For many choices of one
// block; not for several threads at once.
class MatmulPlay {
 public:
  // `begin`: cycles until parts of K may be added to C; 0: there are none. All must outlive it.
  MatmulPlay(const MatmulPieces& pieces, MatmulFirstMoves& together, const MatmulShape& shape,
             const SocConfig& soc, const MatmulSize& part, const MatmulSize& block, int64_t begin);

  // Are the tiles of all cores the same in number, task by task?
  static bool SameSteps(const MatmulDealt& dealt, const MatmulSize& block);

  // `all`: what the core's pipes have to do in all, should there be too much to play it, and `moves` the
  // cycles of its moves into L1. From the launch's start to its end; where it is not below `cutoff`, anything
  // that is neither. `places`, of the dealt tasks, if it is known where these lie: the first moves are then
  // those of all cores together.
  double Cycles(const MatmulDealt& dealt, const MatmulPlaces* places, const MatmulChoice& choice,
                const CubeCycles& all, double moves, double cutoff);

 private:
  // Costs of one kind of instruction by the sizes it depends on: whole, or the last and smaller.
  struct Known {
    std::array<int64_t, 3> sizes{};
    MatmulPieces::Loads loads;
    MatmulPieces::Bring bring;
    Cost cost;
  };
  enum Kind : size_t { kLoadA, kLoadB, kBringA, kBringB, kMultiply, kWrite, kKinds };

  // Up to two tiles of an operand in L1, oldest first.
  struct Tiles {
    struct Tile {
      int64_t block_step = 0, k_step = 0;
      bool arrived = false;
      size_t buffer = 0;
    };
    MatmulPieces::Side side = MatmulPieces::kA;
    int64_t copies = 1, step = 1, step_k = 1;
    bool keep = false;
    std::array<Tile, 2> tiles{};
    size_t held = 0, next = 0;
    std::array<bool, 2> given_back{};
    std::vector<bool> met;  // tiles that the task has brought
    int64_t k_steps = 1;
  };
  // What all cores that do the same take of L2 or HBM, as it comes in.
  struct Flow {
    double until = 0;
    void Take(int64_t start, double bytes, double rate) {
      until = std::max(until, static_cast<double>(start)) + bytes / rate;
    }
  };

  // Whom a play's times are earliest of: of all cores, each core that does as the busiest one, or the last of
  // these.
  enum class Of : uint8_t { kAll, kEach, kLast };

  template <class Make>
  const Known& Find(Kind kind, const std::array<int64_t, 3>& sizes, Make&& make) {
    for (const Known& known : tables_[kind]) {
      if (known.sizes[0] == sizes[0] && known.sizes[1] == sizes[1] && known.sizes[2] == sizes[2]) {
        return known;
      }
    }
    Known& known = tables_[kind].emplace_back();
    known.sizes = sizes;
    make(known);
    return known;
  }
  bool FindFirstMoves(const MatmulPlaces& places);

  double Play(const std::vector<MatmulDealtTask>& tasks, Of of);
  void PlayTask(const MatmulDealtTask& task);
  void PlayBlock(const MatmulWalk& walk, const MatmulWalk* next);
  void PlayK(const MatmulWalk& walk, int64_t k);
  void Need(Tiles& tiles, int64_t block_step, int64_t k_step);
  void BringNext(Tiles& tiles, int64_t k, int64_t now, int64_t next);
  const MatmulPieces::Bring& BringOf(const Tiles& tiles, int64_t free, int64_t k);
  void Bring(Tiles& tiles, int64_t block_step, int64_t k_step);
  void Move(const MatmulPieces::Bring& bring, bool first, int64_t parts, int64_t new_parts);
  // Do all cores begin their first move at the same cycle? Where a block is not handed over by unit flags,
  // other flags come first.
  [[nodiscard]] bool BeginAtOnce() const { return !choice_.unit_flag || shape_.m % kFractalEdge == 0; }
  void FreeOldest(Tiles& tiles);
  void BeginBlock();
  void WriteBlock();
  [[nodiscard]] double LeastEnd() const;

  const MatmulPieces& pieces_;
  MatmulFirstMoves& together_;
  const MatmulShape shape_;
  const SocConfig& soc_;
  const MatmulSize part_, block_;
  const int64_t begin_;
  std::array<std::deque<Known>, kKinds> tables_;

  // the choice in hand
  const MatmulDealt* dealt_ = nullptr;
  MatmulChoice choice_;
  CubeCycles all_;
  double all_moves_ = 0;
  double cutoff_ = 0;
  MatmulTilingData data_;
  bool knows_all_ = false;                      // when the first of all cores begins each move
  std::vector<int64_t> starts_, least_starts_;  // of moves: no core's like this one, and of all, is earlier

  // of all cores together: each of those like this one has them no earlier, the last no earlier
  std::vector<MatmulFirstMove> first_moves_;
  std::vector<MatmulFirstMoves::Times> first_least_, first_last_;

  // the play in hand
  Of of_ = Of::kEach;
  const Timeline<> at_start_;
  Timeline<> clock_;
  Tiles a_, b_;
  const MatmulDealtTask* task_ = nullptr;
  int64_t m_ = 0, n_ = 0;  // of the block
  int64_t blocks_k_ = 1;
  size_t half_ = 0, c_ = 0;
  bool by_unit_ = false;
  std::array<int64_t, 2> unit_since_{};  // Fixpipe has left the copy in L0C
  std::array<bool, 2> c_given_back_{};
  CubeProgress done_;
  double moves_busy_ = 0;
  int64_t steps_ = 0;
  size_t moves_ = 0;
  bool stops_ = false;
  Flow l2_, hbm_;
};

}  // namespace tilesim
