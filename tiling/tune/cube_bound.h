#pragma once
#include <algorithm>
#include <cstdint>

#include "formats/dtype.h"
#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "sim/isa/cost.h"
#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/cube_choice.h"
#include "tiling/rough_time.h"

namespace tilesim {

// Cycles that a core's tile program needs of the pipes behind L1; sums over its instructions.
struct CubeCycles {
  double m = 0;
  double waits = 0;  // between Mmads of small blocks, for the one before
  double mte1 = 0;
  double fix = 0;
  double products = 0;  // Mmads
  double blocks = 0;    // of C

  CubeCycles& Add(const CubeCycles& more, double times) {
    m += more.m * times;
    waits += more.waits * times;
    mte1 += more.mte1 * times;
    fix += more.fix * times;
    products += more.products * times;
    blocks += more.blocks * times;
    return *this;
  }
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

// Cycles by which a move may undercut its bytes over the rate.
inline constexpr double kMoveRounding = 1e-3;

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
  CubeBound(const SocConfig& soc, DType dtype, bool hf32) : soc_(soc), dtype_(dtype), hf32_(hf32) {}

  // From the start to the last write, with two copies in L0A, L0B and L0C.
  [[nodiscard]] double Longest(const CubeCycles& c, const CubeStart& s) const {
    const double arrival = Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_);
    const double to_cube = std::max(arrival + s.tile_a + s.first_a, arrival + s.tile_a + s.tile_b) +
                           s.first_b + Real(soc_.load_latency_cycles) + FlagCycles(soc_);
    const double from_cube = Real(soc_.mmad_latency_cycles) + FlagCycles(soc_);
    const auto write = Real(soc_.gm_write_latency_cycles);
    const double fix = std::max(Real(soc_.fixpipe_floor_cycles), s.last_fix);
    const double to_loads = arrival + s.tile_a + std::max(0.0, s.tile_b - s.first_a);
    return s.begin +
           std::max({to_cube + c.m + c.waits + from_cube + fix + write, to_loads + c.mte1 + Tail(s.last_fix),
                     to_cube + from_cube + c.fix + write, TurnsOfL0(c, s, 2) - s.begin});
  }

