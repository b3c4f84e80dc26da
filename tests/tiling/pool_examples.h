// Poolings that tests of their tilings, loads and planner share.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/max_pool/pool_legality.h"

namespace tilesim::testing {

inline constexpr int64_t kUb = 196608;

inline PoolShape Shape() {
  const PoolAxis axis = {.in = 20, .out = 10, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  PoolShape shape;
  shape.dtype = DType::kFp16;
  shape.batch = 2;
  shape.channels = 40;
  shape.d = axis;
  shape.h = axis;
  shape.w = axis;
  return shape;
}
inline PoolTile Tile() {
  return {.lanes = 64, .d = 5, .h = 3, .w = 10, .rows = 2, .taps_w = 3, .store_rows = 1};
}

inline std::string WhyNotText(const MaxPoolTiling& tiling, const PoolShape& shape = Shape(),
                              int64_t ub_bytes = kUb, int64_t cores = 48) {
  std::string text;
  for (const Rejection& rejection : WhyNot(tiling, shape, ub_bytes, cores)) {
    text += Sentence(rejection) + "\n";
  }
  return text;
}

// One row of `in` points, channels last, windows of 1 x 2 that do not overlap.
inline PoolShape LongRows(int64_t in, int64_t rows) {
  PoolShape shape;
  shape.dtype = DType::kFp32;
  shape.channels = 64;
  shape.channels_last = true;
  shape.h = {.in = rows, .out = rows, .window = 1, .stride = 1, .dilation = 1, .before = 0};
  shape.w = {.in = in, .out = in / 2, .window = 2, .stride = 2, .dilation = 1, .before = 0};
  return shape;
}

// Axes of any kind, small.
class RandomPoolAxes {
 public:
  explicit RandomPoolAxes(uint32_t seed) : random_(seed) {}
  int64_t Pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  PoolAxis Axis() {
    return {.in = Pick(1, 12),
            .out = Pick(1, 7),
            .window = Pick(1, 4),
            .stride = Pick(1, 4),
            .dilation = Pick(1, 3),
            .before = Pick(0, 4)};
  }

 private:
  std::mt19937 random_;
};

}  // namespace tilesim::testing
