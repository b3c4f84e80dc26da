#include "ops/conv3d_backprop/tfjs_problem.h"

#include <algorithm>
#include <optional>

#include "formats/error.h"
#include "ops/refusal.h"

namespace tilesim::tfjs {
namespace {

[[noreturn]] void Refuse(std::string_view kernel, std::string_view argument, std::string found,
                         std::string allowed, std::string mend) {
  throw RefusedInput({Say(kernel, ": ", argument), std::move(found), std::move(allowed), std::move(mend)});
}

std::string Listed(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += Say(text.empty() ? "" : ",", number);
  }
  return Say("[", text, "]");
}

// Canonical extents of five axes (D = 1 in 2D) of a shape in the order of its format.
std::array<int64_t, 5> ExtentsOf(std::string_view kernel, std::string_view argument, Format format,
                                 const std::vector<int64_t>& shape) {
  const size_t rank = Name(format).size();
  if (shape.size() != rank) {
    Refuse(kernel, argument, Listed(shape), Say("must have ", rank, " numbers, ", Name(format)),
           "add or drop axes");
  }
  if (const auto [least, most] = std::ranges::minmax(shape); least < 1 || most > Conv3dLimits::kExtent) {
    Refuse(kernel, argument, Listed(shape), Say("each extent must be 1 to ", Conv3dLimits::kExtent),
           "give the shape of a tensor that is not empty");
  }
  std::vector<int64_t> extents = PlainLayout(format, shape).extents();
  if (rank == 4) {
    extents.insert(extents.begin() + 2, 1);
  }
  return {extents[0], extents[1], extents[2], extents[3], extents[4]};
}

Extents3 StridesOf(const ConvCall& call, bool is_2d) {
  const std::vector<int64_t>& given = call.strides.values();
  const size_t axes = is_2d ? 2 : 3;
  if (given.size() != 1 && given.size() != axes) {
    Refuse(call.kernel, "strides", Listed(given), Say("must be one number or ", axes), "give one an axis");
  }
  if (std::ranges::min(given) < 1) {
    Refuse(call.kernel, "strides", Listed(given), "each must be at least 1", "1 moves by one element");
  }
  if (given.size() == 1) {
    return {.d = is_2d ? 1 : given[0], .h = given[0], .w = given[0]};
  }
  return is_2d ? Extents3{.d = 1, .h = given[0], .w = given[1]} : Extents3{given[0], given[1], given[2]};
}

Rounding RoundingOf(const ConvCall& call) {
  const std::string_view mode = call.dim_rounding_mode;
  if (mode.empty()) {
    return Rounding::kFloor;
  }
  if (std::holds_alternative<std::string>(call.pad)) {
    Refuse(call.kernel, "dimRoundingMode", std::string(mode),
           Say("pad '", std::get<std::string>(call.pad), "' fixes the size, so there must be none"),
           "leave it out, or give pad as a number");
  }
  if (mode != "floor" && mode != "round" && mode != "ceil") {
    Refuse(call.kernel, "dimRoundingMode", std::string(mode), "must be floor, round or ceil",
           "leave it out for floor");
  }
  return *ParseRounding(mode);
}

std::string PadText(const ExplicitPads& pads) {
  std::string text;
  for (const auto& [before, after] : pads) {
    text += Say(text.empty() ? "" : ",", "[", before, ",", after, "]");
  }
  return Say("[", text, "]");
}

Pads ExplicitPadsOf(const ConvCall& call, const ExplicitPads& given) {
  const std::string_view order = Name(call.layout);
  const std::string found = PadText(given);
  if (given.size() != order.size()) {
    Refuse(call.kernel, "pad", found, Say("must have two numbers for each of ", order), "0,0 is no padding");
  }
  Pads pads;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto [before, after] = given[i];
    switch (order[i]) {
      case 'D':
        pads.front = before;
        pads.back = after;
        break;
      case 'H':
        pads.top = before;
        pads.bottom = after;
        break;
      case 'W':
        pads.left = before;
        pads.right = after;
        break;
      default:
        if (before != 0 || after != 0) {
          Refuse(call.kernel, "pad", found, Say("axis ", order[i], " cannot be padded"), "give [0,0] there");
        }
    }
  }
  return pads;
}

