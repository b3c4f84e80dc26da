#ifndef TILESIM_TESTS_OPS_MAX_POOL_RANDOM_POOL_H_
#define TILESIM_TESTS_OPS_MAX_POOL_RANDOM_POOL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/tensor.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim::testing {

inline std::string Description(const PoolProblem& p) {
  const Windows& w = p.windows;
  return Say(Name(p.dtype), " ", Name(p.layout), " x ", ShapeText(p.layout, p.XExtents()), " window ",
             Text(w.kernel), " stride ", Text(w.stride), " dilation ", Text(w.dilation), " pad ", Text(w.pad),
             " rounding ", Name(p.rounding), " nan ", Name(p.nan), " argmax ", Name(p.argmax));
}

// A random legal problem of at most `most_taps` elements looked at: every type, layout, rounding, rule for
// NaN and order of argmax, 2D and 3D, overlapping windows and gaps, asymmetric pads larger than the window
// too, dilation.
inline PoolProblem RandomPool(std::mt19937& random, double most_taps) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const auto one_of = [&](const auto& values) {
    return values[static_cast<size_t>(pick(0, static_cast<int64_t>(values.size()) - 1))];
  };
  for (;;) {
    PoolProblem p;
    p.dtype = one_of(std::array{DType::kFp16, DType::kBf16, DType::kFp32});
    const bool channels_last = pick(0, 1) == 1;
    const bool is_2d = pick(0, 2) == 0;
    p.layout = is_2d ? (channels_last ? Format::kNHWC : Format::kNCHW)
                     : (channels_last ? Format::kNDHWC : Format::kNCDHW);
    p.batch = pick(1, 3);
    p.channels = pick(0, 2) == 0 ? 1 : pick(1, 70);
    p.windows = {.in = {is_2d ? 1 : pick(1, 6), pick(1, 10), pick(1, 12)},
                 .kernel = {is_2d ? 1 : pick(1, 3), pick(1, 4), pick(1, 5)},
                 .stride = {is_2d ? 1 : pick(1, 4), pick(1, 5), pick(1, 6)},
                 .dilation = {is_2d ? 1 : pick(1, 2), pick(1, 3), pick(1, 3)},
                 .pad = {}};
    if (pick(0, 2) != 0) {
      const int64_t most = pick(0, 3) == 0 ? 9 : 2;
      p.windows.pad = {is_2d ? 0 : pick(0, most),
                       is_2d ? 0 : pick(0, most),
                       pick(0, most),
                       pick(0, most),
                       pick(0, most),
                       pick(0, most)};
    }
    p.rounding =
        one_of(std::array{Rounding::kFloor, Rounding::kCeil, Rounding::kRound, Rounding::kCeilInBounds});
    p.nan = one_of(std::array{NanRule::kPropagate, NanRule::kIgnore});
    p.argmax = one_of(std::array{ArgmaxOrder::kPlane, ArgmaxOrder::kNhwc, ArgmaxOrder::kBatchNhwc});
    p.out = ForwardExtents(p.windows, p.rounding);
    if (!WhyNot(p) && p.Taps() < most_taps) {
      return p;
    }
  }
}

// Whole numbers 0..most, so that windows hold ties; with `odd` one element of eight is NaN or -inf.
inline Tensor TiedTensor(DType dtype, const Layout& layout, std::mt19937& random, int64_t most, bool odd) {
  Tensor tensor(dtype, layout);
  for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
    const auto kind = std::uniform_int_distribution<int>(0, 15)(random);
    double value = static_cast<double>(std::uniform_int_distribution<int64_t>(0, most)(random));
    if (odd && kind < 2) {
      value = kind == 0 ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
    }
    tensor.Set(layout.Coord(i), value);
  }
  return tensor;
}

// A different whole number in each element.
inline Tensor DistinctTensor(DType dtype, const Layout& layout, std::mt19937& random) {
  std::vector<int64_t> values(static_cast<size_t>(layout.LogicalElements()));
  std::iota(values.begin(), values.end(), -static_cast<int64_t>(values.size() / 2));
  std::shuffle(values.begin(), values.end(), random);
  Tensor tensor(dtype, layout);
  for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
    tensor.Set(layout.Coord(i), static_cast<double>(values[static_cast<size_t>(i)]));
  }
  return tensor;
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_MAX_POOL_RANDOM_POOL_H_
