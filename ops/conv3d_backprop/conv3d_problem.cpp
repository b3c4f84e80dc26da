#include "ops/conv3d_backprop/conv3d_problem.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {
namespace {

struct RoundingName {
  Rounding rounding;
  std::string_view name;
};
constexpr RoundingName kRoundings[] = {{Rounding::kFloor, "floor"},
                                       {Rounding::kRound, "round"},
                                       {Rounding::kCeil, "ceil"},
                                       {Rounding::kCeilInBounds, "ceil_in_bounds"}};

using Answer = std::optional<Refusal>;

std::string Joined(std::initializer_list<int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : "x") + std::to_string(number);
  }
  return text;
}

// Elements of a tensor, as a double so that nothing wraps.
double Elements(const std::vector<int64_t>& extents) {
  double elements = 1;
  for (const int64_t extent : extents) {
    elements *= static_cast<double>(extent);
  }
  return elements;
}

Answer WhyNotShape(std::string_view column, Format format, const std::vector<int64_t>& extents) {
  const auto [least, most] = std::ranges::minmax(extents);
  if (least < 1 || most > Conv3dLimits::kExtent) {
    return Refusal{
        std::string(column), ShapeText(format, extents),
        Say("each extent must be 1 to ", Conv3dLimits::kExtent, ", found ", least < 1 ? least : most),
        "give the shape of a tensor that is not empty"};
  }
  if (Elements(extents) > static_cast<double>(Conv3dLimits::kElements)) {
    return Refusal{std::string(column), ShapeText(format, extents),
                   Say("a tensor may have ", Conv3dLimits::kElements, " elements, found ", Elements(extents)),
                   "give smaller extents"};
  }
  return std::nullopt;
}

Answer WhyNotInput(const Conv3dProblem& p) { return WhyNotShape("input", p.layout, p.XExtents()); }

Answer WhyNotFilter(const Conv3dProblem& p) {
  return WhyNotShape("filter", p.filter_layout, p.FilterExtents());
}

Answer WhyNotGroups(const Conv3dProblem& p) {
  const std::string found = std::to_string(p.groups);
  if (p.groups < 1 || p.groups > Conv3dLimits::kGroups) {
    return Refusal{"groups", found, Say("must be 1 to ", Conv3dLimits::kGroups),
                   "give 1 for a plain convolution"};
  }
  if (p.cin % p.groups != 0 || p.cout % p.groups != 0) {
    return Refusal{"groups", found, Say("must divide ", p.cin, " input and ", p.cout, " output channels"),
                   "give a common divisor of both"};
  }
  return std::nullopt;
}

struct Bound {
  std::string_view axis;
  int64_t value;
  int64_t most;
};

// A bound on each axis of one column.
Answer WhyNotAxes(std::string_view column, const std::string& found, int64_t least,
                  std::initializer_list<Bound> bounds, std::string_view mend) {
  for (const Bound& bound : bounds) {
    if (bound.value < least || bound.value > bound.most) {
      return Refusal{std::string(column), found,
                     Say(bound.axis, " must be ", least, " to ", bound.most, ", found ", bound.value),
                     std::string(mend)};
    }
  }
  return std::nullopt;
}

Answer WhyNotLimits(const Conv3dProblem& p) {
  using L = Conv3dLimits;
  if (Answer no = WhyNotAxes("stride", Text(p.stride), 1,
                             {{"depth", p.stride.d, L::kStrideD},
                              {"height", p.stride.h, L::kStrideHW},
                              {"width", p.stride.w, L::kStrideHW}},
                             "give strides that the operator takes")) {
    return no;
  }
  if (Answer no = WhyNotAxes("dilation", Text(p.dilation), 1,
                             {{"depth", p.dilation.d, L::kDilation},
                              {"height", p.dilation.h, L::kDilation},
                              {"width", p.dilation.w, L::kDilation}},
                             "1 is no dilation")) {
    return no;
  }
  if (Answer no = WhyNotAxes("pad", Text(p.pad), 0,
                             {{"front", p.pad.front, L::kPad},
                              {"back", p.pad.back, L::kPad},
                              {"top", p.pad.top, L::kPad},
                              {"bottom", p.pad.bottom, L::kPad},
                              {"left", p.pad.left, L::kPad},
                              {"right", p.pad.right, L::kPad}},
                             "0 is no padding")) {
    return no;
  }
  return WhyNotAxes("filter", ShapeText(p.filter_layout, p.FilterExtents()), 1,
                    {{"kernel height", p.kernel.h, L::kKernelH}, {"kernel width", p.kernel.w, L::kKernelW}},
                    "give a kernel that the operator takes");
}

