#pragma once

#include <cstdint>
#include <optional>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/case_cells.h"
#include "ops/cases/refusal.h"

namespace tilesim {

// C (m, n) = op(A) (m, k) by op(B) (k, n); a transposed A is given as (k, m), B as (n, k). Sums are fp32 and
// round once, to the type of C. Knows nothing of tiling.
struct MatmulProblem {
  DType dtype = DType::kFp16;  // of A and B
  DType out = DType::kFp16;    // of C: that of A, or fp32
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  bool transpose_a = false;
  bool transpose_b = false;
  bool hf32 = false;

  [[nodiscard]] Layout ALayout() const;  // as it is given
  [[nodiscard]] Layout BLayout() const;
  [[nodiscard]] Layout CLayout() const;

  // Products; exact up to 2^53.
  [[nodiscard]] double Macs() const;
};

// The operator's limits.
struct MatmulLimits {
  static constexpr int64_t kExtent = INT32_MAX;           // tiling data hold 32-bit extents
  static constexpr int64_t kElements = int64_t{1} << 36;  // of one matrix
};

// The first rule that the problem breaks, by the name of its column in the case file.
std::optional<Refusal> WhyNot(const MatmulProblem& problem);

// The product that a case's cells ask for, checked whole; throws RefusedInput with the column at fault.
MatmulProblem ReadMatmulProblem(const CaseCells& cells);

// Refuses each cell that is wrong whatever the others say.
void CheckMatmulCells(const CaseCells& cells, Refusals& refusals);

}  // namespace tilesim
