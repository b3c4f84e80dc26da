#include "ops/transpose/transpose_operator.h"

#include "ops/rearrange/shape_builder.h"
#include "ops/transpose/transpose_reference.h"

namespace tilesim {

RearrangeShape ShapeOf(const TransposeProblem& problem) {
  const Layout x = problem.XLayout();
  const Layout y = problem.YLayout();
  ShapeBuilder builder;
  for (size_t k = 0; k < problem.perm.rank(); ++k) {
    const auto axis = static_cast<size_t>(problem.perm[k]);
    builder.Add({.extent = problem.extents[axis],
                 .src_stride = x.AxisOffset(static_cast<int>(axis), 1),
                 .dst_stride = y.AxisOffset(static_cast<int>(k), 1)});
  }
  RearrangeShape shape;
  shape.element_bytes = static_cast<int64_t>(SizeOf(problem.dtype));
  return builder.Build(shape);
}

TransposeOperator::TransposeOperator(const TransposeProblem& problem)
    : RearrangeOperator({"x", problem.dtype, problem.XLayout(), problem.XLayout()},
                        {"y", problem.dtype, problem.YLayout(), problem.YLayout()}, ShapeOf(problem)),
      problem_(problem) {}

std::vector<Truth> TransposeOperator::Reference(std::span<const Tensor> inputs, int /*threads*/) const {
  std::vector<Truth> truths(1);
  if (problem_.dtype == DType::kInt64) {
    truths[0].wholes = ReferenceTranspose<int64_t>(problem_, inputs[0]);
  } else {
    truths[0].values = ReferenceTranspose<double>(problem_, inputs[0]);
  }
  return truths;
}

}  // namespace tilesim