Answer WhyNotWindow(const Conv3dProblem& p) {
  struct Axis {
    std::string_view name;
    int64_t padded;
    int64_t window;
  };
  for (const Axis& axis :
       {Axis{"depth", p.in.d + p.pad.front + p.pad.back, (p.kernel.d - 1) * p.dilation.d + 1},
        Axis{"height", p.in.h + p.pad.top + p.pad.bottom, (p.kernel.h - 1) * p.dilation.h + 1},
        Axis{"width", p.in.w + p.pad.left + p.pad.right, (p.kernel.w - 1) * p.dilation.w + 1}}) {
    if (axis.window > axis.padded) {
      return Refusal{"filter", ShapeText(p.filter_layout, p.FilterExtents()),
                     Say("the window (kernel with dilation) spans ", axis.window, " in ", axis.name,
                         ", the padded input only ", axis.padded),
                     "give a larger input, more padding, a smaller kernel or less dilation"};
    }
  }
  return std::nullopt;
}

Answer WhyNotOutput(const Conv3dProblem& p) {
  Conv3dProblem right = p;
  right.out = ForwardExtents(p);
  const std::string shape = ShapeText(p.layout, right.DyExtents());
  if (std::min({right.out.d, right.out.h, right.out.w}) < 1) {
    return Refusal{"rounding", std::string(Name(p.rounding)),
                   Say("leaves no window, the output would be ", shape), "use floor"};
  }
  if (right.out != p.out) {
    return Refusal{"output", ShapeText(p.layout, p.DyExtents()),
                   Say("input, filter, stride, pad, dilation and rounding give ", shape),
                   "give that shape or leave it out"};
  }
  return WhyNotShape("output", p.layout, p.DyExtents());
}

Answer WhyNotType(const Conv3dProblem& p) {
  if (p.dtype != DType::kFp16 && p.dtype != DType::kBf16 && p.dtype != DType::kFp32) {
    return Refusal{"dtype", std::string(Name(p.dtype)), "must be fp16, bf16 or fp32", "convert the tensors"};
  }
  if (p.hf32 && p.dtype != DType::kFp32) {
    return Refusal{"hf32", "1", Say("is a mode of fp32, dtype is ", Name(p.dtype)),
                   "give dtype fp32 or hf32 0"};
  }
  return std::nullopt;
}

int64_t ReachedFarPad(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation,
                      int64_t before) {
  return std::max<int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - before - in);
}

}  // namespace

std::string_view Name(Rounding rounding) {
  return std::ranges::find(kRoundings, rounding, &RoundingName::rounding)->name;
}

std::optional<Rounding> ParseRounding(std::string_view name) {
  const auto* const row = std::ranges::find(kRoundings, name, &RoundingName::name);
  return row == std::end(kRoundings) ? std::nullopt : std::optional(row->rounding);
}

std::string Text(const Extents3& extents) { return Joined({extents.d, extents.h, extents.w}); }

std::string Text(const Pads& pads) {
  return Joined({pads.front, pads.back, pads.top, pads.bottom, pads.left, pads.right});
}

