#pragma once
#include <string>

#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// bench_01 of the twenty layers.
template <class Problem>
Problem BenchLayer() {
  Problem p;
  p.batch = 2, p.cin = 32, p.di = 16, p.hi = 32, p.wi = 32;
  p.cout = 64, p.dout = 14, p.ho = 30, p.wo = 30;
  p.dk = p.hk = p.wk = 3;
  return p;
}

// A layer that keeps its size, padded by one on all sides.
template <class Problem>
Problem PaddedLayer() {
  Problem p;
  p.batch = 2, p.cin = 64, p.di = 8, p.hi = 32, p.wi = 32;
  p.cout = 128, p.dout = 8, p.ho = 32, p.wo = 32, p.dk = p.hk = p.wk = 3;
  p.pad_front = p.pad_back = p.pad_up = p.pad_down = p.pad_left = p.pad_right = 1;
  return p;
}

// A line for each reason.
inline std::string Told(const Rejections& reasons) {
  std::string text;
  for (const Rejection& reason : reasons) {
    text += Sentence(reason) + "\n";
  }
  return text;
}

}  // namespace tilesim::testing
