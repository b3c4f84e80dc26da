#include "tiling/tune/shared_bound.h"

#include <algorithm>

#include "sim/core/shared_rate.h"

namespace tilesim {
namespace {

constexpr double kMoveRounding = 1e-3;  // of a move's cycles

// What a byte that L2 gives takes of it at least, whoever read it last.
double LeastL2Load(const SocConfig& soc) {
  return std::min(1.0, soc.l2_total_bytes_per_cycle / soc.l2_same_total_bytes_per_cycle);
}

}  // namespace

double SharedTraffic::Cycles(const SocConfig& soc) const {
  constexpr double kSlots = 2 * SharedRate::kSlotCycles;  // a rate is kept slot by slot
  constexpr double kRoundingOfAMove = 1 - 1e-5;           // of each move
  const double l2 = soc.l2_total_bytes_per_cycle;
  const double hbm = soc.hbm_total_bytes_per_cycle;
  // bytes that are fetched take nothing of L2: as many as make both end together
  const double found = std::max(0.0, read_bytes - least_fetched);
  const double updates = update_bytes * l2 / soc.l2_atomic_total_bytes_per_cycle;
  const double weight = LeastL2Load(soc);
  const double even = ((weight * found + updates) * hbm - least_fetched * l2) / (l2 + weight * hbm);
  const double more = std::clamp(even, 0.0, std::max(0.0, std::min(found, most_fetched - least_fetched)));
  const double fetched = least_fetched + more;
  const double load = weight * (found - more) + updates;
  return std::max(fetched / hbm, load / l2) * kRoundingOfAMove - kSlots;
}

double CoresMoveCycles(const SocConfig& soc, int64_t cores, double read_bytes, double least_fetched,
                       double moves) {
  const double port = std::min(soc.gm_l1_core_bytes_per_cycle, soc.l2_total_bytes_per_cycle);
  const double hbm = std::min({port, soc.hbm_core_bytes_per_cycle, soc.hbm_total_bytes_per_cycle});
  const double found = std::max(0.0, read_bytes - least_fetched);
  return (found / port + least_fetched / hbm - moves * kMoveRounding) / static_cast<double>(cores);
}

double CoresFetchCycles(const SocConfig& soc, int64_t cores, double least_fetched) {
  // no move takes less than a cycle
  return CoresMoveCycles(soc, cores, least_fetched, least_fetched, 0) * (1 - kMoveRounding);
}

}  // namespace tilesim
