#include "ops/cases/window.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

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

int64_t SamePad(const WindowAxis& axis) {
  return std::max<int64_t>(
      0, (CeilDiv(axis.in, axis.stride) - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.in);
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

int64_t ForwardExtent(const WindowAxis& axis, Rounding rounding) {
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
  return std::min(FloorDiv(room + stride - 1, stride) + 1, CeilDiv(axis.in + axis.pad_before, stride));
}

WindowAxis Windows::D() const { return {in.d, kernel.d, stride.d, dilation.d, pad.front, pad.back}; }
WindowAxis Windows::H() const { return {in.h, kernel.h, stride.h, dilation.h, pad.top, pad.bottom}; }
WindowAxis Windows::W() const { return {in.w, kernel.w, stride.w, dilation.w, pad.left, pad.right}; }

Extents3 ForwardExtents(const Windows& windows, Rounding rounding) {
  return {.d = ForwardExtent(windows.D(), rounding),
          .h = ForwardExtent(windows.H(), rounding),
          .w = ForwardExtent(windows.W(), rounding)};
}

Pads SamePads(const Windows& windows) {
  const int64_t d = SamePad(windows.D());
  const int64_t h = SamePad(windows.H());
  const int64_t w = SamePad(windows.W());
  return {.front = d / 2,
          .back = d - d / 2,
          .top = h / 2,
          .bottom = h - h / 2,
          .left = w / 2,
          .right = w - w / 2};
}

}  // namespace tilesim
