// The convolution gradients of TensorFlow.js by their names and arguments, planned by planner op and run on
// the simulated part:
//
//   Tensor dx = tfjs::Conv3DBackpropInputV2(dy, filter, {1, 4, 5, 6, 7}, {2, 1, 1}, "same");
//
// Results equal those of the CPU kernels of TensorFlow.js 4.22 wherever these are right; where they are not,
// those of TensorFlow and PyTorch. What the kernels answer with NaN, zeros or garbage is refused with a
// UserError that names the argument (docs/backprop_input.md has the list).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/tfjs_problem.h"
#include "ops/tfjs/calls.h"

namespace tilesim::tfjs {

// Gradient of a 3D convolution with respect to its input: NDHWC of shape `input_shape`, of dy's type.
// dy: NDHWC; filter: DHWIO; both fp16, bf16 or fp32.
// strides: one number, or depth, height, width.
// pad: "valid", "same", one number, or (beyond TensorFlow.js) explicit pads of N, D, H, W, C.
// Differs from TensorFlow.js: "same" never begins before the input, which matters for strides larger than the
// kernel. fp16 results beyond 65504 saturate, as the hardware does (numerics.ieee = 1 keeps infinities).
Tensor Conv3DBackpropInputV2(Tensor dy, Tensor filter, const std::vector<int64_t>& input_shape,
                             const Strides& strides, const Pad& pad, const Options& options = {});

// The same in 2D: dx has shape `input_shape` in the order of `data_format`, "NHWC" or "NCHW", which is dy's
// format too; the filter is HWIO for both.
// strides: one number, or height, width.
// pad: "valid", "same", one number, or explicit pads of the axes of `data_format`.
// dim_rounding_mode: how the size of the forward output became whole: "floor", "round" (half up), "ceil" or
// "" (floor); only with a pad of numbers. Differs from TensorFlow.js: a number pads each axis by its own
// kernel and stride, not by those in height.
Tensor Conv2DBackpropInput(Tensor dy, Tensor filter, const std::vector<int64_t>& input_shape,
                           const Strides& strides, const Pad& pad, std::string_view data_format,
                           std::string_view dim_rounding_mode = "", const Options& options = {});

// Gradient of a 3D convolution with respect to its filter, in fp32, DHWIO of shape `filter_shape`.
// x, dy: NDHWC; both fp16, bf16 or fp32.
// strides: one number, or depth, height, width.
// pad: "valid", "same", one number, or (beyond TensorFlow.js) explicit pads of N, D, H, W, C.
// Differs from TensorFlow.js: "same" never begins before the input, which matters for strides larger than the
// kernel.
Tensor Conv3DBackpropFilterV2(Tensor x, Tensor dy, const std::vector<int64_t>& filter_shape,
                              const Strides& strides, const Pad& pad, const Options& options = {});

}  // namespace tilesim::tfjs
