#pragma once
#include <cstdint>

#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// What a matrix product should cost on the core that has most to do, cycles.
struct MatmulEstimate {
  double cube = 0;
  double mte1 = 0;
  double mte2 = 0;
  double fix = 0;
  double ends = 0;  // first tiles in, last block out, zero fill: nothing else goes on meanwhile
  double us = 0;    // with launch

  // The busiest pipe, and what none hides.
  [[nodiscard]] double Cycles() const;
  bool result_alone = false;  // one buffer in L0C: the cube waits for Fixpipe
};

// Sizes and rates only: no queue, no flag. HBM gives each matrix once, L2 the rest, where the matrix fits in
// it. The tiling must be legal.
MatmulEstimate Estimate(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc);

}  // namespace tilesim
