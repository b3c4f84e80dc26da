#pragma once
#include <random>

#include "tests/tiling/random_conv_problem.h"
#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// A consistent problem of modest size: prime and round extents, strides, dilations, pads on any side.
inline FilterProblem RandomFilterProblem(std::mt19937_64& random, DType dtype, int64_t groups) {
  Draw draw(random);
  while (true) {
    FilterProblem p;
    p.dtype = dtype;
    p.groups = groups;
    p.batch = draw.Pick(1, 4);
    p.cin = groups == 1 ? draw.Channels() : groups * draw.Pick(1, 20);
    p.cout = groups == 1 ? draw.Channels() : groups * draw.Pick(1, 20);
    p.dk = draw.Pick(1, 3), p.hk = draw.Pick(1, 5), p.wk = draw.Pick(1, 5);
    p.stride_d = draw.Pick(1, 2), p.stride_h = draw.Pick(1, 3), p.stride_w = draw.Pick(1, 3);
    p.dilation_d = draw.Pick(1, 2), p.dilation_h = draw.Pick(1, 3), p.dilation_w = draw.Pick(1, 2);
    p.pad_front = draw.Pick(0, 2), p.pad_back = draw.Pick(0, 2), p.pad_up = draw.Pick(0, 2),
    p.pad_down = draw.Pick(0, 2);
    p.pad_left = draw.Pick(0, 2), p.pad_right = draw.Pick(0, 2);
    p.di = draw.Pick(1, 9), p.hi = draw.Pick(1, 60), p.wi = draw.Pick(1, draw.Pick(0, 3) == 0 ? 1500 : 80);
    DeriveOutputs(p);
    if (WhyNot(p).empty()) {
      return p;
    }
  }
}

}  // namespace tilesim::testing
