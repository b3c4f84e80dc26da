#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/filter_block_cycles.h"
#include "tiling/tune/filter_dealing.h"

namespace tilesim {

// Plays the tile program of a filter gradient on the core with most to do, so that nothing happens later than
// in the simulation: moves take what they take of a core alone, of found bytes where it is not certain that
// nobody has brought them before; of the scalar unit and of queues only what each block of K needs at least.
// Then again for the last one of those cores, its peers, that do the same: it has made no move and no write
// before L2 and HBM could give and take all the peers' moves and writes up to there.
// For many choices of one block; not for several threads at once.
class FilterPlay {
 public:
  // `begin`: all cores have met. `dealt` must outlive it.
  FilterPlay(const FilterProblem& problem, const SocConfig& soc, const FilterBlock& block,
             const FilterDealt& dealt, double begin);

  // What the core's pipes have to do in all, where it has too many blocks of K to play them all; of all cores
  // together the bytes that they fetch from HBM at most, and the cycles that L2 adds their blocks for.
  void set_all(const CubeCycles& all, double most_fetched, double update_cycles) {
    all_ = all;
    most_fetched_ = most_fetched;
    update_cycles_ = update_cycles;
  }
  // From the launch's start to the last write; where it is not below `cutoff`, anything that is neither.
  double Cycles(const FilterBlockChoice& choice, int64_t l0_copies, double cutoff);

 private:
  static constexpr int64_t kMostSteps = 1 << 12;  // blocks of K; of a core that has more the rest is a sum

  // A tile's way into L1.
  struct Move {
    double busy = 0;   // MTE2
    double ready = 0;  // from its start
    double bytes = 0;
    double new_bytes = 0;  // that none of the peers has brought with an earlier move
  };
  struct Tiles {
    struct Tile {
      int64_t block_step = -1, k_step = -1;
      double ready = 0;
      size_t buffer = 0;
    };
    std::array<Tile, 2> held;
    int64_t count = 0;
    int64_t copies = 1;
    size_t next_buffer = 0;
    std::array<double, 2> free{};
    bool is_a = false;
    bool met = false;  // has brought one
  };
  struct Block {
    int64_t m = 0, n = 0;
  };
  // Rows of x that a step of K brings: all, those not brought before, of these those of no later task.
  struct StepRows {
    int64_t all = 0, fresh = 0, own = 0;
  };
  // Tasks that cost the same.
  struct Kind {
    FilterTaskSize size;
    int64_t first_row = 0;
    int64_t n = 0, k = 0;
    int64_t m_count = 0, n_count = 0, k_count = 0;
    // by whether it is the last of M, N, K
    std::array<std::array<double, 2>, 2> load_a{};                   // by m, k
    std::array<std::vector<double>, 2> load_b;                       // by n, then block of K
    std::array<std::array<std::array<double, 2>, 2>, 2> multiply{};  // by m, n, k
    std::array<std::array<double, 2>, 2> fix{};                      // by m, n
    std::array<std::array<bool, 2>, 2> waits{};                      // by m, n
    std::array<std::array<double, 2>, 2> bytes{};                    // written, by m, n
    std::vector<Block> order;                                        // of the choice in hand
    std::vector<StepRows> rows;                                      // by step of K
    int64_t rows_of = 0;                                             // stepKb that they are of
  };

  Kind KindOf(const FilterTaskSize& size, int64_t first_row);
  void Begin();
  double Play(bool owns);
  [[nodiscard]] double FirstWrite();
  void PrepareWrites();
  void PrepareTask(const Kind& kind);
  bool PlayTask(const Kind& kind);  // false: given up, for it cannot end below the cutoff
  [[nodiscard]] double LeastEnd() const;
  void PlayBlock(const Kind& kind, size_t index);
  void PlayK(const Kind& kind, int64_t k, const std::array<size_t, 2>& last_mn, double ready);
  void Bring(Tiles& tiles, const Kind& kind, int64_t block_step, int64_t k_step);
  void BringBehind(const Kind& kind, const Block& block, const Block* next, int64_t k);
  double Need(Tiles& tiles, const Kind& kind, int64_t block_step, int64_t k_step);
  void FreeOldest(Tiles& tiles);
  void FreeStep(Tiles& tiles, int64_t block_step);
  [[nodiscard]] Move MoveOfA(const Kind& kind, int64_t m_step, int64_t k_step);
  [[nodiscard]] Move MoveOfB(const Kind& kind, int64_t n_step, int64_t k_step);
  [[nodiscard]] Move MoveOf(int64_t bytes, int64_t bursts, int64_t fetched) const;
  [[nodiscard]] double FirstOfA() const;  // cycles of a core's first move
  [[nodiscard]] double FetchCycles(int64_t sharers, int64_t plane_pixels) const;  // of a byte
  [[nodiscard]] int64_t EdgeBytes(int64_t row_pixels, int64_t rows, bool whole) const;
  void PrepareOrder(Kind& kind) const;
  void PrepareRows(Kind& kind) const;
  [[nodiscard]] double Drain() const;
  [[nodiscard]] bool Keeps(const Kind& kind, bool is_a) const;

  const FilterProblem& p_;
  const SocConfig& soc_;
  FilterExtents e_;
  FilterBlock block_;
  const FilterDealt& dealt_;
  double begin_;
  bool owns_any_ = false;
  std::vector<Kind> kinds_;
  std::vector<size_t> kind_of_;     // by task
  std::vector<double> cores_with_;  // a task of this number, by number
  CubeCycles all_;
  double most_fetched_ = 0, update_cycles_ = 0;
  std::vector<Kind> firsts_;  // tasks that a core begins with

  // the choice in hand
  FilterBlockChoice choice_;
  int64_t l0_copies_ = 1;
  double cutoff_ = 0;

  // the pipes
  bool owns_dy_ = false, owns_x_ = false;  // the task in hand
  std::vector<char> met_a_, met_b_;        // tiles that it has brought, by step across and along K
  int64_t steps_ = 0;                      // blocks of K played
  double scalar_ = 0, mte2_free_ = 0, mte2_done_ = 0, mte1_done_ = 0, m_done_ = 0;
  CubeProgress cube_;
  std::array<double, 2> half_free_{}, c_free_{};
  size_t half_ = 0, c_next_ = 0;
  std::vector<double> left_mte1_,
      left_m_;  // when the last blocks of K left the queues, as many as these hold
  Tiles a_, b_;
  // What passes L2, in its order: when it can start, and its bytes.
  struct Passage {
    double start, bytes;
    size_t task;  // of the core
  };
  std::vector<Passage> reads_, writes_;
  size_t task_ = 0;  // in hand
  // The last of the peers to have made a move, or a write, is played.
  bool is_last_peer_ = false;
  double peers_read_ = 0, peers_fetched_ = 0;
  std::vector<double> write_ends_;  // by number
  bool is_single_ = false;          // a tile's way into L1 is one move
};

}  // namespace tilesim