  // Whatever the first product needs, a tile in L1 or none.
  [[nodiscard]] double Pipes(const CubeCycles& c) const {
    const double to_cube = Real(soc_.load_latency_cycles) + FlagCycles(soc_);
    const double from_cube = Real(soc_.mmad_latency_cycles) + FlagCycles(soc_);
    const auto write = Real(soc_.gm_write_latency_cycles);
    return std::max({to_cube + c.m + from_cube + Real(soc_.fixpipe_floor_cycles) + write, c.mte1 + Tail(),
                     to_cube + from_cube + c.fix + write});
  }
  // The same where copies take turns: one is filled, used and given back before it is filled again.
  [[nodiscard]] double TurnsOfL0(const CubeCycles& c, const CubeStart& s, int64_t copies) const {
    const double hand = Real(soc_.load_latency_cycles + soc_.mmad_latency_cycles) + 2 * FlagCycles(soc_);
    return s.begin + Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_) + s.tile_a +
           std::max(0.0, s.tile_b - s.first_a) + (c.mte1 + c.m + c.products * hand) / Real(copies) +
           std::max(Real(soc_.fixpipe_floor_cycles), s.last_fix) + Real(soc_.gm_write_latency_cycles) -
           FlagCycles(soc_);
  }
  [[nodiscard]] double TurnsOfL0c(const CubeCycles& c, const CubeStart& s, int64_t copies) const {
    const double hand = Real(soc_.mmad_latency_cycles + soc_.gm_write_latency_cycles) + 2 * FlagCycles(soc_);
    return s.begin + Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_) + s.tile_a +
           (c.m + c.waits + c.fix + c.blocks * hand) / Real(copies) - 2 * FlagCycles(soc_);
  }
  // Tiles in L1 of an operand: `loads` of them, busy for `move_cycles` in all, that loads to L0 use until the
  // last of each tile's, the other operand's longest load to L0 being `other_load`.
  [[nodiscard]] double TurnsOfL1(const CubeCycles& c, const CubeStart& s, double loads, double move_cycles,
                                 double other_load, int64_t copies) const {
    const auto load = Real(soc_.load_latency_cycles);
    const double hand = Real(soc_.gm_read_latency_cycles) + load + 2 * FlagCycles(soc_);
    return s.begin + (loads * (hand - other_load) + move_cycles + c.mte1) / Real(copies) + Tail(s.last_fix) -
           load - other_load;
  }
  // All moves into L1 one after another, busy for `move_cycles`.
  [[nodiscard]] double Moves(const CubeStart& s, double move_cycles) const {
    return s.begin + move_cycles + Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_) + Tail(s.last_fix);
  }
  // From the last load to L0 on; `last_fix` as CubeStart has it.
  [[nodiscard]] double Tail(double last_fix = 0) const {
    const double multiply = Real(isa::MmadCost(soc_, dtype_, hf32_, 1, 1, 1).busy_cycles);
    return Real(soc_.load_latency_cycles) + FlagCycles(soc_) + multiply + Real(soc_.mmad_latency_cycles) +
           FlagCycles(soc_) + std::max(Real(soc_.fixpipe_floor_cycles), last_fix) +
           Real(soc_.gm_write_latency_cycles);
  }

  [[nodiscard]] double ReadCycles(int64_t bytes, int64_t bursts) const {
    return Real(isa::GmReadCost(soc_, Memory::kL1, {.bytes = {.hit = bytes, .miss = 0}, .bursts = bursts})
                    .busy_cycles);
  }
  // Of many moves of so many bytes in all; each is rounded up.
  [[nodiscard]] double ReadCycles(double bytes, double moves) const {
    return bytes / std::min(soc_.gm_l1_core_bytes_per_cycle, soc_.l2_total_bytes_per_cycle) -
           moves * kMoveRounding;
  }
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

// Cycles below which `cores` cores, each of which moves one tile after another into L1, do not bring bytes
// of which at least `least_fetched` come from HBM: of so many moves in all, each of them rounded up.
inline double CoresMoveCycles(const SocConfig& soc, int64_t cores, double read_bytes, double least_fetched,
                              double moves) {
  const double port = std::min(soc.gm_l1_core_bytes_per_cycle, soc.l2_total_bytes_per_cycle);
  const double hbm = std::min({port, soc.hbm_core_bytes_per_cycle, soc.hbm_total_bytes_per_cycle});
  const double found = std::max(0.0, read_bytes - least_fetched);
  return (found / port + least_fetched / hbm - moves * kMoveRounding) / static_cast<double>(cores);
}

// The same, whatever the moves.
inline double CoresFetchCycles(const SocConfig& soc, int64_t cores, double least_fetched) {
  // no move takes less than a cycle
  return CoresMoveCycles(soc, cores, least_fetched, least_fetched, 0) * (1 - kMoveRounding);
}

// Until `cores` cores have zeroed dw, of so many bytes, and met.
inline double ZeroFillCycles(double dw_bytes, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto all = static_cast<int64_t>(dw_bytes);
  const int64_t slice = std::min(all, CeilDiv(all, cores * kGrainBytes) * kGrainBytes);  // of the first core
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const Cost write = isa::GmWriteCost(soc, {.bytes = {.hit = slice, .miss = 0}});
  return Real(fill.busy_cycles + fill.latency_cycles) + CubeBound::FlagCycles(soc) +
         std::max(Real(write.busy_cycles + write.latency_cycles),
                  dw_bytes / soc.l2_total_bytes_per_cycle - kSlotSlack) +
         Real(soc.cross_core_cycles);
}

}  // namespace tilesim
