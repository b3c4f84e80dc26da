// The rules that a problem must keep, each with the column it is refused by.
#include <algorithm>
#include <initializer_list>

#include "formats/error.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {
namespace {

using Answer = std::optional<Refusal>;

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
  for (const Axis& axis : {Axis{"depth", p.in.d - p.output_padding.d + p.pad.front + p.pad.back,
                                (p.kernel.d - 1) * p.dilation.d + 1},
                           Axis{"height", p.in.h - p.output_padding.h + p.pad.top + p.pad.bottom,
                                (p.kernel.h - 1) * p.dilation.h + 1},
                           Axis{"width", p.in.w - p.output_padding.w + p.pad.left + p.pad.right,
                                (p.kernel.w - 1) * p.dilation.w + 1}}) {
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

Answer WhyNotOutputPadding(const Conv3dProblem& p) {
  if (!p.transposed) {
    return p.output_padding == Extents3{0, 0, 0}
               ? std::nullopt
               : Answer(Refusal{"output_padding", Text(p.output_padding), "belongs to conv3d_transpose",
                                "leave it out"});
  }
  if (p.rounding != Rounding::kFloor) {
    return Refusal{"rounding", std::string(Name(p.rounding)),
                   "must be floor: a transposed convolution is given its forward output and rounds nothing",
                   "leave it out"};
  }
  return WhyNotAxes("output_padding", Text(p.output_padding), 0,
                    {{"depth", p.output_padding.d, std::max(p.stride.d, p.dilation.d) - 1},
                     {"height", p.output_padding.h, std::max(p.stride.h, p.dilation.h) - 1},
                     {"width", p.output_padding.w, std::max(p.stride.w, p.dilation.w) - 1}},
                    "it must be below the stride or the dilation");
}

Answer WhyNotTransposed(const Conv3dProblem& p) {
  if (!p.transposed || p.in == TransposedExtents(p)) {
    return std::nullopt;
  }
  Conv3dProblem right = p;
  right.in = TransposedExtents(p);
  return Refusal{"input", ShapeText(p.layout, p.XExtents()),
                 Say("output, filter, stride, pad, dilation and output_padding give ",
                     ShapeText(p.layout, right.XExtents())),
                 "give that shape or leave it out; where output_padding is left out, an axis may be longer "
                 "by less than its "
                 "stride or dilation"};
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

Answer FirstOf(std::initializer_list<Answer (*)(const Conv3dProblem&)> rules, const Conv3dProblem& problem) {
  for (const auto rule : rules) {
    if (Answer no = rule(problem)) {
      return no;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> WhyNotForward(const Conv3dProblem& problem) {
  return FirstOf({WhyNotType, WhyNotGroups, WhyNotLimits, WhyNotOutputPadding, WhyNotInput, WhyNotFilter},
                 problem);
}

std::optional<Refusal> WhyNot(const Conv3dProblem& problem) {
  return FirstOf({WhyNotForward, WhyNotTransposed, WhyNotWindow, WhyNotOutput}, problem);
}

}  // namespace tilesim
