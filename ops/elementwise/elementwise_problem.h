#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/axis_extents.h"
#include "ops/cases/case_cells.h"

namespace tilesim {

enum class ElementwiseOp : uint8_t { kCopy, kMemSet, kAdd };

// copy: y = x. mem_set: y = value. add: y = x1 + x2. Tensors of any shape, all of the same.
struct ElementwiseProblem {
  ElementwiseOp op = ElementwiseOp::kCopy;
  DType dtype = DType::kFp16;
  AxisExtents extents = {1, 1};
  // Of mem_set: of whole types `whole`, which holds each int64, of the others `value`.
  double value = 0;
  int64_t whole = 0;

  template <class T>
  [[nodiscard]] T ValueAs() const {
    return IsFloating(dtype) ? static_cast<T>(value) : static_cast<T>(whole);
  }
  [[nodiscard]] Layout TensorLayout() const { return {Format::kND, extents.Values()}; }
  [[nodiscard]] int64_t Elements() const { return TensorLayout().LogicalElements(); }
};

// From the cells of a case. Throws RefusedInput with the column at fault.
ElementwiseProblem ReadElementwiseProblem(const CaseCells& cells, ElementwiseOp op);

// The cell `input` as extents of a row-major tensor of 1 to 6 axes.
AxisExtents ReadTensorShape(const CellReader& cells);

}  // namespace tilesim
