// The arguments that TensorFlow.js' kernels of convolution and pooling have in common: what they mean, and
// which are refused, by the name of the kernel and the argument. Knows no operator.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/layout.h"
#include "formats/tensor.h"
#include "ops/cases/refusal.h"
#include "ops/cases/window.h"

namespace tilesim::tfjs {

// One number for all axes, or one an axis (depth), height, width. Made implicitly, so that a call reads as it
// does in JavaScript.
class PerAxis {
 public:
  PerAxis(int64_t all) : values_{all} {}
  PerAxis(std::initializer_list<int64_t> each) : values_(each) {}
  PerAxis(std::vector<int64_t> each) : values_(std::move(each)) {}
  [[nodiscard]] const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
};
using Strides = PerAxis;
using FilterSize = PerAxis;

// Two numbers an axis of the tensor, in the order of its format: ExplicitPads{{0,0},{1,0},{0,2},{0,0}}.
using ExplicitPads = std::vector<std::array<int64_t, 2>>;

// `pad`: "valid", "same", one number for every side, or explicit pads.
using Pad = std::variant<std::string, int64_t, ExplicitPads>;

[[noreturn]] void Refuse(std::string_view kernel, std::string_view argument, std::string found,
                         std::string allowed, std::string mend);

// What an operator's rules call a column of the case file, and what the call calls it.
struct ArgumentName {
  std::string_view column;
  std::string_view argument;
};
// Refuses what a rule of the operator does, under the names of the call's arguments.
void RequireNone(std::string_view kernel, const std::optional<Refusal>& no,
                 std::span<const ArgumentName> names);

// "[1,2,3]"
std::string Listed(const std::vector<int64_t>& numbers);

// Canonical extents of five axes (D = 1 in 2D) of a shape in the order of its format.
std::array<int64_t, 5> ExtentsOf(std::string_view kernel, std::string_view argument, Format format,
                                 const std::vector<int64_t>& shape, int64_t least_batch = 1);

// A number of one argument's shape that another argument determines.
struct SharedNumber {
  std::string_view what;  // "channels"
  int64_t found = 0;
  std::string_view other;  // the other argument
  int64_t wanted = 0;
};
void RequireSame(std::string_view kernel, std::string_view argument, const std::vector<int64_t>& shape,
                 const SharedNumber& shared);

// Each at least 1.
Extents3 PerAxisOf(std::string_view kernel, std::string_view argument, const PerAxis& given, bool is_2d);

// `dimRoundingMode`: "floor", "round", "ceil" or "" (floor); only with pads of numbers.
Rounding RoundingOf(std::string_view kernel, std::string_view mode, const Pad& pad);

// `windows` has all but its pads.
Pads PadsOf(std::string_view kernel, const Pad& pad, Format layout, const Windows& windows);

// The tensor's shape in the order of `format`, refused unless that is its format and its type `dtype` is one
// of those that the operators take.
std::vector<int64_t> ShapeOf(std::string_view kernel, std::string_view name, const Tensor& tensor,
                             Format format, DType dtype);

}  // namespace tilesim::tfjs
