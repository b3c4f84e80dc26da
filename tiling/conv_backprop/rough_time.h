#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sim/isa/cost.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Sums of cycles as searches over tilings take them before anything is played. Knows no tiling.

inline double Real(int64_t count) { return static_cast<double>(count); }

inline constexpr double kRounding = 1e-3;  // of a move's cycles

// Pipes that overlap still meet now and then.
inline double Overlapped(double compute, double moves) {
  constexpr double kMeeting = 0.15;
  return std::max(compute, moves) + kMeeting * std::min(compute, moves);
}

// Do writes wait for HBM? Those that L2 takes reach it later.
inline bool WritesWaitForHbm(const SocConfig& soc) { return soc.l2_write_allocate == 0; }

// Of the share of L2 that a core has when all move as it does; of what L2 gives, other cores read `same`
// (0 to 1), too. L2 adds the atomic updates, whether it keeps them or not.
inline double L2Cycles(const SocConfig& soc, const GmMove& move, int64_t cores, double same = 0) {
  const int64_t given = move.bytes.hit + (move.l2_work == L2Work::kAtomic ? move.bytes.miss : 0);
  const double bytes = Real(given * cores);
  const double own = bytes / L2TotalOf(soc, move.l2_work);
  return own + same * (bytes / L2TotalOf(soc, L2Work::kSame) - own);
}

// The same of HBM.
inline double HbmCycles(const SocConfig& soc, const GmMove& move, int64_t cores) {
  return Real(move.bytes.miss * cores) / soc.hbm_total_bytes_per_cycle;
}

// How much of what a core meets others read, too, if it fetches `fetched` (0 to 1) of it: of what two or more
// read each fetches a half or less.
inline double SameShare(double fetched) { return std::min(1.0, 2 * (1 - fetched)); }

// What pieces that begin `bytes` apart have of the rates of L2 and HBM.
inline double AlignedPart(const SocConfig& soc, int64_t bytes) {
  return bytes % soc.l2_sector_bytes == 0 ? 1 : soc.gm_unaligned_part;
}

// The same of moves of one piece each, some of which begin at sectors.
inline double MeanAlignedPart(const SocConfig& soc, int64_t bytes) {
  const double aligned = Real(std::gcd(bytes, soc.l2_sector_bytes)) / Real(soc.l2_sector_bytes);
  return 1 / (aligned + (1 - aligned) / soc.gm_unaligned_part);
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
