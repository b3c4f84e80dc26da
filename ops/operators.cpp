#include "ops/operators.h"

#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"

namespace tilesim {

std::unique_ptr<Operator> MakeOperator(const Case& problem) {
  if (problem.gradient() == ConvGradient::kFilter) {
    return std::make_unique<FilterOperator>(problem.conv());
  }
  return std::make_unique<InputOperator>(problem.conv());
}

}  // namespace tilesim
