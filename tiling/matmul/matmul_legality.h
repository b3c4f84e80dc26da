#pragma once
#include <cstdint>

#include "tiling/core_memory.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// What one core's buffers take in each memory.
struct MatmulBytes {
  int64_t l1 = 0;
  int64_t l0a = 0;
  int64_t l0b = 0;
  int64_t l0c = 0;
};
MatmulBytes MatmulBytesOf(const MatmulTilingData& data, DType dtype);

// What of that does not fit.
void CheckMatmulCapacity(const MatmulTilingData& data, DType dtype, const CoreMemory& memory,
                         Rejections& reasons);

// Every rule that the tiling breaks for this shape, on `cores` cube cores; capacities last. Empty when it is
// legal. To add a rule: a row of its table or a function beside the others, a refused and an accepted case in
// its test.
Rejections WhyNot(const MatmulTiling& tiling, const MatmulShape& shape, const CoreMemory& memory,
                  int64_t cores);

}  // namespace tilesim
