#pragma once
#include <cstdint>

#include "formats/dtype.h"

namespace tilesim {

// C (m, n) = op(A) (m, k) by op(B) (k, n), as planners and the tile program see it. All matrices are
// row-major; a transposed one lies in GM as (k, m) or (n, k).
struct MatmulShape {
  DType dtype = DType::kFp16;  // of A and B
  DType out = DType::kFp16;    // of C: that of A, or fp32
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  bool hf32 = false;

  friend bool operator==(const MatmulShape&, const MatmulShape&) = default;
};

}  // namespace tilesim
