#include "ops/max_pool/tfjs_pool_problem.h"

#include <optional>
#include <string>

#include "formats/error.h"

namespace tilesim::tfjs {
namespace {

void RequireLegal(const PoolCall& call, const std::optional<Refusal>& no) {
  const ArgumentName names[] = {{"input", call.x_name},           {"filter", "filterSize"},
                                {"output", call.x_name},          {"stride", "strides"},
                                {"rounding", "dimRoundingMode"},  {"dtype", call.x_name},
                                {"argmax", "includeBatchInIndex"}};
  RequireNone(call.kernel, no, names);
}

}  // namespace

PoolProblem ProblemOf(const PoolCall& call) {
  PoolProblem problem;
  problem.dtype = call.dtype;
  problem.layout = call.layout;
  problem.nan = NanRule::kIgnore;
  problem.argmax = call.include_batch_in_index ? ArgmaxOrder::kBatchNhwc : ArgmaxOrder::kNhwc;
  const bool is_2d = problem.Is2d();
  const auto x = ExtentsOf(call.kernel, call.x_name, call.layout, call.x_shape, 0);  // (n, c, d, h, w)
  problem.batch = x[0];
  problem.channels = x[1];
  Windows& windows = problem.windows;
  windows.in = {x[2], x[3], x[4]};
  windows.kernel = PerAxisOf(call.kernel, "filterSize", call.filter_size, is_2d);
  windows.stride = PerAxisOf(call.kernel, "strides", call.strides, is_2d);
  problem.rounding = RoundingOf(call.kernel, call.dim_rounding_mode, call.pad);
  RequireLegal(call, WhyNotForward(problem));  // pads may follow from the strides,
  windows.pad = PadsOf(call.kernel, call.pad, call.layout, windows);
  RequireLegal(call, WhyNotForward(problem));  // and the output's extents from both
  problem.out = ForwardExtents(windows, problem.rounding);
  RequireLegal(call, WhyNot(problem));
  const std::vector<int64_t> result = problem.YLayout().StorageShape();
  for (const OfResult& given : call.of_result) {
    if (given.shape != result) {
      Refuse(call.kernel, given.name, Listed(given.shape),
             Say("must be ", ShapeText(problem.layout, problem.YExtents()), ", as ", call.x_name,
                 ", filterSize, strides and pad give"),
             "give the tensor of that result");
    }
  }
  return problem;
}

Format PoolFormatOf(std::string_view kernel, std::string_view data_format) {
  if (data_format != "NDHWC" && data_format != "NCDHW") {
    Refuse(kernel, "dataFormat", std::string(data_format), "must be NDHWC or NCDHW", "NDHWC is the usual");
  }
  return *ParseFormat(data_format);
}

}  // namespace tilesim::tfjs
