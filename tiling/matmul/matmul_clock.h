// When a core is done with its tasks of a matrix product: its pipes tile by tile and block by block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/instruction.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// What the moves and products of a task cost, by size: whole, or the last and smaller. Other cores take their
// even share of L2 and HBM; HBM gives each matrix once where it fits into L2.
class MatmulCosts {
 public:
  MatmulCosts(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc);

  enum Size : size_t { kWhole, kLast };
  template <size_t n>
  using BySize = std::array<Cost, n>;

  // A tile into L1; `again`: another step has had it.
  [[nodiscard]] const Cost& BringA(Size m, Size k, bool again) const { return bring_a_[again][m * 2 + k]; }
  [[nodiscard]] const Cost& BringB(Size n, Size k, bool again) const { return bring_b_[again][n * 2 + k]; }
  // A base block into L0, its product, and what it is written to.
  [[nodiscard]] const Cost& LoadA(Size m, Size k) const { return load_a_[m * 2 + k]; }
  [[nodiscard]] const Cost& LoadB(Size n, Size k) const { return load_b_[n * 2 + k]; }
  [[nodiscard]] const Cost& Product(Size m, Size n, Size k) const { return product_[m * 4 + n * 2 + k]; }
  [[nodiscard]] const Cost& Write(Size m, Size n) const { return write_[m * 2 + n]; }
  // Zeros to the same place, before parts of K are added there.
  [[nodiscard]] const Cost& WriteZeros(Size m, Size n) const { return write_zeros_[m * 2 + n]; }

 private:
  std::array<BySize<4>, 2> bring_a_;
  std::array<BySize<4>, 2> bring_b_;
  BySize<4> load_a_;
  BySize<4> load_b_;
  BySize<8> product_;
  BySize<4> write_;
  BySize<4> write_zeros_;
};

// The tile program's order, buffers and queues on the core that has most to do, which has whole tasks only.
// The tiling must be legal.
class MatmulClock {
 public:
  MatmulClock(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc);

  // Cycles that each pipe is at work at least: every tile brought once.
  struct Work {
    double cube = 0;
    double mte1 = 0;
    double mte2 = 0;
    double fix = 0;
    [[nodiscard]] double Busiest() const;
  };
  [[nodiscard]] Work LeastWork() const;

  // Runs the tasks, long ones as far as their pace shows. Call once.
  double Run();
  // What the pipes had to do in the run.
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  using Size = MatmulCosts::Size;

  // A tile that stands in L1.
  struct Tile {
    int64_t block_step = 0;
    int64_t k_step = 0;
    double ready = 0;
  };
  // The buffers of one operand in L1: filled and given back in turn.
  struct Side {
    int64_t copies = 1;
    int64_t step_k = 1;
    bool keep = false;  // all of K stands there
    std::array<Tile, 2> tiles = {};
    int64_t held = 0;
    std::array<double, 2> free = {};  // since when each buffer is
    int64_t filled = 0;
    int64_t freed = 0;
  };

  [[nodiscard]] static Size SizeAt(int64_t index, int64_t step, int64_t whole) {
    return (index + 1) * step <= whole ? MatmulCosts::kWhole : MatmulCosts::kLast;
  }
  const Tile* Find(const Side& side, int64_t block_step, int64_t k_step) const;
  void Bring(Side& side, int64_t block_step, int64_t k_step, const Cost& cost);
  void FreeOldest(Side& side) const;
  void FreeStep(Side& side, int64_t block_step) const;
  [[nodiscard]] const Cost& CostOf(const Side& side, int64_t block_step, int64_t k_step,
                                   const MatmulWalk& walk) const;
  double Need(Side& side, int64_t block_step, int64_t k_step, const MatmulWalk& walk);
  void BringNext(Side& side, int64_t k, int64_t step, int64_t next_step, const MatmulWalk* next,
                 const MatmulWalk& walk);
  void Block(const MatmulWalk& walk, const MatmulWalk* next);
  void Multiply(const MatmulWalk& walk, int64_t k, double tiles_ready);
  void Write(const MatmulWalk& walk);

  const MatmulTilingData& t_;
  const MatmulSplit& split_;
  const SocConfig& soc_;
  const MatmulCosts costs_;
  const MatmulTask task_;
  const int64_t blocks_k_;
  Side a_;
  Side b_;
  double scalar_ = 0;  // times from which on each is free
  double mte2_ = 0;
  double mte1_ = 0;
  double cube_ = 0;
  double fix_ = 0;
  int64_t steps_ = 0;  // of baseK, so far
  std::array<double, 2> l0_free_ = {};
  std::array<double, 2> l0c_free_ = {};
  int64_t blocks_ = 0;                       // so far
  std::array<double, 64> loads_begin_ = {};  // the last steps'
  Work work_;
  double zeros_ = 0;  // of pipe FIX, did this core write zeros to all that it writes
};

}  // namespace tilesim