std::string ShapeText(Format format, const std::vector<int64_t>& extents) {
  std::string text;
  for (const char axis : Name(format)) {
    const int64_t extent = extents.at(Axes(format).find(static_cast<char>(std::tolower(axis))));
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

bool Conv3dProblem::Is2d() const { return layout == Format::kNCHW || layout == Format::kNHWC; }

std::vector<int64_t> Conv3dProblem::XExtents() const {
  return Is2d() ? std::vector{batch, cin, in.h, in.w} : std::vector{batch, cin, in.d, in.h, in.w};
}

std::vector<int64_t> Conv3dProblem::DyExtents() const {
  return Is2d() ? std::vector{batch, cout, out.h, out.w} : std::vector{batch, cout, out.d, out.h, out.w};
}

std::vector<int64_t> Conv3dProblem::FilterExtents() const {
  const int64_t i = CinPerGroup();
  return Is2d() ? std::vector{cout, i, kernel.h, kernel.w}
                : std::vector{cout, i, kernel.d, kernel.h, kernel.w};
}

Layout Conv3dProblem::XLayout() const { return {layout, XExtents()}; }

Layout Conv3dProblem::DyLayout() const { return {layout, DyExtents()}; }

Layout Conv3dProblem::FilterLayout() const { return {filter_layout, FilterExtents()}; }

Pads Conv3dProblem::ReachedPad() const {
  Pads reached = pad;
  reached.back = ReachedFarPad(in.d, out.d, kernel.d, stride.d, dilation.d, pad.front);
  reached.bottom = ReachedFarPad(in.h, out.h, kernel.h, stride.h, dilation.h, pad.top);
  reached.right = ReachedFarPad(in.w, out.w, kernel.w, stride.w, dilation.w, pad.left);
  return reached;
}

double Conv3dProblem::Macs() const {
  return Elements({batch, cout, out.d, out.h, out.w, CinPerGroup(), kernel.d, kernel.h, kernel.w});
}

int64_t ForwardExtent(const ConvAxis& axis, Rounding rounding) {
  const int64_t stride = axis.stride;
  const int64_t window = (axis.kernel - 1) * axis.dilation + 1;
  const int64_t room = axis.in + axis.pad_before + axis.pad_after - window;
  switch (rounding) {
    case Rounding::kFloor:
      return FloorDiv(room, stride) + 1;
    case Rounding::kRound:
      return FloorDiv(2 * room + stride, 2 * stride) + 1;
    case Rounding::kCeil:
      return FloorDiv(room + stride - 1, stride) + 1;
    case Rounding::kCeilInBounds:
      break;
  }
  const int64_t out = FloorDiv(room + stride - 1, stride) + 1;
  return (out - 1) * stride >= axis.in + axis.pad_before ? out - 1 : out;
}

Extents3 ForwardExtents(const Conv3dProblem& p) {
  const ConvAxis d = {p.in.d, p.kernel.d, p.stride.d, p.dilation.d, p.pad.front, p.pad.back};
  const ConvAxis h = {p.in.h, p.kernel.h, p.stride.h, p.dilation.h, p.pad.top, p.pad.bottom};
  const ConvAxis w = {p.in.w, p.kernel.w, p.stride.w, p.dilation.w, p.pad.left, p.pad.right};
  return {.d = ForwardExtent(d, p.rounding),
          .h = ForwardExtent(h, p.rounding),
          .w = ForwardExtent(w, p.rounding)};
}

Pads SamePads(const Conv3dProblem& p) {
  const auto total = [](int64_t in, int64_t kernel, int64_t stride, int64_t dilation) {
    return std::max<int64_t>(0, (CeilDiv(in, stride) - 1) * stride + (kernel - 1) * dilation + 1 - in);
  };
  const int64_t d = total(p.in.d, p.kernel.d, p.stride.d, p.dilation.d);
  const int64_t h = total(p.in.h, p.kernel.h, p.stride.h, p.dilation.h);
  const int64_t w = total(p.in.w, p.kernel.w, p.stride.w, p.dilation.w);
  return {.front = d / 2,
          .back = d - d / 2,
          .top = h / 2,
          .bottom = h - h / 2,
          .left = w / 2,
          .right = w - w / 2};
}

std::optional<Refusal> WhyNot(const Conv3dProblem& problem) {
  for (const auto rule :
       {WhyNotType, WhyNotGroups, WhyNotLimits, WhyNotInput, WhyNotFilter, WhyNotWindow, WhyNotOutput}) {
    if (Answer no = rule(problem)) {
      return no;
    }
  }
  return std::nullopt;
}

}  // namespace tilesim
