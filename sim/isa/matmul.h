// The values of Mmad. Knows no core, no types and no limits.
#pragma once

#include <cstdint>

namespace tilesim::isa {

// C (m x n) = or += A (m x k) * B (k x n) over fractals of 256 floats as L0Memory and L0C keep them: row i
// and column l of A at a[(i / 16) * a_row_step + (l / k_fractal) * 256 + (l % k_fractal) * 16 + i % 16], row
// l and column j of B at b[(l / k_fractal) * b_row_step + (j / 16) * 256 + (l % k_fractal) * 16 + j % 16],
// row i and column j of C at c[(j / 16) * c_strip_step + i * 16 + j % 16].
struct Matmul {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t k_fractal = 16;  // 16, or 8 for fp32
  int64_t a_row_step = 0;
  int64_t b_row_step = 0;
  int64_t c_strip_step = 0;
  bool init = true;  // C starts at 0
};

// Each element of C takes its products in ascending k, one fused multiply-add each: the same bits on every
// machine. Reads whole fractals of A and B, writes nothing beyond m and n.
void Multiply(const Matmul& matmul);

// dst[i] = src[i] rounded to 11 bits of mantissa: to nearest, ties to even or away from zero.
void RoundToHf32(const float* src, float* dst, int64_t count, bool ties_away);

}  // namespace tilesim::isa
