#include "tiling/conv_backprop/filter_l1.h"

#include <algorithm>

namespace tilesim {

FilterL1Step L1StepOf(const FilterProblem& p, const FilterExtents& e, const FilterWindow& window,
                      int64_t k_extent, int64_t columns) {
  FilterL1Step step{};
  step.rows_out = std::min({MostTouched(k_extent, p.wo), window.rows_out, p.ho});
  const int64_t rows = (step.rows_out - 1) * p.stride_h + (p.hk - 1) * p.dilation_h + 1;
  step.rows_in = std::min(rows, p.hi);
  // with c0 = 8 the last fractal of 16 columns may reach into the line behind the last
  const int64_t lines = std::min(window.lines, e.cin1_g) + (e.c0 == 8 ? 1 : 0);
  step.lines = std::min(MostTouched(columns, p.hk * p.wk), lines);
  return step;
}

int64_t L1BoundOf(const FilterProblem& p, const FilterExtents& e, const FilterWindow& window,
                  int64_t k_extent, int64_t columns) {
  const FilterL1Step step = L1StepOf(p, e, window, k_extent, columns);
  constexpr int64_t kFarTooMany = int64_t{1} << 40;  // more than any L1 holds, and safe to multiply on
  const __int128 elements = static_cast<__int128>(step.rows_in) * p.wi * step.lines * e.c0;
  return elements < kFarTooMany ? static_cast<int64_t>(elements) : kFarTooMany;
}

}  // namespace tilesim
