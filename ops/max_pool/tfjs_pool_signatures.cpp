#include "ops/max_pool/tfjs_pool_signatures.h"

#include <utility>
#include <vector>

#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"

namespace tilesim::tfjs {
namespace {

// y and its argmax; of an empty batch nothing is launched.
std::vector<Tensor> Forward(const PoolCall& call, Tensor x, const Options& options) {
  const PoolProblem problem = ProblemOf(call);
  std::vector<Tensor> tensors;
  if (problem.batch == 0) {
    tensors.emplace_back(problem.dtype, problem.YLayout());
    tensors.emplace_back(DType::kInt32, problem.YLayout());
    return tensors;
  }
  tensors.push_back(std::move(x));
  return RunCall(call.kernel, MaxPoolOperator(problem), std::move(tensors), options);
}

// `call` lacks the tensors' shapes and type.
Tensor Gradient(PoolCall call, Tensor dy, Tensor input, const Tensor& output, const Options& options) {
  call.dtype = dy.dtype();
  call.x_name = "input";
  call.x_shape = ShapeOf(call.kernel, "input", input, call.layout, call.dtype);
  call.of_result = {{"dy", ShapeOf(call.kernel, "dy", dy, call.layout, call.dtype)},
                    {"output", ShapeOf(call.kernel, "output", output, call.layout, call.dtype)}};
  const PoolProblem problem = ProblemOf(call);
  if (problem.batch == 0) {
    return {problem.dtype, problem.XLayout()};
  }
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(dy));
  inputs.push_back(std::move(input));
  const MaxPoolGradOperator op(problem, ArgmaxSource::kX);
  return std::move(RunCall(call.kernel, op, std::move(inputs), options).front());
}

}  // namespace

Tensor MaxPool(Tensor x, const FilterSize& filter_size, const Strides& strides, const Pad& pad,
               std::string_view dim_rounding_mode, const Options& options) {
  const PoolCall call = {.kernel = "MaxPool",
                         .dtype = x.dtype(),
                         .layout = Format::kNHWC,
                         .x_shape = ShapeOf("MaxPool", "x", x, Format::kNHWC, x.dtype()),
                         .filter_size = filter_size,
                         .strides = strides,
                         .pad = pad,
                         .dim_rounding_mode = dim_rounding_mode};
  return std::move(Forward(call, std::move(x), options).front());
}

Tensor MaxPool3D(Tensor x, const FilterSize& filter_size, const Strides& strides, const Pad& pad,
                 std::string_view dim_rounding_mode, std::string_view data_format, const Options& options) {
  const Format format = PoolFormatOf("MaxPool3D", data_format);
  const PoolCall call = {.kernel = "MaxPool3D",
                         .dtype = x.dtype(),
                         .layout = format,
                         .x_shape = ShapeOf("MaxPool3D", "x", x, format, x.dtype()),
                         .filter_size = filter_size,
                         .strides = strides,
                         .pad = pad,
                         .dim_rounding_mode = dim_rounding_mode};
  return std::move(Forward(call, std::move(x), options).front());
}

ResultAndIndexes MaxPoolWithArgmax(Tensor x, const FilterSize& filter_size, const Strides& strides,
                                   const Pad& pad, bool include_batch_in_index, const Options& options) {
  const PoolCall call = {.kernel = "MaxPoolWithArgmax",
                         .dtype = x.dtype(),
                         .layout = Format::kNHWC,
                         .x_shape = ShapeOf("MaxPoolWithArgmax", "x", x, Format::kNHWC, x.dtype()),
                         .filter_size = filter_size,
                         .strides = strides,
                         .pad = pad,
                         .include_batch_in_index = include_batch_in_index};
  std::vector<Tensor> outputs = Forward(call, std::move(x), options);
  return {.result = std::move(outputs[0]), .indexes = std::move(outputs[1])};
}

Tensor MaxPoolGrad(Tensor dy, Tensor input, const Tensor& output, const FilterSize& filter_size,
                   const Strides& strides, const Pad& pad, std::string_view dim_rounding_mode,
                   const Options& options) {
  const PoolCall call = {.kernel = "MaxPoolGrad",
                         .layout = Format::kNHWC,
                         .x_shape = {},
                         .filter_size = filter_size,
                         .strides = strides,
                         .pad = pad,
                         .dim_rounding_mode = dim_rounding_mode};
  return Gradient(call, std::move(dy), std::move(input), output, options);
}

Tensor MaxPool3DGrad(Tensor dy, Tensor input, const Tensor& output, const FilterSize& filter_size,
                     const Strides& strides, const Pad& pad, std::string_view dim_rounding_mode,
                     const Options& options) {
  const PoolCall call = {.kernel = "MaxPool3DGrad",
                         .layout = Format::kNDHWC,
                         .x_shape = {},
                         .filter_size = filter_size,
                         .strides = strides,
                         .pad = pad,
                         .dim_rounding_mode = dim_rounding_mode};
  return Gradient(call, std::move(dy), std::move(input), output, options);
}

}  // namespace tilesim::tfjs
