#include "ops/operators.h"

#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"

namespace tilesim {

std::unique_ptr<Operator> MakeOperator(const Case& problem) {
  if (const auto* pool = std::get_if<PoolCase>(&problem.problem)) {
    if (!pool->is_gradient) {
      return std::make_unique<MaxPoolOperator>(pool->pool);
    }
    return std::make_unique<MaxPoolGradOperator>(
        pool->pool, problem.argmax_file.empty() ? ArgmaxSource::kX : ArgmaxSource::kGiven);
  }
  if (problem.gradient() == ConvGradient::kFilter) {
    return std::make_unique<FilterOperator>(problem.conv());
  }
  return std::make_unique<InputOperator>(problem.conv());
}

}  // namespace tilesim
