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
#include <optional>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/tfjs_problem.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim::tfjs {

// Where and how a call runs.
struct Options {
  std::optional<SocConfig> soc = std::nullopt;  // none: ascend910b2
  bool hazards = true;                          // look for hazards and reads of unwritten bytes
  int threads = 0;                              // of the host; 0: all
  LaunchResult* launch = nullptr;               // if given: cycles and statistics of the run
};

// Gradient of a 3D convolution with respect to its filter, in fp32, DHWIO of shape `filter_shape`.
// x, dy: NDHWC; both fp16, bf16 or fp32.
// strides: one number, or depth, height, width.
// pad: "valid", "same", one number, or (beyond TensorFlow.js) explicit pads of N, D, H, W, C.
// Differs from TensorFlow.js: "same" never begins before the input, which matters for strides larger than the
// kernel.
Tensor Conv3DBackpropFilterV2(Tensor x, Tensor dy, const std::vector<int64_t>& filter_shape,
                              const Strides& strides, const Pad& pad, const Options& options = {});

}  // namespace tilesim::tfjs
