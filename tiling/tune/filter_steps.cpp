#include "tiling/tune/filter_steps.h"

#include <algorithm>

#include "formats/units.h"

namespace tilesim {

FilterSteps::FilterSteps(const FilterProblem& problem, const SocConfig& soc, const FilterTaskSize& part,
                         const FilterBlock& block)
    : p_(problem),
      soc_(soc),
      e_(ExtentsOf(problem)),
      part_(part),
      block_(block),
      element_bytes_(static_cast<int64_t>(SizeOf(problem.dtype))),
      blocks_m_(CeilDiv(part.m, block.m)),
      blocks_n_(CeilDiv(part.lines * problem.hk * problem.wk * e_.c0, block.n)),
      blocks_k_(CeilDiv(part.rows * problem.wo, block.k)),
      two_l0c_(2 * block.m * block.n * 4 <= soc.l0c_bytes) {}

int64_t FilterSteps::RowsIn(int64_t step_kb) const {
  return L1StepOf(p_, e_, {.rows_out = part_.rows, .lines = part_.lines}, step_kb * block_.k, 1).rows_in;
}

// Lines as L1StepOf counts them.
int64_t FilterSteps::BytesOfB(int64_t rows_in, int64_t step_n) const {
  const int64_t lines =
      L1StepOf(p_, e_, {.rows_out = part_.rows, .lines = part_.lines}, block_.k, step_n * block_.n / e_.c0)
          .lines;
  return rows_in * p_.wi * lines * e_.c0 * element_bytes_;
}

bool FilterSteps::IsAddressable(int64_t step_n) const {
  constexpr int64_t kMostColumn = 65535;
  return (p_.hk * p_.wk - 1) * e_.c0 + (step_n - 1) * block_.n <= kMostColumn;
}

}  // namespace tilesim
