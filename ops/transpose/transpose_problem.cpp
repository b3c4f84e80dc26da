#include "ops/transpose/transpose_problem.h"

#include <algorithm>
#include <string>

#include "formats/error.h"
#include "ops/elementwise/elementwise_problem.h"

namespace tilesim {

Layout TransposeProblem::YLayout() const {
  std::vector<int64_t> shape;
  for (size_t k = 0; k < perm.rank(); ++k) {
    shape.push_back(extents[static_cast<size_t>(perm[k])]);
  }
  return {Format::kND, shape};
}

TransposeProblem ReadTransposeProblem(const CaseCells& cell_map) {
  const CellReader cells(cell_map);
  static constexpr std::string_view kTypes[] = {"fp16", "bf16", "fp32", "int32", "int64", "uint8"};
  TransposeProblem problem;
  problem.dtype = *ParseDType(cells.Choice("dtype", kTypes));
  problem.extents = ReadTensorShape(cells);
  if (problem.extents.rank() == 1) {
    cells.Refuse("input", "must have 2 to 6 axes, one alone has no other order", "`copy` takes one axis");
  }
  const size_t rank = problem.extents.rank();
  const std::array<size_t, 1> counts = {rank};
  std::vector<int64_t> perm = cells.List("perm", counts, "1x0 of two axes");
  std::vector<int64_t> sorted = perm;
  std::ranges::sort(sorted);
  for (size_t k = 0; k < rank; ++k) {
    if (sorted[k] != static_cast<int64_t>(k)) {
      cells.Refuse("perm", Say("must name each of the axes 0 to ", rank - 1, " once"), "for example 0x2x1");
    }
  }
  problem.perm = AxisExtents(perm);
  return problem;
}

}  // namespace tilesim
