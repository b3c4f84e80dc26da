#include "ops/conv3d_backprop/conv3d_problem.h"

#include <algorithm>
#include <cctype>
#include <vector>

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

std::string Joined(std::initializer_list<int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : "x") + std::to_string(number);
  }
  return text;
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
  double macs = 1;
  for (const int64_t extent :
       {batch, cout, out.d, out.h, out.w, CinPerGroup(), kernel.d, kernel.h, kernel.w}) {
    macs *= static_cast<double>(extent);
  }
  return macs;
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
  const Extents3& more = p.output_padding;
  const ConvAxis d = {p.in.d - more.d, p.kernel.d, p.stride.d, p.dilation.d, p.pad.front, p.pad.back};
  const ConvAxis h = {p.in.h - more.h, p.kernel.h, p.stride.h, p.dilation.h, p.pad.top, p.pad.bottom};
  const ConvAxis w = {p.in.w - more.w, p.kernel.w, p.stride.w, p.dilation.w, p.pad.left, p.pad.right};
  return {.d = ForwardExtent(d, p.rounding),
          .h = ForwardExtent(h, p.rounding),
          .w = ForwardExtent(w, p.rounding)};
}

Extents3 TransposedExtents(const Conv3dProblem& p) {
  const auto covered = [](int64_t out, int64_t kernel, int64_t stride, int64_t dilation) {
    return (out - 1) * stride + (kernel - 1) * dilation + 1;
  };
  return {.d = covered(p.out.d, p.kernel.d, p.stride.d, p.dilation.d) - p.pad.front - p.pad.back +
               p.output_padding.d,
          .h = covered(p.out.h, p.kernel.h, p.stride.h, p.dilation.h) - p.pad.top - p.pad.bottom +
               p.output_padding.h,
          .w = covered(p.out.w, p.kernel.w, p.stride.w, p.dilation.w) - p.pad.left - p.pad.right +
               p.output_padding.w};
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

}  // namespace tilesim
