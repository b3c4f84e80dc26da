// Where the lanes of a pooling lie in GM.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/units.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// One of the pooling's tensors in GM: (n, c, d, h, w), or (n, d, h, w, c). Elements.
struct PoolGrid {
  int64_t batch = 1;
  int64_t channels = 1;
  int64_t d = 1;
  int64_t h = 1;
  int64_t w = 1;
  bool channels_last = false;

  [[nodiscard]] int64_t points() const { return d * h * w; }
  [[nodiscard]] int64_t lane_stride() const { return channels_last ? 1 : points(); }
  [[nodiscard]] int64_t point_stride() const { return channels_last ? channels : 1; }
};

// Lanes that are computed together. The same group names the same (n, c) in x, y, dy and argmax.
struct LaneGroup {
  int64_t n = 0;      // of the first lane
  int64_t c = 0;      // of the first lane
  int64_t count = 0;  // at most 64; not channels_last: they run on into the next n

  // Group `index` of groups of up to `lanes` lanes.
  static LaneGroup At(int64_t index, int64_t lanes, const PoolGrid& grid) {
    if (grid.channels_last) {
      const int64_t groups = CeilDiv(grid.channels, lanes);
      const int64_t c = index % groups * lanes;
      return {index / groups, c, std::min(lanes, grid.channels - c)};
    }
    const int64_t first = index * lanes;
    return {first / grid.channels, first % grid.channels,
            std::min(lanes, grid.batch * grid.channels - first)};
  }
  // The element of the first lane at (d, h, w).
  [[nodiscard]] uint64_t Offset(const PoolGrid& grid, int64_t d, int64_t h, int64_t w) const {
    const int64_t point = (d * grid.h + h) * grid.w + w;
    const int64_t first =
        grid.channels_last ? n * grid.points() * grid.channels + c : (n * grid.channels + c) * grid.points();
    return static_cast<uint64_t>(first + point * grid.point_stride());
  }
};

// Rows and columns of one plane.
struct PointBox {
  int64_t d = 0;
  PoolRange h;
  PoolRange w;

  // Rows that lie one behind the other in GM.
  [[nodiscard]] bool IsOneRun(const PoolGrid& grid) const { return w.size() == grid.w || h.size() == 1; }
  // f(row of the box, points) for each run of points in GM.
  template <class F>
  void ForRuns(const PoolGrid& grid, F&& f) const {
    if (IsOneRun(grid)) {
      f(int64_t{0}, h.size() * w.size());
      return;
    }
    for (int64_t row = 0; row < h.size(); ++row) {
      f(row, w.size());
    }
  }
};

}  // namespace tilesim
