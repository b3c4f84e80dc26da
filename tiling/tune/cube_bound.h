#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "formats/dtype.h"
#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/cube_choice.h"

namespace tilesim {

// Cycles that a core's tile program needs of the pipes behind L1; sums over its instructions.
struct CubeCycles {
  double m = 0;
  double waits = 0;  // between Mmads of small blocks, for the one before
  double mte1 = 0;
  double fix = 0;
  double products = 0;  // Mmads
  double blocks = 0;    // of C

  CubeCycles& Add(const CubeCycles& more, double times);
};

// Cycles that the `products` of a block wait for each other where the cube does not order them by itself.
inline double WaitsOfBlock(const SocConfig& soc, int64_t m, int64_t n, double products) {
  return AlignUp(m, kFractalEdge) * AlignUp(n, kFractalEdge) < kSelfOrdered
             ? (products - 1) * static_cast<double>(soc.mmad_latency_cycles + soc.barrier_cycles)
             : 0;
}

// Of all blocks of a task's C, `of_block(m, n)` being those of one with all its products.
template <class OfBlock>
CubeCycles SumOfBlocks(const CubeSize& task, const CubeSize& block, OfBlock of_block) {
  CubeCycles all;
  ForSizes(task.m, block.m, [&](int64_t m, int64_t count_m) {
    ForSizes(task.n, block.n, [&](int64_t n, int64_t count_n) {
      all.Add(of_block(m, n), static_cast<double>(count_m * count_n));
    });
  });
  return all;
}

// Cycles by which what shares a rate may end earlier than at an even rate: rates are kept slot by slot.
inline constexpr double kSlotSlack = 2 * SharedRate::kSlotCycles;

// How the first product is reached.
struct CubeStart {
  double begin = 0;                 // the first tile is asked for
  double tile_a = 0, tile_b = 0;    // busy cycles of bringing the first tiles into L1, A before B
  double first_a = 0, first_b = 0;  // of the first loads to L0, A before B
  double last_fix = 0;              // of the last Fixpipe, if more than the least of any
};

// Cycles of the first product's loads to L0, and of the longest of any product.
struct CubeLoads {
  double first_a = 0, first_b = 0, longest_a = 0, longest_b = 0;
};

// What an operand's tiles take into L1.
struct CubeMoves {
  double loads = 0, bytes = 0;
};

// Times that no tile program undercuts which brings tiles of A and B into L1, loads them to L0A and L0B in
// copies, sums products up in L0C and writes each block out by Fixpipe: chains of what has to happen one
// after another. Knows no operator.
class CubeBound {
 public:
  CubeBound(const SocConfig& soc, DType dtype, bool hf32);

  // From the start to the last write, with two copies in L0A, L0B and L0C.
  [[nodiscard]] double Longest(const CubeCycles& work, const CubeStart& start) const;
  // Whatever the first product needs, a tile in L1 or none.
  [[nodiscard]] double Pipes(const CubeCycles& work) const;
  // The same where copies take turns: one is filled, used and given back before it is filled again.
  [[nodiscard]] double TurnsOfL0(const CubeCycles& work, const CubeStart& start, int64_t copies) const;
  [[nodiscard]] double TurnsOfL0c(const CubeCycles& work, const CubeStart& start, int64_t copies) const;
  // Tiles in L1 of an operand: `loads` of them, busy for `move_cycles` in all, that loads to L0 use until the
  // last of each tile's, the other operand's longest load to L0 being `other_load`.
  [[nodiscard]] double TurnsOfL1(const CubeCycles& work, const CubeStart& start, double loads,
                                 double move_cycles, double other_load, int64_t copies) const;
  // All moves into L1 one after another, busy for `move_cycles`.
  [[nodiscard]] double Moves(const CubeStart& start, double move_cycles) const;
  // From the last load to L0 on; `last_fix` as CubeStart has it.
  [[nodiscard]] double Tail(double last_fix = 0) const;

  [[nodiscard]] double ReadCycles(int64_t bytes, int64_t bursts) const;
  // Of many moves of so many bytes in all; each is rounded up.
  [[nodiscard]] double ReadCycles(double bytes, double moves) const;
  [[nodiscard]] double TimeUs(double cycles, int64_t cores) const {
    return TimeWithLaunchUs(cycles, cores, soc_);
  }

  // Cycles that an instruction waits for a flag at least; where flags take longer, only some of them count.
  static double FlagCycles(const SocConfig& soc) {
    return static_cast<double>(std::min<int64_t>(1, soc.flag_cycles));
  }

 private:
  const SocConfig& soc_;
  DType dtype_;
  bool hf32_;
};

// What all cores of a launch together take of L2 and of HBM in a stretch of it, and the cycles below which
// these do not give it. Bytes count as if all pieces were aligned. Knows no core and no order.
struct SharedTraffic {
  double read_bytes = 0;                                          // by all cores
  double least_fetched = 0;                                       // of them so many come from HBM at least
  double most_fetched = std::numeric_limits<double>::infinity();  // and at most
  double update_bytes = 0;                                        // added by L2

  // From the first move's start to the last one's end.
  [[nodiscard]] double Cycles(const SocConfig& soc) const;
};

// Cycles below which `cores` cores, each of which moves one tile after another into L1, do not bring bytes
// of which at least `least_fetched` come from HBM: of so many moves in all, each of them rounded up.
double CoresMoveCycles(const SocConfig& soc, int64_t cores, double read_bytes, double least_fetched,
                       double moves);
// The same, whatever the moves.
double CoresFetchCycles(const SocConfig& soc, int64_t cores, double least_fetched);

// Until `cores` cores have zeroed dw, of so many bytes, and met.
double ZeroFillCycles(double dw_bytes, const SocConfig& soc, int64_t cores);

}  // namespace tilesim
