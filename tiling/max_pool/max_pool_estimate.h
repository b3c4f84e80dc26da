#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tasks.h"

namespace tilesim {

// Cycles of the busiest core. An estimate of averages: borders and tails count as whole blocks do.
struct MaxPoolEstimate {
  double read_cycles = 0;
  double vector_cycles = 0;
  double write_cycles = 0;
  double fixed_cycles = 0;

  [[nodiscard]] double cycles() const {
    return std::max({read_cycles, vector_cycles, write_cycles}) + fixed_cycles;
  }
  [[nodiscard]] std::string_view bound_by() const {
    return read_cycles >= std::max(vector_cycles, write_cycles) ? "reads of GM"
           : vector_cycles >= write_cycles                      ? "the vector unit"
                                                                : "writes to GM";
  }
};

MaxPoolEstimate EstimateMaxPool(const PoolShape& shape, const PoolTile& tile, const SocConfig& soc,
                                int64_t cores);

}  // namespace tilesim
