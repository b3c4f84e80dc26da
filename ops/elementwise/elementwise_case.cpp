#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/error.h"
#include "ops/elementwise/elementwise_problem.h"

namespace tilesim {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 36;  // more than the largest part's memory holds

DType ReadElementType(const CellReader& cells, ElementwiseOp op) {
  static constexpr std::string_view kAll[] = {"fp16", "bf16", "fp32", "int32", "int64", "uint8"};
  static constexpr std::string_view kAdded[] = {"fp16", "bf16", "fp32", "int32"};
  return *ParseDType(op == ElementwiseOp::kAdd ? cells.Choice("dtype", kAdded) : cells.Choice("dtype", kAll));
}

void ReadValue(const CellReader& cells, ElementwiseProblem& problem) {
  VisitDType(problem.dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      problem.whole = cells.Whole("value", 0, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    } else {
      problem.value = cells.Number("value", 0);
      if (!std::isfinite(static_cast<float>(static_cast<T>(problem.value)))) {
        cells.Refuse("value", Say("must be a number that ", Name(problem.dtype), " holds"),
                     "give another value or dtype");
      }
    }
  });
}

}  // namespace

AxisExtents ReadTensorShape(const CellReader& cells) {
  static constexpr std::array<size_t, 6> kCounts = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> extents = cells.List("input", kCounts, "1024, or 64x32x128");
  int64_t elements = 1;
  for (const int64_t extent : extents) {
    if (extent < 1) {
      cells.Refuse("input", "each extent must be at least 1", "leave an axis of no extent out");
    }
    if (extent > kMostElements / elements) {
      cells.Refuse("input", Say("must have at most ", kMostElements, " elements"), "give a smaller tensor");
    }
    elements *= extent;
  }
  return AxisExtents(extents);
}

ElementwiseProblem ReadElementwiseProblem(const CaseCells& cell_map, ElementwiseOp op) {
  const CellReader cells(cell_map);
  ElementwiseProblem problem{
      .op = op, .dtype = ReadElementType(cells, op), .extents = ReadTensorShape(cells)};
  if (op == ElementwiseOp::kMemSet) {
    ReadValue(cells, problem);
  }
  return problem;
}

}  // namespace tilesim
