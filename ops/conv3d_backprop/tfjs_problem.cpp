#include "ops/conv3d_backprop/tfjs_problem.h"

#include <array>
#include <optional>
#include <string>

#include "formats/error.h"

namespace tilesim::tfjs {
namespace {

void RequireLegal(const ConvCall& call, const std::optional<Refusal>& no) {
  const ArgumentName names[] = {{"input", call.x_name}, {"filter", call.filter_name},    {"output", "dy"},
                                {"stride", "strides"},  {"rounding", "dimRoundingMode"}, {"dtype", "dy"}};
  RequireNone(call.kernel, no, names);
}

}  // namespace

Conv3dProblem ProblemOf(const ConvCall& call) {
  Conv3dProblem problem;
  problem.dtype = call.dtype;
  problem.layout = call.layout;
  const bool is_2d = problem.Is2d();
  problem.filter_layout = is_2d ? Format::kHWIO : Format::kDHWIO;
  const auto x = ExtentsOf(call.kernel, call.x_name, call.layout, call.x_shape);
  const auto filter = ExtentsOf(call.kernel, call.filter_name, problem.filter_layout, call.filter_shape);
  const auto dy = ExtentsOf(call.kernel, "dy", call.layout, call.dy_shape);
  RequireSame(call.kernel, call.filter_name, call.filter_shape,
              {"input channels", filter[1], call.x_name, x[1]});
  RequireSame(call.kernel, "dy", call.dy_shape, {"channels", dy[1], call.filter_name, filter[0]});
  RequireSame(call.kernel, "dy", call.dy_shape, {"batch items", dy[0], call.x_name, x[0]});
  problem.batch = x[0];
  problem.cin = x[1];
  problem.cout = filter[0];
  problem.in = {x[2], x[3], x[4]};
  problem.kernel = {filter[2], filter[3], filter[4]};
  problem.stride = PerAxisOf(call.kernel, "strides", call.strides, is_2d);
  problem.rounding = RoundingOf(call.kernel, call.dim_rounding_mode, call.pad);
  RequireLegal(call, WhyNotForward(problem));  // pads may follow from the strides,
  problem.pad = PadsOf(call.kernel, call.pad, call.layout, problem.Walk());
  RequireLegal(call, WhyNotForward(problem));  // and the output's extents from both
  problem.out = ForwardExtents(problem);
  RequireLegal(call, WhyNot(problem));
  if (problem.out != Extents3{dy[2], dy[3], dy[4]}) {
    Refuse(call.kernel, "dy", Listed(call.dy_shape),
           Say("must be ", ShapeText(problem.layout, problem.DyExtents()), ", as ", call.x_name, ", ",
               call.filter_name, ", strides and pad give"),
           "give the gradient of that output");
  }
  return problem;
}

Format FormatOf(std::string_view kernel, std::string_view data_format) {
  if (data_format != "NHWC" && data_format != "NCHW") {
    Refuse(kernel, "dataFormat", std::string(data_format), "must be NHWC or NCHW",
           "filters are HWIO for both");
  }
  return *ParseFormat(data_format);
}

}  // namespace tilesim::tfjs
