#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// What a matrix product should cost on the core that has most to do, cycles.
struct MatmulEstimate {
  double cube = 0;  // that each pipe is at work
  double mte1 = 0;
  double mte2 = 0;
  double fix = 0;
  double cycles = 0;
  double us = 0;  // with launch
};

// By the clock of one core (matmul_clock.h). The tiling must be legal.
MatmulEstimate Estimate(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc);
// No estimate of the tiling's time, with launch, is below this; many times cheaper.
double LeastUs(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc);

}  // namespace tilesim
