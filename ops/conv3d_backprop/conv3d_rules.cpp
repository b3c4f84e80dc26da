// The rules that a problem must keep, each with the column it is refused by.
#include <algorithm>
#include <optional>
#include <string>

#include "formats/error.h"
#include "ops/cases/window_rules.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim {
namespace {

using Answer = std::optional<Refusal>;

constexpr ShapeLimits kShapes = {.extent = Conv3dLimits::kExtent, .elements = Conv3dLimits::kElements};

Answer WhyNotInput(const Conv3dProblem& p) { return WhyNotShape("input", p.layout, p.XExtents(), kShapes); }

Answer WhyNotFilter(const Conv3dProblem& p) {
  return WhyNotShape("filter", p.filter_layout, p.FilterExtents(), kShapes);
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

Answer WhyNotLimits(const Conv3dProblem& p) {
  using L = Conv3dLimits;
  if (Answer no = WhyNotStride(p.stride, {.d = L::kStrideD, .h = L::kStrideHW, .w = L::kStrideHW})) {
    return no;
  }
  if (Answer no = WhyNotDilation(p.dilation, L::kDilation)) {
    return no;
  }
  if (Answer no = WhyNotPads(p.pad, L::kPad)) {
    return no;
  }
  return WhyNotAxes("filter", ShapeText(p.filter_layout, p.FilterExtents()), 1,
                    {{"kernel height", p.kernel.h, L::kKernelH}, {"kernel width", p.kernel.w, L::kKernelW}});
}

Answer WhyNotWindow(const Conv3dProblem& p) {
  return WhyNotWindow(p.Walk(), ShapeText(p.filter_layout, p.FilterExtents()));
}

Answer WhyNotOutput(const Conv3dProblem& p) {
  return WhyNotOutput(p.Walk(), p.rounding, p.layout, p.XExtents(), p.DyExtents(), kShapes);
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
                    ": it is below the stride or the dilation");
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
  if (Answer no = WhyNotType(p.dtype)) {
    return no;
  }
  if (p.hf32 && p.dtype != DType::kFp32) {
    return Refusal{"hf32", "1", Say("is a mode of fp32, dtype is ", Name(p.dtype)),
                   "give dtype fp32 or hf32 0"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> WhyNotForward(const Conv3dProblem& problem) {
  return FirstOf<Conv3dProblem>(
      {WhyNotType, WhyNotGroups, WhyNotLimits, WhyNotOutputPadding, WhyNotInput, WhyNotFilter}, problem);
}

std::optional<Refusal> WhyNot(const Conv3dProblem& problem) {
  return FirstOf<Conv3dProblem>({WhyNotForward, WhyNotTransposed, WhyNotWindow, WhyNotOutput}, problem);
}

}  // namespace tilesim
