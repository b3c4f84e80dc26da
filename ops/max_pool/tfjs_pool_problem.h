// How the arguments of TensorFlow.js' max poolings and their gradients become a problem: the checks their op
// wrappers make, and those that nobody makes there. Runs nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/max_pool/pool_problem.h"
#include "ops/tfjs/arguments.h"

namespace tilesim::tfjs {

// A tensor of the shape of the result, which a gradient is given.
struct OfResult {
  std::string_view name;  // "dy" or "output"
  std::vector<int64_t> shape;
};

// One call.
struct PoolCall {
  std::string_view kernel;        // for messages, such as "MaxPoolGrad"
  std::string_view x_name = "x";  // what the caller calls the input: "x" or "input"
  DType dtype = DType::kFp32;
  Format layout = Format::kNHWC;
  std::vector<int64_t> x_shape;
  FilterSize filter_size = 1;
  Strides strides = 1;
  Pad pad = "valid";
  std::string_view dim_rounding_mode = "";  // none, as floor
  bool include_batch_in_index = false;
  std::vector<OfResult> of_result = {};
};

// The problem of a call: NaN never wins, an argmax counts over NHWC. Throws RefusedInput, by the name of the
// kernel and the argument, for whatever TensorFlow.js refuses or silently answers with garbage.
PoolProblem ProblemOf(const PoolCall& call);

// `dataFormat` of a 3D pooling: "NDHWC" or "NCDHW".
Format PoolFormatOf(std::string_view kernel, std::string_view data_format);

}  // namespace tilesim::tfjs
