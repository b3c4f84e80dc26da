// A pooling that asks for each element by its coordinate.
#ifndef TILESIM_TESTS_OPS_MAX_POOL_COORDINATE_POOL_H_
#define TILESIM_TESTS_OPS_MAX_POOL_COORDINATE_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <vector>

#include "formats/tensor.h"
#include "ops/max_pool/pool_problem.h"

namespace tilesim::testing {

inline std::vector<int64_t> Coord(const PoolProblem& p, int64_t n, int64_t c, const Extents3& at) {
  return p.Is2d() ? std::vector{n, c, at.h, at.w} : std::vector{n, c, at.d, at.h, at.w};
}

// In the words of the case file's columns `nan` and `argmax`.
struct CoordinateMaximum {
  double value = -std::numeric_limits<double>::infinity();
  int64_t index = -1;
};

inline CoordinateMaximum MaximumOf(const PoolProblem& p, const Tensor& x, int64_t n, int64_t c,
                                   const Extents3& o) {
  const Windows& w = p.windows;
  CoordinateMaximum best;
  for (int64_t kd = 0; kd < w.kernel.d; ++kd) {
    for (int64_t kh = 0; kh < w.kernel.h; ++kh) {
      for (int64_t kw = 0; kw < w.kernel.w; ++kw) {
        const Extents3 at = {o.d * w.stride.d + kd * w.dilation.d - w.pad.front,
                             o.h * w.stride.h + kh * w.dilation.h - w.pad.top,
                             o.w * w.stride.w + kw * w.dilation.w - w.pad.left};
        if (at.d < 0 || at.d >= w.in.d || at.h < 0 || at.h >= w.in.h || at.w < 0 || at.w >= w.in.w) {
          continue;
        }
        const int64_t plane = (at.d * w.in.h + at.h) * w.in.w + at.w;
        const std::map<ArgmaxOrder, int64_t> indices = {
            {ArgmaxOrder::kPlane, plane},
            {ArgmaxOrder::kNhwc, plane * p.channels + c},
            {ArgmaxOrder::kBatchNhwc, (n * w.in.d * w.in.h * w.in.w + plane) * p.channels + c}};
        const double value = x.Get(Coord(p, n, c, at));
        const bool first = best.index == -1 && p.nan == NanRule::kPropagate;
        const bool nan_wins = std::isnan(value) && p.nan == NanRule::kPropagate;
        if (value > best.value || nan_wins || first) {
          best = {value, indices.at(p.argmax)};
        }
      }
    }
  }
  return best;
}

// Calls visit(n, c, o, index of the output in canonical order).
template <class Visit>
void ForEachOutput(const PoolProblem& p, const Visit& visit) {
  size_t index = 0;
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t c = 0; c < p.channels; ++c) {
      for (int64_t d = 0; d < p.out.d; ++d) {
        for (int64_t h = 0; h < p.out.h; ++h) {
          for (int64_t w = 0; w < p.out.w; ++w) {
            visit(n, c, Extents3{d, h, w}, index++);
          }
        }
      }
    }
  }
}

// x as a tensor of one plane, and the pooling of it.
struct Plane {
  PoolProblem problem;
  Tensor x;
};
inline Plane PlaneOf(Extents3 in, Extents3 kernel, std::initializer_list<double> values, NanRule nan) {
  PoolProblem p;
  p.dtype = DType::kFp32;
  p.windows = {.in = in, .kernel = kernel, .stride = kernel, .dilation = {}, .pad = {}};
  p.out = ForwardExtents(p.windows, p.rounding);
  p.nan = nan;
  Tensor x(DType::kFp32, p.XLayout());
  std::ranges::transform(values, x.As<float>().begin(), [](double v) { return static_cast<float>(v); });
  return {p, x};
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_MAX_POOL_COORDINATE_POOL_H_
