#pragma once
#include <algorithm>
#include <random>

#include "tiling/conv_backprop/input_problem.h"

namespace tilesim::testing {

// A consistent problem of modest size: prime and round extents, any stride (also beyond the kernel), dilation
// and pads on any side, now and then a very wide one or a transposed one with output padding.
inline InputProblem RandomInputProblem(std::mt19937_64& random, DType dtype, int64_t groups) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const auto channels = [&] { return pick(0, 1) == 0 ? pick(1, 90) : 16 * pick(1, 20); };
  const auto out = [](int64_t in, int64_t pads, int64_t kernel, int64_t dilation, int64_t stride) {
    const int64_t room = in + pads - (kernel - 1) * dilation - 1;
    return room < 0 ? 0 : room / stride + 1;
  };
  while (true) {
    InputProblem p;
    p.dtype = dtype;
    p.groups = groups;
    p.batch = pick(1, 4);
    p.cin = groups == 1 ? channels() : groups * pick(1, 20);
    p.cout = groups == 1 ? channels() : groups * pick(1, 20);
    p.dk = pick(1, 3), p.hk = pick(1, 5), p.wk = pick(1, 5);
    p.stride_d = pick(1, 4), p.stride_h = pick(1, 6), p.stride_w = pick(1, 6);
    if (pick(0, 1) == 0) {
      p.stride_d = p.stride_h = p.stride_w = 1;
    }
    p.dilation_d = pick(1, 2), p.dilation_h = pick(1, pick(0, 9) == 0 ? 40 : 3), p.dilation_w = pick(1, 2);
    p.pad_front = pick(0, 2), p.pad_back = pick(0, 2), p.pad_up = pick(0, 2), p.pad_down = pick(0, 2);
    p.pad_left = pick(0, 2), p.pad_right = pick(0, 2);
    p.di = pick(1, 9), p.hi = pick(1, 60), p.wi = pick(1, pick(0, 3) == 0 ? 1500 : 80);
    p.dout = out(p.di, p.pad_front + p.pad_back, p.dk, p.dilation_d, p.stride_d);
    p.ho = out(p.hi, p.pad_up + p.pad_down, p.hk, p.dilation_h, p.stride_h);
    p.wo = out(p.wi, p.pad_left + p.pad_right, p.wk, p.dilation_w, p.stride_w);
    if (std::min({p.dout, p.ho, p.wo}) > 0 && pick(0, 4) == 0) {
      p.transpose = true;
      p.output_pad_d = pick(0, std::max(p.stride_d, p.dilation_d) - 1);
      p.output_pad_h = pick(0, std::max(p.stride_h, p.dilation_h) - 1);
      p.output_pad_w = pick(0, std::max(p.stride_w, p.dilation_w) - 1);
      DeriveTransposedSizes(p);
    }
    if (WhyNot(p).empty()) {
      return p;
    }
  }
}

}  // namespace tilesim::testing
