#include "ops/cases/window_rules.h"

#include <algorithm>

#include "formats/error.h"

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

// Of an extent that is out of its bounds.
std::string Mend(bool too_small, bool is_batch) {
  if (is_batch) {
    return too_small ? "0 gives an empty result" : "give a smaller batch";
  }
  return too_small ? "give the shape of a tensor that is not empty" : "give smaller extents";
}

}  // namespace

Answer WhyNotShape(std::string_view column, Format format, const std::vector<int64_t>& extents,
                   const ShapeLimits& limits) {
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const bool may_be_empty = axis == 0 && limits.least_batch == 0;
    const int64_t least = may_be_empty ? 0 : 1;
    if (extents[axis] < least || extents[axis] > limits.extent) {
      return Refusal{std::string(column), ShapeText(format, extents),
                     Say(may_be_empty ? "the batch" : "each extent", " must be ", least, " to ",
                         limits.extent, ", found ", extents[axis]),
                     Mend(extents[axis] < least, may_be_empty)};
    }
  }
  if (Elements(extents) > static_cast<double>(limits.elements)) {
    return Refusal{std::string(column), ShapeText(format, extents),
                   Say("a tensor may have at most ", limits.elements, " elements, found ", Elements(extents)),
                   "give smaller extents"};
  }
  return std::nullopt;
}

Answer WhyNotAxes(std::string_view column, const std::string& found, int64_t least,
                  std::initializer_list<AxisBound> bounds, std::string_view why) {
  for (const AxisBound& bound : bounds) {
    if (bound.value < least || bound.value > bound.most) {
      return Refusal{std::string(column), found,
                     Say(bound.axis, " must be ", least, " to ", bound.most, ", found ", bound.value),
                     Say(bound.axis, " ", std::max(least, std::min(bound.value, bound.most)), " fits", why)};
    }
  }
  return std::nullopt;
}

Answer WhyNotStride(const Extents3& stride, const Extents3& most) {
  return WhyNotAxes("stride", Text(stride), 1,
                    {{"depth", stride.d, most.d}, {"height", stride.h, most.h}, {"width", stride.w, most.w}});
}

Answer WhyNotDilation(const Extents3& dilation, int64_t most) {
  return WhyNotAxes("dilation", Text(dilation), 1,
                    {{"depth", dilation.d, most}, {"height", dilation.h, most}, {"width", dilation.w, most}});
}

Answer WhyNotPads(const Pads& pads, int64_t most) {
  return WhyNotAxes("pad", Text(pads), 0,
                    {{"front", pads.front, most},
                     {"back", pads.back, most},
                     {"top", pads.top, most},
                     {"bottom", pads.bottom, most},
                     {"left", pads.left, most},
                     {"right", pads.right, most}});
}

Answer WhyNotType(DType dtype) {
  return dtype == DType::kFp16 || dtype == DType::kBf16 || dtype == DType::kFp32
             ? std::nullopt
             : Answer(Refusal{"dtype", std::string(Name(dtype)), "must be fp16, bf16 or fp32",
                              "convert the tensors"});
}

Answer WhyNotWindow(const Windows& windows, const std::string& filter) {
  struct Named {
    std::string_view name;
    WindowAxis axis;
  };
  std::string spans;
  std::string fits;
  for (const auto& [name, axis] :
       {Named{"depth", windows.D()}, Named{"height", windows.H()}, Named{"width", windows.W()}}) {
    const int64_t window = (axis.kernel - 1) * axis.dilation + 1;
    const int64_t padded = axis.in + axis.pad_before + axis.pad_after;
    if (window > padded) {
      const std::string_view comma = spans.empty() ? "" : ", ";
      spans += Say(comma, window, " in ", name, ", the padded input only ", padded);
      fits += Say(comma, (padded - 1) / axis.dilation + 1, " in ", name);
    }
  }
  return spans.empty()
             ? std::nullopt
             : Answer(Refusal{
                   "filter", filter, Say("the window (kernel with dilation) spans ", spans),
                   Say("a kernel of at most ", fits, " fits, as do enough input, padding or less dilation")});
}

Answer WhyNotOutput(const Windows& windows, Rounding rounding, Format layout,
                    const std::vector<int64_t>& in_extents, const std::vector<int64_t>& out_extents,
                    const ShapeLimits& limits) {
  const Extents3 out = ForwardExtents(windows, rounding);
  std::vector<int64_t> right = out_extents;
  right[right.size() - 1] = out.w;
  right[right.size() - 2] = out.h;
  if (right.size() == 5) {
    right[2] = out.d;
  }
  const std::string shape = ShapeText(layout, right);
  if (std::min({out.d, out.h, out.w}) < 1) {
    return Refusal{"rounding", std::string(Name(rounding)),
                   Say("leaves no window, the output would be ", shape), "use floor"};
  }
  if (right != out_extents) {
    return Refusal{"output", ShapeText(layout, out_extents),
                   Say("input, filter, stride, pad, dilation and rounding give ", shape),
                   "give that shape or leave it out"};
  }
  Answer no = WhyNotShape("output", layout, out_extents, limits);
  if (no) {  // the output only follows: what it follows from is named
    const bool padded = windows.pad != Pads();
    no->allowed = Say("gives the output ", shape, ", ", no->allowed);
    no->where = padded ? "pad" : "input";
    no->found = padded ? Text(windows.pad) : ShapeText(layout, in_extents);
    no->mend = padded ? "give less padding" : "give a smaller input";
  }
  return no;
}

}  // namespace tilesim
