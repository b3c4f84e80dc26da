// Random poolings of the shapes that small ones never are: each takes the planners to tilings of its own.
#ifndef TILESIM_TESTS_OPS_MAX_POOL_POOL_REGIMES_H_
#define TILESIM_TESTS_OPS_MAX_POOL_POOL_REGIMES_H_

#include <array>
#include <cstdint>
#include <random>

#include "ops/max_pool/pool_problem.h"

namespace tilesim::testing {

enum class PoolRegime : uint8_t {
  kLongRows,     // W up to 4096
  kWideStrides,  // 32 to 40, longer than the window: more than a repeat stride holds
  kDilated,      // up to 8
  kLongWindows,  // up to 2000 elements along one axis: more than UB holds
  kLargeWindows  // hundreds of elements over several axes
};

inline WindowAxis RandomRegimeAxis(std::mt19937& random, PoolRegime regime, bool is_long) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  WindowAxis axis{.in = pick(1, 5),
                  .kernel = pick(1, 3),
                  .stride = pick(1, 3),
                  .dilation = pick(1, 2),
                  .pad_before = pick(0, 2),
                  .pad_after = pick(0, 2)};
  switch (regime) {
    case PoolRegime::kLongRows:
      axis.in = is_long ? pick(500, 4096) : axis.in;
      axis.kernel = is_long ? pick(1, 9) : axis.kernel;
      break;
    case PoolRegime::kWideStrides:
      if (is_long || pick(0, 3) == 0) {
        axis.stride = pick(32, 40);
        axis.in = pick(40, is_long ? 400 : 80);
        axis.kernel = pick(1, 6);
      }
      break;
    case PoolRegime::kDilated:
      axis.dilation = pick(1, 8);
      axis.kernel = pick(2, 5);
      axis.in = pick(1, is_long ? 80 : 16);
      axis.pad_before = pick(0, 8);
      axis.pad_after = pick(0, 8);
      break;
    case PoolRegime::kLongWindows:
      if (is_long) {
        axis.kernel = pick(200, 2000);
        axis.in = axis.kernel + pick(0, 300);
        axis.stride = pick(20, 400);
        axis.dilation = 1;
        axis.pad_before = pick(0, 50);
        axis.pad_after = pick(0, 50);
      }
      break;
    case PoolRegime::kLargeWindows:
      axis.kernel = pick(3, 14);
      axis.in = pick(8, 16);
      axis.stride = pick(1, 16);
      axis.dilation = 1;
      break;
  }
  return axis;
}

// A legal problem of at most `most_taps` elements looked at: every type, layout, rounding, rule for NaN and
// order of argmax, 2D and 3D, 1 to 70 channels.
inline PoolProblem RandomPoolOf(PoolRegime regime, std::mt19937& random, double most_taps) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (;;) {
    PoolProblem p;
    p.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
    const bool is_2d = pick(0, 2) == 0;
    const bool channels_last = pick(0, 1) == 1;
    p.layout = is_2d ? (channels_last ? Format::kNHWC : Format::kNCHW)
                     : (channels_last ? Format::kNDHWC : Format::kNCDHW);
    p.batch = pick(1, 2);
    p.channels = pick(0, 2) == 0 ? pick(30, 70) : pick(1, 12);
    const int64_t long_axis = regime == PoolRegime::kLongWindows ? pick(is_2d ? 1 : 0, 2) : 2;
    const WindowAxis d = is_2d ? WindowAxis{} : RandomRegimeAxis(random, regime, long_axis == 0);
    const WindowAxis h = RandomRegimeAxis(random, regime, long_axis == 1);
    const WindowAxis w = RandomRegimeAxis(random, regime, long_axis == 2);
    p.windows = {.in = {d.in, h.in, w.in},
                 .kernel = {d.kernel, h.kernel, w.kernel},
                 .stride = {d.stride, h.stride, w.stride},
                 .dilation = {d.dilation, h.dilation, w.dilation},
                 .pad = {d.pad_before, d.pad_after, h.pad_before, h.pad_after, w.pad_before, w.pad_after}};
    p.rounding = static_cast<Rounding>(pick(0, 3));
    p.nan = static_cast<NanRule>(pick(0, 1));
    p.argmax = static_cast<ArgmaxOrder>(pick(0, 2));
    p.out = ForwardExtents(p.windows, p.rounding);
    const double elements =
        static_cast<double>(p.batch * p.channels) * static_cast<double>(d.in * h.in * w.in);
    if (!WhyNot(p) && p.Taps() < most_taps && elements < most_taps) {
      return p;
    }
  }
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_MAX_POOL_POOL_REGIMES_H_
