// How the arguments of the TensorFlow.js convolution gradients become a problem: the checks their op wrappers
// make, and those that nobody makes there. Runs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/layout.h"
#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim::tfjs {

// `strides`: one number for all axes, or one an axis (depth), height, width. Made implicitly, so that a call
// reads as it does in JavaScript.
class Strides {
 public:
  Strides(int64_t all) : values_{all} {}
  Strides(std::initializer_list<int64_t> each) : values_(each) {}
  Strides(std::vector<int64_t> each) : values_(std::move(each)) {}
  [[nodiscard]] const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
};

// Two numbers an axis of the tensor, in the order of its format: ExplicitPads{{0,0},{1,0},{0,2},{0,0}}.
using ExplicitPads = std::vector<std::array<int64_t, 2>>;

// `pad`: "valid", "same", one number for every side, or explicit pads.
using Pad = std::variant<std::string, int64_t, ExplicitPads>;

// One call. `x` is the input of the forward convolution, given as a shape or as a tensor.
struct ConvCall {
  std::string_view kernel;  // for messages, such as "Conv3DBackpropInputV2"
  std::string_view x_name;  // what the caller calls the shapes: "inputShape" or "x"
  std::string_view filter_name;
  DType dtype = DType::kFp32;
  Format layout = Format::kNDHWC;  // of x and dy; shapes are in its order
  std::vector<int64_t> x_shape;
  std::vector<int64_t> filter_shape;  // DHWIO or HWIO
  std::vector<int64_t> dy_shape;
  Strides strides = 1;
  Pad pad = "valid";
  std::string_view dim_rounding_mode = "";  // none, as floor
};

// The problem of a call. Throws RefusedInput, by the name of the kernel and the argument, for whatever
// TensorFlow.js refuses or silently answers with NaN, zeros or garbage.
Conv3dProblem ProblemOf(const ConvCall& call);

// The tensor's shape in the order of `format`, refused unless that is its format and its type `dtype` is one
// of those that convolutions take.
std::vector<int64_t> ShapeOf(std::string_view kernel, std::string_view name, const Tensor& tensor,
                             Format format, DType dtype);

// `dataFormat` of a 2D convolution: "NHWC" or "NCHW".
Format FormatOf(std::string_view kernel, std::string_view data_format);

}  // namespace tilesim::tfjs
