#pragma once
#include <algorithm>
#include <random>

#include "tests/tiling/random_conv_problem.h"
#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// A consistent problem of modest size: prime and round extents, any stride (also beyond the kernel), dilation
// and pads on any side, now and then a very wide one or a transposed one with output padding.
inline InputProblem RandomInputProblem(std::mt19937_64& random, DType dtype, int64_t groups) {
  Draw draw(random);
  while (true) {
    InputProblem p;
    p.dtype = dtype;
    p.groups = groups;
    p.batch = draw.Pick(1, 4);
    p.cin = groups == 1 ? draw.Channels() : groups * draw.Pick(1, 20);
    p.cout = groups == 1 ? draw.Channels() : groups * draw.Pick(1, 20);
    p.dk = draw.Pick(1, 3), p.hk = draw.Pick(1, 5), p.wk = draw.Pick(1, 5);
    p.stride_d = draw.Pick(1, 4), p.stride_h = draw.Pick(1, 6), p.stride_w = draw.Pick(1, 6);
    if (draw.Pick(0, 1) == 0) {
      p.stride_d = p.stride_h = p.stride_w = 1;
    }
    p.dilation_d = draw.Pick(1, 2), p.dilation_h = draw.Pick(1, draw.Pick(0, 9) == 0 ? 40 : 3),
    p.dilation_w = draw.Pick(1, 2);
    p.pad_front = draw.Pick(0, 2), p.pad_back = draw.Pick(0, 2), p.pad_up = draw.Pick(0, 2),
    p.pad_down = draw.Pick(0, 2);
    p.pad_left = draw.Pick(0, 2), p.pad_right = draw.Pick(0, 2);
    p.di = draw.Pick(1, 9), p.hi = draw.Pick(1, 60), p.wi = draw.Pick(1, draw.Pick(0, 3) == 0 ? 1500 : 80);
    DeriveOutputs(p);
    if (std::min({p.dout, p.ho, p.wo}) > 0 && draw.Pick(0, 4) == 0) {
      p.transpose = true;
      p.output_pad_d = draw.Pick(0, std::max(p.stride_d, p.dilation_d) - 1);
      p.output_pad_h = draw.Pick(0, std::max(p.stride_h, p.dilation_h) - 1);
      p.output_pad_w = draw.Pick(0, std::max(p.stride_w, p.dilation_w) - 1);
      DeriveTransposedSizes(p);
    }
    if (WhyNot(p).empty()) {
      return p;
    }
  }
}

}  // namespace tilesim::testing
