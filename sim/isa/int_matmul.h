// The values of Mmad on whole numbers. Knows no core, no types and no limits.
#pragma once

#include <cstdint>

namespace tilesim::isa {

// C (m x n) = or += A (m x k) * B (k x n). A and B lie in pairs along k: row i and column l of A at
// a[((i / 16) * pairs + l / 2) * 32 + (i % 16) * 2 + l % 2], row l and column j of B at
// b[((j / 16) * pairs + l / 2) * 32 + (j % 16) * 2 + l % 2], both up to the end of the last pair, which is 0
// beyond k. C is a strip of 16 columns after the other, `c_strip_step` words apart, as L0C keeps them.
struct IntMatmul {
  const int16_t* a = nullptr;
  const int16_t* b = nullptr;
  float* c = nullptr;  // memory of L0C, which holds int32 here
  int64_t m = 0;
  int64_t n = 0;
  int64_t pairs = 0;  // of k
  int64_t c_strip_step = 0;
  bool init = true;  // C starts at 0
};

// The sum of the products of one element is exact (k is at most 4095 and operands have 8 bits); where C does
// not start at 0 the sum is added to it, and ends at the limits of int32. Writes nothing beyond m and n,
// reads whole fractals of A and B.
void MultiplyInts(const IntMatmul& matmul);

}  // namespace tilesim::isa
