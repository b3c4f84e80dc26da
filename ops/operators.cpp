#include "ops/operators.h"

#include <variant>

#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/elementwise/elementwise_operator.h"
#include "ops/matmul/matmul_operator.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/trans_data/trans_data_operator.h"
#include "ops/transpose/transpose_operator.h"

namespace tilesim {
namespace {

std::unique_ptr<Operator> Make(const ConvCase& convolution) {
  if (convolution.gradient == ConvGradient::kFilter) {
    return std::make_unique<FilterOperator>(convolution.conv);
  }
  return std::make_unique<InputOperator>(convolution.conv);
}

std::unique_ptr<Operator> Make(const PoolCase& pooling, ArgmaxSource source) {
  if (pooling.is_gradient) {
    return std::make_unique<MaxPoolGradOperator>(pooling.pool, source);
  }
  return std::make_unique<MaxPoolOperator>(pooling.pool);
}

}  // namespace

std::unique_ptr<Operator> MakeOperator(const Case& problem) {
  if (const auto* const pooling = std::get_if<PoolCase>(&problem.problem)) {
    return Make(*pooling, problem.argmax_file.empty() ? ArgmaxSource::kX : ArgmaxSource::kGiven);
  }
  if (const auto* const product = std::get_if<MatmulCase>(&problem.problem)) {
    return std::make_unique<MatmulOperator>(product->matmul);
  }
  if (const auto* const elementwise = std::get_if<ElementwiseCase>(&problem.problem)) {
    return std::make_unique<ElementwiseOperator>(elementwise->elementwise);
  }
  if (const auto* const transpose = std::get_if<TransposeCase>(&problem.problem)) {
    return std::make_unique<TransposeOperator>(transpose->transpose);
  }
  if (const auto* const trans_data = std::get_if<TransDataCase>(&problem.problem)) {
    return std::make_unique<TransDataOperator>(trans_data->trans_data);
  }
  return Make(std::get<ConvCase>(problem.problem));
}

}  // namespace tilesim
