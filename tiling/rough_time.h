#pragma once
#include <algorithm>
#include <cstdint>

#include "formats/dtype.h"
#include "sim/isa/cost.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Sums of cycles as searches over tilings take them before anything is run. Knows no tiling.

inline double Real(int64_t count) { return static_cast<double>(count); }

// Pipes that overlap still meet now and then.
inline double Overlapped(double compute, double moves) {
  constexpr double kMeeting = 0.15;
  return std::max(compute, moves) + kMeeting * std::min(compute, moves);
}

// Of the product of two fractals.
inline double FractalCycles(const SocConfig& soc, DType dtype, bool hf32) {
  return Real(isa::MmadCost(soc, dtype, hf32, 1, 1, 1).busy_cycles - soc.mmad_issue_cycles);
}

// Do writes wait for HBM? Those that L2 takes reach it later.
inline bool WritesWaitForHbm(const SocConfig& soc) { return soc.l2_write_allocate == 0; }

// How many times a walk over a task's blocks brings each tile of an operand into L1. `keeps`: all of K stays
// there; `passes_first`: its blocks do before the other operand goes on.
inline int64_t TimesBrought(bool keeps, bool passes_first, int64_t own_tiles, int64_t other_blocks,
                            int64_t other_tiles) {
  return !keeps ? other_blocks : passes_first && own_tiles > 1 ? other_tiles : 1;
}

// Bytes a cycle that one of some cores reads when all of them do.
struct ReadRates {
  double hbm, l2;

  static ReadRates Of(const SocConfig& soc, int64_t cores) {
    return {.hbm = std::min(soc.hbm_core_bytes_per_cycle, soc.hbm_total_bytes_per_cycle / Real(cores)),
            .l2 = std::min(soc.gm_l1_core_bytes_per_cycle, L2TotalOf(soc, L2Work::kSame) / Real(cores))};
  }
  // Of bytes, the first of which are not in L2 yet.
  [[nodiscard]] double Cycles(double bytes, double first_bytes) const {
    const double first = std::min(bytes, first_bytes);
    return first / hbm + (bytes - first) / l2;
  }
};

}  // namespace tilesim
