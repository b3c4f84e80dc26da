// How the arguments of the TensorFlow.js convolution gradients become a problem: the checks their op wrappers
// make, and those that nobody makes there. Runs nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/conv3d_backprop/conv3d_problem.h"
#include "ops/tfjs/arguments.h"

namespace tilesim::tfjs {

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

// `dataFormat` of a 2D convolution: "NHWC" or "NCHW".
Format FormatOf(std::string_view kernel, std::string_view data_format);

}  // namespace tilesim::tfjs
