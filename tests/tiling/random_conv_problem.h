#pragma once
#include <array>
#include <cmath>
#include <random>

#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim::testing {

// Numbers as the tests want them, from one source.
class Draw {
 public:
  explicit Draw(std::mt19937_64& random) : random_(random) {}

  int64_t Pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  // Of any order of magnitude.
  int64_t Large(double most) {
    return std::llround(std::exp(std::uniform_real_distribution<double>(0, std::log(most))(random_)));
  }
  // Prime and round numbers of channels.
  int64_t Channels() { return Pick(0, 1) == 0 ? Pick(1, 90) : 16 * Pick(1, 20); }

 private:
  std::mt19937_64& random_;
};

// dout, ho and wo that follow from the rest; 0 where the window does not fit.
inline void DeriveOutputs(ConvProblem& p) {
  const auto out = [](const ConvAxis& axis) {
    const int64_t room = axis.in + axis.pad_before + axis.pad_after - axis.window();
    return room < 0 ? 0 : room / axis.stride + 1;
  };
  const ConvProblem& given = p;
  p.dout = out(AxisD(given));
  p.ho = out(AxisH(given));
  p.wo = out(AxisW(given));
}

// Extents of any order of magnitude; `most_wk` is the gradient's limit or near it.
template <class Problem>
Problem ProblemOfAnySize(std::mt19937_64& random, double most_wk) {
  Draw draw(random);
  while (true) {
    Problem p;
    p.dtype = std::array{DType::kFp16, DType::kFp32, DType::kBf16}[static_cast<size_t>(draw.Pick(0, 2))];
    p.groups = draw.Pick(0, 3) == 0 ? draw.Large(100) : 1;
    p.batch = draw.Large(10000), p.cin = p.groups * draw.Large(1000), p.cout = p.groups * draw.Large(1000);
    p.dk = draw.Large(20), p.hk = draw.Large(60), p.wk = draw.Large(most_wk);
    p.stride_d = draw.Large(30), p.stride_h = draw.Large(63), p.stride_w = draw.Large(63);
    p.dilation_d = draw.Large(10), p.dilation_h = draw.Large(30), p.dilation_w = draw.Large(30);
    p.pad_front = draw.Pick(0, 5), p.pad_up = draw.Pick(0, 20), p.pad_left = draw.Pick(0, 20);
    p.di = draw.Large(10000), p.hi = draw.Large(10000), p.wi = draw.Large(10000);
    DeriveOutputs(p);
    if (WhyNot(p).empty()) {
      return p;
    }
  }
}

}  // namespace tilesim::testing
