// A max pooling by the plainest loops there are, written for the tests of the tile program alone.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "tiling/max_pool/pool_shape.h"

namespace tilesim::testing {

struct NaivePool {
  std::vector<float> values;
  std::vector<float> values_of_zeros;  // as BestOf says
  std::vector<int32_t> argmax;
};

inline int64_t GmOffset(const PoolShape& s, int64_t points, int64_t n, int64_t c, int64_t point) {
  return s.channels_last ? (n * points + point) * s.channels + c : (n * s.channels + c) * points + point;
}

inline int64_t CountedIndex(const PoolShape& s, int64_t n, int64_t c, int64_t point) {
  switch (s.index) {
    case PoolIndex::kPlane:
      return point;
    case PoolIndex::kNhwc:
      return point * s.channels + c;
    default:
      return (n * s.d.in * s.h.in * s.w.in + point) * s.channels + c;
  }
}

// The best of one window of one plane: the point of x, or -1. Of zeros it is the first; `of_zeros` is the
// value but +0 where any of them is.
template <class Get>
int64_t BestOf(const PoolShape& s, int64_t od, int64_t oh, int64_t ow, Get&& get, float* value,
               float* of_zeros) {
  int64_t best = -1;
  *value = -std::numeric_limits<float>::infinity();
  *of_zeros = *value;
  for (int64_t kd = 0; kd < s.d.window; ++kd) {
    for (int64_t kh = 0; kh < s.h.window; ++kh) {
      for (int64_t kw = 0; kw < s.w.window; ++kw) {
        const int64_t d = od * s.d.stride - s.d.before + kd * s.d.dilation;
        const int64_t h = oh * s.h.stride - s.h.before + kh * s.h.dilation;
        const int64_t w = ow * s.w.stride - s.w.before + kw * s.w.dilation;
        if (d < 0 || d >= s.d.in || h < 0 || h >= s.h.in || w < 0 || w >= s.w.in) {
          continue;
        }
        const int64_t point = (d * s.h.in + h) * s.w.in + w;
        const float candidate = get(point);
        const bool wins =
            s.ignores_nan ? candidate > *value : best < 0 || candidate > *value || std::isnan(candidate);
        if (wins) {
          best = point;
          *value = candidate;
        }
        if (wins || (candidate == 0 && *value == 0 && !std::signbit(candidate))) {
          *of_zeros = candidate;
        }
      }
    }
  }
  return best;
}

template <class T>
NaivePool PoolNaively(const PoolShape& s, const std::vector<T>& x) {
  const int64_t in_points = s.d.in * s.h.in * s.w.in;
  const int64_t out_points = s.d.out * s.h.out * s.w.out;
  NaivePool pool;
  pool.values.resize(static_cast<size_t>(s.batch * s.channels * out_points));
  pool.values_of_zeros.resize(pool.values.size());
  pool.argmax.resize(pool.values.size());
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t c = 0; c < s.channels; ++c) {
      for (int64_t o = 0; o < out_points; ++o) {
        float value = 0;
        float of_zeros = 0;
        const int64_t best = BestOf(
            s, o / s.w.out / s.h.out, o / s.w.out % s.h.out, o % s.w.out,
            [&](int64_t point) {
              return static_cast<float>(x[static_cast<size_t>(GmOffset(s, in_points, n, c, point))]);
            },
            &value, &of_zeros);
        const auto at = static_cast<size_t>(GmOffset(s, out_points, n, c, o));
        pool.values[at] = value;
        pool.values_of_zeros[at] = of_zeros;
        pool.argmax[at] = static_cast<int32_t>(best < 0 ? -1 : CountedIndex(s, n, c, best));
      }
    }
  }
  return pool;
}

}  // namespace tilesim::testing