// `problem` has all but its pads and output.
Pads PadsOf(const ConvCall& call, const Conv3dProblem& problem) {
  if (const auto* const number = std::get_if<int64_t>(&call.pad)) {
    const int64_t depth = problem.Is2d() ? 0 : *number;
    return {depth, depth, *number, *number, *number, *number};
  }
  if (const auto* const given = std::get_if<ExplicitPads>(&call.pad)) {
    return ExplicitPadsOf(call, *given);
  }
  const auto& name = std::get<std::string>(call.pad);
  if (name != "same" && name != "valid") {
    Refuse(call.kernel, "pad", name, "must be valid, same, a number or explicit pads",
           "names are in lower case");
  }
  return name == "same" ? SamePads(problem.Walk()) : Pads{};
}

// A number of one argument's shape that another argument determines.
struct Shared {
  std::string_view what;
  int64_t found;
  std::string_view other;
  int64_t wanted;
};

void RequireSame(const ConvCall& call, std::string_view argument, const std::vector<int64_t>& shape,
                 const Shared& shared) {
  if (shared.found != shared.wanted) {
    Refuse(call.kernel, argument, Listed(shape),
           Say("must have ", shared.wanted, " ", shared.what, " as ", shared.other, ", found ", shared.found),
           Say("correct ", argument, " or ", shared.other));
  }
}

// Refuses what a rule of the operator does, under the names of the call's arguments.
void RequireNone(const ConvCall& call, const std::optional<Refusal>& no) {
  if (!no) {
    return;
  }
  const std::pair<std::string_view, std::string_view> names[] = {
      {"input", call.x_name}, {"filter", call.filter_name},   {"output", "dy"}, {"stride", "strides"},
      {"dtype", "dy"},        {"rounding", "dimRoundingMode"}};
  const auto* const name =
      std::ranges::find(names, no->where, &std::pair<std::string_view, std::string_view>::first);
  Refuse(call.kernel, name == std::end(names) ? std::string_view(no->where) : name->second, no->found,
         no->allowed, no->mend);
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
  RequireSame(call, call.filter_name, call.filter_shape, {"input channels", filter[1], call.x_name, x[1]});
  RequireSame(call, "dy", call.dy_shape, {"channels", dy[1], call.filter_name, filter[0]});
  RequireSame(call, "dy", call.dy_shape, {"batch items", dy[0], call.x_name, x[0]});
  problem.batch = x[0];
  problem.cin = x[1];
  problem.cout = filter[0];
  problem.in = {x[2], x[3], x[4]};
  problem.kernel = {filter[2], filter[3], filter[4]};
  problem.stride = StridesOf(call, is_2d);
  problem.rounding = RoundingOf(call);
  RequireNone(call, WhyNotForward(problem));  // pads may follow from the strides,
  problem.pad = PadsOf(call, problem);
  RequireNone(call, WhyNotForward(problem));  // and the output's extents from both
  problem.out = ForwardExtents(problem);
  RequireNone(call, WhyNot(problem));
  if (problem.out != Extents3{dy[2], dy[3], dy[4]}) {
    Refuse(call.kernel, "dy", Listed(call.dy_shape),
           Say("must be ", ShapeText(problem.layout, problem.DyExtents()), ", as ", call.x_name, ", ",
               call.filter_name, ", strides and pad give"),
           "give the gradient of that output");
  }
  return problem;
}

std::vector<int64_t> ShapeOf(std::string_view kernel, std::string_view name, const Tensor& tensor,
                             Format format, DType dtype) {
  if (dtype != DType::kFp16 && dtype != DType::kBf16 && dtype != DType::kFp32) {
    Refuse(kernel, name, std::string(Name(dtype)), "must be fp16, bf16 or fp32", "convert the tensors");
  }
  if (tensor.dtype() != dtype) {
    Refuse(kernel, name, std::string(Name(tensor.dtype())),
           Say("must be ", Name(dtype), " as the other tensor"), "convert one of them with Rounded");
  }
  if (tensor.layout().format() != format) {
    Refuse(kernel, name, std::string(Name(tensor.layout().format())), Say("must be ", Name(format)),
           "Converted gives the tensor in another format");
  }
  return tensor.layout().StorageShape();
}

Format FormatOf(std::string_view kernel, std::string_view data_format) {
  if (data_format != "NHWC" && data_format != "NCHW") {
    Refuse(kernel, "dataFormat", std::string(data_format), "must be NHWC or NCHW",
           "filters are HWIO for both");
  }
  return *ParseFormat(data_format);
}

}  // namespace tilesim::tfjs
