#pragma once
// The published tiling of the Matmul object as the tiling of the blocked product.
#include <cstdint>

#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// The part of the tiling that the blocked product reads.
inline MatmulTilingData ToMatmulTilingData(const AscendC::tiling::TCubeTiling& t) {
  const auto u = [](int32_t value) { return static_cast<uint32_t>(value); };
  return {.usedCoreNum = u(t.usedCoreNum),
          .M = u(t.M),
          .N = u(t.N),
          .Ka = u(t.Ka),
          .Kb = u(t.Kb),
          .singleCoreM = u(t.singleCoreM),
          .singleCoreN = u(t.singleCoreN),
          .singleCoreK = u(t.singleCoreK),
          .baseM = u(t.baseM),
          .baseN = u(t.baseN),
          .baseK = u(t.baseK),
          .depthA1 = u(t.depthA1),
          .depthB1 = u(t.depthB1),
          .stepM = u(t.stepM),
          .stepN = u(t.stepN),
          .iterateOrder = u(t.iterateOrder),
          .stepKa = u(t.stepKa),
          .stepKb = u(t.stepKb),
          .dbL0A = u(t.dbL0A),
          .dbL0B = u(t.dbL0B),
          .dbL0C = u(t.dbL0C)};
}

}  // namespace tilesim
