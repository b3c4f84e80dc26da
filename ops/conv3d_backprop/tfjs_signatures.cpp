#include "ops/conv3d_backprop/tfjs_signatures.h"

#include <string>
#include <utility>

#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"

namespace tilesim::tfjs {
namespace {

std::vector<Tensor> Operands(Tensor first, Tensor second) {
  std::vector<Tensor> operands;
  operands.push_back(std::move(first));
  operands.push_back(std::move(second));
  return operands;
}

Tensor InputGradient(const ConvCall& call, Tensor dy, Tensor filter, const Options& options) {
  const InputOperator op(ProblemOf(call));
  return std::move(RunCall(call.kernel, op, Operands(std::move(dy), std::move(filter)), options).front());
}

}  // namespace

Tensor Conv3DBackpropInputV2(Tensor dy, Tensor filter, const std::vector<int64_t>& input_shape,
                             const Strides& strides, const Pad& pad, const Options& options) {
  constexpr std::string_view kKernel = "Conv3DBackpropInputV2";
  const ConvCall call = {.kernel = kKernel,
                         .x_name = "inputShape",
                         .filter_name = "filter",
                         .dtype = dy.dtype(),
                         .layout = Format::kNDHWC,
                         .x_shape = input_shape,
                         .filter_shape = ShapeOf(kKernel, "filter", filter, Format::kDHWIO, dy.dtype()),
                         .dy_shape = ShapeOf(kKernel, "dy", dy, Format::kNDHWC, dy.dtype()),
                         .strides = strides,
                         .pad = pad};
  return InputGradient(call, std::move(dy), std::move(filter), options);
}

Tensor Conv2DBackpropInput(Tensor dy, Tensor filter, const std::vector<int64_t>& input_shape,
                           const Strides& strides, const Pad& pad, std::string_view data_format,
                           std::string_view dim_rounding_mode, const Options& options) {
  constexpr std::string_view kKernel = "Conv2DBackpropInput";
  const Format format = FormatOf(kKernel, data_format);
  const ConvCall call = {.kernel = kKernel,
                         .x_name = "inputShape",
                         .filter_name = "filter",
                         .dtype = dy.dtype(),
                         .layout = format,
                         .x_shape = input_shape,
                         .filter_shape = ShapeOf(kKernel, "filter", filter, Format::kHWIO, dy.dtype()),
                         .dy_shape = ShapeOf(kKernel, "dy", dy, format, dy.dtype()),
                         .strides = strides,
                         .pad = pad,
                         .dim_rounding_mode = dim_rounding_mode};
  return InputGradient(call, std::move(dy), std::move(filter), options);
}

Tensor Conv3DBackpropFilterV2(Tensor x, Tensor dy, const std::vector<int64_t>& filter_shape,
                              const Strides& strides, const Pad& pad, const Options& options) {
  constexpr std::string_view kKernel = "Conv3DBackpropFilterV2";
  const Conv3dProblem problem = ProblemOf({.kernel = kKernel,
                                           .x_name = "x",
                                           .filter_name = "filterShape",
                                           .dtype = x.dtype(),
                                           .layout = Format::kNDHWC,
                                           .x_shape = ShapeOf(kKernel, "x", x, Format::kNDHWC, x.dtype()),
                                           .filter_shape = filter_shape,
                                           .dy_shape = ShapeOf(kKernel, "dy", dy, Format::kNDHWC, x.dtype()),
                                           .strides = strides,
                                           .pad = pad});
  const FilterOperator op(problem);
  return std::move(RunCall(kKernel, op, Operands(std::move(x), std::move(dy)), options).front());
}

}  // namespace tilesim::tfjs
