// A window that walks over D, H and W: what convolutions and pooling have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/layout.h"

namespace tilesim {

// How the quotient in the size of the forward output becomes whole.
enum class Rounding : uint8_t {
  kFloor,
  kRound,         // half up
  kCeil,          // every window counts
  kCeilInBounds,  // windows that start past the input and its front padding are dropped, however many
};
std::string_view Name(Rounding rounding);
std::optional<Rounding> ParseRounding(std::string_view name);

// One number for each of the axes D, H, W.
struct Extents3 {
  int64_t d = 1;
  int64_t h = 1;
  int64_t w = 1;
  friend bool operator==(const Extents3&, const Extents3&) = default;
};
std::string Text(const Extents3& extents);  // "3x2x1"

struct Pads {
  int64_t front = 0;
  int64_t back = 0;
  int64_t top = 0;
  int64_t bottom = 0;
  int64_t left = 0;
  int64_t right = 0;
  friend bool operator==(const Pads&, const Pads&) = default;
};
std::string Text(const Pads& pads);  // "1x1x0x0x2x1"

// Canonical extents in the order of the format, as the case file writes a shape: "2x32x16x32x32".
std::string ShapeText(Format format, const std::vector<int64_t>& extents);

// The walk along one axis.
struct WindowAxis {
  int64_t in = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;
};

// Windows along one axis; may be less than 1 when none fits.
int64_t ForwardExtent(const WindowAxis& axis, Rounding rounding);

// The walk along all axes.
struct Windows {
  Extents3 in;
  Extents3 kernel;
  Extents3 stride;
  Extents3 dilation;
  Pads pad;

  [[nodiscard]] WindowAxis D() const;
  [[nodiscard]] WindowAxis H() const;
  [[nodiscard]] WindowAxis W() const;
};
Extents3 ForwardExtents(const Windows& windows, Rounding rounding);
// The pads of pad=same: ceil(in / stride) windows an axis, the odd zero behind. Those of `windows` are not
// asked for.
Pads SamePads(const Windows& windows);

}  // namespace tilesim
