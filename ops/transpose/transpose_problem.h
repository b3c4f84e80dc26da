#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/axis_extents.h"
#include "ops/cases/case_cells.h"

namespace tilesim {

// y's axis k is x's axis perm[k].
struct TransposeProblem {
  DType dtype = DType::kFp16;
  AxisExtents extents = {1, 1};
  AxisExtents perm = {0, 1};

  [[nodiscard]] Layout XLayout() const { return {Format::kND, extents.Values()}; }
  [[nodiscard]] Layout YLayout() const;
};

// From the cells of a case. Throws RefusedInput with the column at fault.
TransposeProblem ReadTransposeProblem(const CaseCells& cells);

}  // namespace tilesim
