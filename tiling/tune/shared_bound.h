#pragma once
#include <cstdint>
#include <limits>

#include "sim/soc/soc_config.h"

namespace tilesim {

// What all cores of a launch together take of L2 and of HBM in a stretch of it, and the cycles below which
// these do not give it. Bytes count as if
// all pieces were aligned. Knows no core and no order.
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

}  // namespace tilesim
