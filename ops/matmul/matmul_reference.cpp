#include "ops/matmul/matmul_reference.h"

#include <algorithm>
#include <cmath>

#include "formats/units.h"
#include "ops/conv3d_backprop/reference_slab.h"
#include "ops/harness/reference_parallel.h"

namespace tilesim {
namespace {

// The matrix as (rows, columns) of what it is multiplied as.
std::vector<float> Values(const Tensor& tensor, bool turned, int64_t rows, int64_t columns, bool hf32) {
  std::vector<float> stored(static_cast<size_t>(rows * columns));
  ReadReferenceFloats(tensor, 0, hf32, stored);
  if (!turned) {
    return stored;
  }
  std::vector<float> values(stored.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      values[static_cast<size_t>(r * columns + c)] = stored[static_cast<size_t>(c * rows + r)];
    }
  }
  return values;
}

}  // namespace

MatmulReference ReferenceMatmul(const MatmulProblem& p, const Tensor& a, const Tensor& b, int threads) {
  constexpr int64_t kRows = 8;  // that share a row of B while it is in the cache
  const std::vector<float> left = Values(a, p.transpose_a, p.m, p.k, p.hf32);
  const std::vector<float> right = Values(b, p.transpose_b, p.k, p.n, p.hf32);
  MatmulReference reference;
  reference.c.resize(static_cast<size_t>(p.m * p.n));
  reference.absdot.resize(reference.c.size());
  ReferenceParallel(CeilDiv(p.m, kRows), threads, [&](int64_t block) {
    for (int64_t k = 0; k < p.k; ++k) {
      const float* const row = right.data() + k * p.n;
      for (int64_t m = block * kRows; m < std::min(p.m, (block + 1) * kRows); ++m) {
        const double factor = left[static_cast<size_t>(m * p.k + k)];
        double* const c = reference.c.data() + m * p.n;
        double* const absdot = reference.absdot.data() + m * p.n;
        for (int64_t n = 0; n < p.n; ++n) {
          const double product = factor * static_cast<double>(row[n]);
          c[n] += product;
          absdot[n] += std::abs(product);
        }
      }
    }
  });
  return reference;
}

}  // namespace tilesim
