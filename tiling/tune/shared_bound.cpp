#include "tiling/tune/shared_bound.h"

#include <algorithm>

#include "sim/core/shared_rate.h"

namespace tilesim {

double SharedTraffic::Cycles(const SocConfig& soc) const {
  constexpr double kSlots = 2 * SharedRate::kSlotCycles;  // a rate is kept slot by slot
  constexpr double kRounding = 1 - 1e-5;                  // of each move
  const double l2 = soc.l2_total_bytes_per_cycle;
  const double hbm = soc.hbm_total_bytes_per_cycle;
  const double load = read_bytes + update_bytes * l2 / soc.l2_atomic_total_bytes_per_cycle;
  // reads that are fetched take nothing of L2
  const double most = std::max(least_fetched, std::min(most_fetched, read_bytes));
  const double even = std::clamp(load * hbm / (l2 + hbm), least_fetched, most);
  return std::max(least_fetched / hbm, (load - even) / l2) * kRounding - kSlots;
}

}  // namespace tilesim
