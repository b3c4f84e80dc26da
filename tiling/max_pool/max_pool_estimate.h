#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tasks.h"

namespace tilesim {

// Cycles of the busiest core. An estimate of averages: borders and tails count as whole blocks do.
struct MaxPoolEstimate {
  double cycles = 0;
  double launch_cycles = 0;  // beside them, for each core that is used
  double read_cycles = 0;    // of each pipe
  double vector_cycles = 0;
  double write_cycles = 0;
  int64_t cores = 1;

  // Of the vector units of all cores.
  [[nodiscard]] double work() const { return vector_cycles * static_cast<double>(cores); }
  [[nodiscard]] double time() const { return cycles + launch_cycles; }
  [[nodiscard]] std::string_view bound_by() const {
    return read_cycles >= std::max(vector_cycles, write_cycles) ? "reads of GM"
           : vector_cycles >= write_cycles                      ? "the vector unit"
                                                                : "writes to GM";
  }
};

// Cycles of one plane of x, of all that one of `cores` cores does with it: loads, and merges into results.
struct PoolPlaneCycles {
  double read = 0;
  double vector = 0;
};
// `shape` cut to one block: its outputs along H and W are those of the block.
PoolPlaneCycles EstimatePoolPlane(const PoolShape& shape, const PoolTile& tile, const SocConfig& soc,
                                  int64_t cores);

MaxPoolEstimate EstimateMaxPool(const PoolShape& shape, const PoolTile& tile, const SocConfig& soc,
                                int64_t cores);

}  // namespace tilesim
