#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_problem.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/input_choices.h"
#include "tiling/tune/input_dealing.h"
#include "tiling/tune/input_tile_cycles.h"

namespace tilesim {

// Plays the tile program of an input gradient on the core with most to do, so that nothing happens later than
// in the simulation: moves take what they take of a core alone, of found bytes where it is not certain that
// nobody has brought them before; and no less than all cores that end with the same tasks need together. Of
// the scalar unit and of queues only what each block of K needs at least. For many choices of one block; not
// for several threads at once.
class InputPlay {
 public:
  // `cycles`: of the deal's part. All must outlive it.
  InputPlay(const InputProblem& problem, const SocConfig& soc, const InputTileCycles& cycles, int64_t base_n,
            const InputDealt& dealt);

  // `all`: what the core's pipes have to do in all, should it have too many blocks of K to play them. From
  // the launch's start to the last write; where it is not below `cutoff`, anything that is neither.
  double Cycles(const InputStepChoice& choice, const CubeCycles& all, double cutoff);

 private:
  // What one block of K takes.
  struct Costs {
    int64_t k = 0;
    double load_a = 0, load_b = 0, multiply = 0;
    int64_t entries = 0;  // of MTE1's queue
  };
  // Blocks that cost the same.
  struct Sort {
    InputTileCycles::Block block;
    int64_t lines = 0;
    double fix = 0;
    bool waits = false;  // for the Mmad before
    std::vector<Costs> costs;
    Costs zeros;
  };
  struct Block {
    int64_t taps = 1;              // of H and W
    int64_t phase = 0;             // of the weights
    int64_t span = 0;              // of dy, by number
    bool zeros = false;            // nothing reaches it
    std::array<size_t, 2> sort{};  // by whether it is the last of N
  };
  // Of dy, behind a block.
  struct Span {
    int64_t row = 0, rows = 0, column = 0, columns = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  // Planes of tasks that have the same blocks.
  struct Kind {
    int64_t rows = 0, lines = 0, row = 0;
    int64_t n_count = 1;
    std::vector<Block> blocks;  // along M
    std::vector<Span> spans;
  };
  // A product, of some lines of cout.
  struct Step {
    size_t block = 0;
    int64_t n = 0;
    size_t tap = 0;
    int64_t line = 0;
  };
  struct Key {
    int64_t depth = -1, across = 0, along = 0, phase = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Tiles {
    struct Slot {
      Key key;
      double ready = 0, free = 0;
      bool held = false;
    };
    std::array<Slot, 2> slots;
    int64_t copies = 1;
    int64_t lines = 1;
    size_t in_use = 0;
    bool is_a = false;
  };
  // A tile's way into L1.
  struct Move {
    int64_t bytes = 0, bursts = 1;
    int64_t fetched = 0;      // from HBM, by this core or by others at that time
    bool owned = false;       // by this core
    bool all_own = false;     // each of the cores that are at this task together
    int64_t all_fetched = 0;  // by these
  };
  struct Queued {
    double left = 0;
    int64_t entries = 0;
  };

  [[nodiscard]] Kind KindOf(const InputTask& task);
  [[nodiscard]] size_t SortOf(const InputTileCycles::Block& block, int64_t lines);
  const Costs& CostsOf(Sort& sort, int64_t k);

  double Play(bool shares);
  void PlayPlane(const Kind& kind);
  void PlayBlock(const Kind& kind, Step& step);
  void PlayProducts(const Kind& kind, Step& step, Sort& sort);
  void PlayK(const Sort& sort, const Costs& costs, bool first, double ready);
  [[nodiscard]] bool NextBlock(const Kind& kind, Step& step) const;
  [[nodiscard]] bool Next(const Kind& kind, Step& step) const;
  [[nodiscard]] Key KeyOf(const Tiles& tiles, const Kind& kind, const Step& step) const;
  bool Need(Tiles& tiles, const Kind& kind, const Step& step, double& ready);
  void BringNext(Tiles& tiles, const Kind& kind, const Step& step);
  void Fill(Tiles& tiles, size_t slot, const Kind& kind, const Step& step);
  [[nodiscard]] Move MoveOfA(const Kind& kind, const Step& step);
  [[nodiscard]] Move MoveOfB(const Kind& kind, const Step& step);
  void StartTask(const Kind& kind);
  static void Forget(Tiles& tiles, double free);
  [[nodiscard]] int64_t LinesOf(const Kind& kind, int64_t n) const;
  [[nodiscard]] double LeastEnd() const;
  [[nodiscard]] bool GoesOn() const;

  const InputProblem& p_;
  const SocConfig& soc_;
  const InputTileCycles& cycles_;
  InputExtents e_;
  int64_t base_lines_;  // of cin in a block
  const InputDealt& dealt_;
  InputDepth depth_;
  std::vector<Kind> kinds_;
  std::vector<size_t> kind_of_;  // by task
  std::vector<Sort> sorts_;

  // the choice in hand
  InputStepChoice choice_;
  CubeCycles all_;
  double cutoff_ = 0;
  int64_t step_lines_ = 1;

  // the plane in hand
  const InputDealtTask* task_ = nullptr;
  struct Tap {
    int64_t tap = 0, plane = 0;
  };
  std::vector<Tap> taps_;          // of depth, that reach it
  std::vector<int64_t> met_rows_;  // of dy that the task has brought, by plane and lines: their end
  std::vector<char> met_weights_;  // by tap of depth, block of N, lines and phase

  // the pipes
  int64_t steps_ = 0;
  double scalar_ = 0, mte2_free_ = 0, mte2_done_ = 0, mte1_done_ = 0, m_done_ = 0;
  CubeProgress cube_;
  bool shares_ = false;           // L2 and HBM, with all cores that are at its tasks together
  std::vector<double> arrivals_;  // no core has its moves earlier
  size_t moves_ = 0;
  double all_read_ = 0, all_fetched_ = 0;  // bytes, by all of these
  std::array<double, 2> half_free_{}, c_free_{};
  size_t half_ = 0, c_next_ = 0;
  std::deque<Queued> queue_;  // of MTE1
  int64_t queued_ = 0;
  Tiles a_, b_;
};

}  // namespace tilesim
