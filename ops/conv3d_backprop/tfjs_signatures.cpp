#include "ops/conv3d_backprop/tfjs_signatures.h"

#include <string>
#include <utility>

#include "formats/error.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "sim/core/fault.h"

namespace tilesim::tfjs {
namespace {

SocConfig SocOf(const Options& options) { return options.soc ? *options.soc : LoadSoc("ascend910b2"); }

void RequirePlan(std::string_view kernel, bool legal, const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) {
    text += Say(text.empty() ? "" : "; ", reason);
  }
  RequireUser(legal, kernel, ": no tiling fits this part: ", text);
}

// Throws the first fault; hands the launch over to who asked for it.
void Finish(LaunchResult launch, const Options& options) {
  if (!launch.faults.empty()) {
    throw KernelFault(launch.faults.front());
  }
  if (options.launch != nullptr) {
    *options.launch = std::move(launch);
  }
}

// Plans and runs the input gradient of a call.
Tensor InputGradient(const ConvCall& call, Tensor dy, Tensor filter, const Options& options) {
  const Conv3dProblem problem = ProblemOf(call);
  const SocConfig soc = SocOf(options);
  const InputPlan plan = PlanInput(problem, PlannerKind::kOp, soc, soc.aic_cores);
  RequirePlan(call.kernel, plan.legal, plan.reasons);
  OperatorRun run = RunInput(problem, plan, soc, std::move(dy), std::move(filter),
                             {.mode = {.hazards = options.hazards}, .threads = options.threads});
  Finish(std::move(run.launch), options);
  return std::move(run.outputs.front());
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

// NOLINTNEXTLINE(readability-function-size): the parameters are TensorFlow.js'
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
  const SocConfig soc = SocOf(options);
  const FilterPlan plan = PlanFilter(problem, PlannerKind::kOp, soc, soc.aic_cores);
  RequirePlan(kKernel, plan.legal, plan.reasons);
  OperatorRun run = RunFilter(problem, plan, soc, std::move(x), std::move(dy),
                              {.mode = {.hazards = options.hazards}, .threads = options.threads});
  Finish(std::move(run.launch), options);
  return std::move(run.outputs.front());
}

}  // namespace tilesim::tfjs
