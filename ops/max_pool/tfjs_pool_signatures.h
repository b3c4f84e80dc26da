// The max poolings of TensorFlow.js and their gradients by their names and arguments, planned by planner op
// and run on the simulated part:
//
//   Tensor y = tfjs::MaxPool(x, 3, 2, "same");
//   Tensor dx = tfjs::MaxPoolGrad(dy, x, y, 3, 2, "same");
//
// Tensors are channels last, fp16, bf16 or fp32. Results equal those of the CPU kernels of TensorFlow.js 4.22
// wherever these are right; where they are not, those of TensorFlow (docs/max_pool.md has the list). What the
// kernels answer with garbage is refused with a UserError that names the argument.
// filter_size, strides: one number, or (depth,) height, width. pad: "valid", "same", one number, or explicit
// pads of each axis of the tensor. dim_rounding_mode: "floor", "round" (half up), "ceil" or "" (floor); only
// with a pad of numbers. NaN never wins, the first of equal maxima does. A window without numbers gives -inf:
// in fp16 and bf16 the hardware's default is the least finite value instead (numerics.ieee = 1 keeps -inf).
#pragma once

#include <string_view>

#include "formats/tensor.h"
#include "ops/max_pool/tfjs_pool_problem.h"
#include "ops/tfjs/calls.h"

namespace tilesim::tfjs {

// x: NHWC.
Tensor MaxPool(Tensor x, const FilterSize& filter_size, const Strides& strides, const Pad& pad,
               std::string_view dim_rounding_mode = "", const Options& options = {});

// x: in `data_format`, "NDHWC" or (which TensorFlow.js indexes wrongly) "NCDHW".
Tensor MaxPool3D(Tensor x, const FilterSize& filter_size, const Strides& strides, const Pad& pad,
                 std::string_view dim_rounding_mode = "", std::string_view data_format = "NDHWC",
                 const Options& options = {});

struct ResultAndIndexes {
  Tensor result;
  Tensor
      indexes;  // int32: ((h * W) + w) * C + c, with the batch in it (n * H + h) * W and so on; -1 for none
};
// x: NHWC.
ResultAndIndexes MaxPoolWithArgmax(Tensor x, const FilterSize& filter_size, const Strides& strides,
                                   const Pad& pad, bool include_batch_in_index, const Options& options = {});

// dx of dy, NHWC; `output` is what MaxPool gave for `input`: only its shape is looked at, the maxima are
// found again.
Tensor MaxPoolGrad(Tensor dy, Tensor input, const Tensor& output, const FilterSize& filter_size,
                   const Strides& strides, const Pad& pad, std::string_view dim_rounding_mode = "",
                   const Options& options = {});
// The same, NDHWC.
Tensor MaxPool3DGrad(Tensor dy, Tensor input, const Tensor& output, const FilterSize& filter_size,
                     const Strides& strides, const Pad& pad, std::string_view dim_rounding_mode = "",
                     const Options& options = {});

}  // namespace tilesim::tfjs
