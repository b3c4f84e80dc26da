// What the tilings of a max pooling's gradient may vary.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/tune/max_pool_grad_space.h"

namespace tilesim {
namespace {

using enum PoolGradStrategy;

}  // namespace

// Of D, H and W the largest that may fit first; a block that does not fit with one output of dy at a time is
// none, nor is any that is larger.
std::vector<MaxPoolGradSpace::Block> MaxPoolGradSpace::BlocksThatFit() const {
  const auto extents_of = [&](const PoolGradAxis& axis) {  // the smallest first
    std::vector<Extent> extents;
    const int64_t stride = axis.walk().stride;
    const int64_t most_points = soc_.ub_bytes / kPointBytes;
    for (int64_t cut = 1; cut < std::min(stride, most_points + 1); ++cut) {
      extents.push_back({1, cut});
    }
    for (int64_t slots = 1; slots <= std::min(axis.Slots().size(), most_points); ++slots) {
      extents.push_back({slots, stride});
    }
    return extents;
  };
  const auto fits = [&](const Block& block) {
    const Part part{.strategy = kColumns, .outputs = 1, .run_d = block[0].slots};
    MaxPoolGradTiling tiling = TilingOf(block, part, {});
    const Buffers least = LeastBuffers(tiling);
    tiling = TilingOf(block, part, least);
    return TilingFits(tiling, p_, soc_.ub_bytes);
  };
  std::vector<Block> blocks;
  for (const Extent& d : extents_of(axes_[0])) {
    for (const Extent& h : extents_of(axes_[1])) {
      for (const Extent& w : extents_of(axes_[2])) {
        if (fits({d, h, w})) {
          blocks.push_back({d, h, w});
        } else if (w.cut == axes_[2].walk().stride) {
          break;  // more slots take more; of positions of one slot fewer phases may hold them
        }
      }
    }
  }
  std::ranges::reverse(blocks);
  return blocks;
}

std::vector<MaxPoolGradSpace::Part> MaxPoolGradSpace::PartsOf(const Block& block) const {
  std::vector<Part> parts;
  for (const PoolGradStrategy strategy : kPoolGradStrategies) {
    const size_t axis = strategy == kResident ? 0 : static_cast<size_t>(strategy) - 1;
    const int64_t needed = strategy == kResident ? 0 : NeededOutputs(p_, axis, block[axis].slots);
    const int64_t most = std::min(needed, soc_.ub_bytes / kPointBytes);
    for (int64_t outputs = strategy == kResident ? 0 : 1; outputs <= most; ++outputs) {
      const Part part{.strategy = strategy, .outputs = outputs, .run_d = block[0].slots};
      const MaxPoolGradTiling bare = TilingOf(block, part, {});
      if (TilingFits(TilingOf(block, part, LeastBuffers(bare)), p_, soc_.ub_bytes)) {
        parts.push_back(part);
      }
    }
  }
  return parts;
}

// Longest first.
std::vector<int64_t> MaxPoolGradSpace::RunsOf(const Block& block) const {
  std::vector<int64_t> runs;
  for (int64_t run = axes_[0].Slots().size(); run >= block[0].slots; --run) {
    runs.push_back(run);
  }
  return runs;
}

// The least number of points that makes the same boxes, for each way of making them.
std::vector<int64_t> MaxPoolGradSpace::OutPointsOf(const Block& block) const {
  std::set<int64_t, std::greater<>> points;
  const PoolGradAxis& w = axes_[2];
  const int64_t stride = w.walk().stride;
  for (int64_t begin = w.Slots().begin; begin < w.Slots().end; begin += block[2].slots) {
    for (int64_t r = 0; r < stride; r += block[2].cut) {
      const PoolRange slots = {begin, std::min(begin + block[2].slots, w.Slots().end)};
      const int64_t width = w.Cut({r, std::min(r + block[2].cut, stride)}).PositionsOf(slots).size();
      for (int64_t parts = 1; parts <= width; ++parts) {
        points.insert(CeilDiv(width, parts));
      }
      if (width == w.walk().in) {  // whole rows leave together
        const PoolGradAxis& h = axes_[1];
        const int64_t rows = std::min(block[1].slots * block[1].cut, h.walk().in);
        for (int64_t row = 2; row <= rows; ++row) {
          points.insert(row * width);
        }
      }
    }
  }
  points.erase(points.begin(), points.lower_bound(kMostMovePoints));
  return {points.begin(), points.end()};
}

std::vector<MaxPoolGradSpace::Buffers> MaxPoolGradSpace::BuffersOf(const Block& block,
                                                                   const Part& part) const {
  const MaxPoolGradTiling bare = TilingOf(block, part, {});
  const Buffers least = LeastBuffers(bare);
  const int64_t window = p_.shape.w.window;
  const PoolAxis& h = p_.shape.h;
  const int64_t reach = std::min((bare.split.part_ho - 1) * h.stride + (h.window - 1) * h.dilation + 1, h.in);
  const int64_t most_rows = p_.recomputes ? std::min(reach, kMostPoolRows) : 0;
  std::vector<Buffers> all;
  for (int64_t taps = p_.recomputes ? window : 0; taps >= least.x_taps; --taps) {
    for (int64_t rows = most_rows; rows >= least.x_rows; --rows) {
      for (const int64_t points : OutPointsOf(block)) {
        const Buffers buffers{.x_rows = rows, .x_taps = taps, .out_points = points};
        if (TilingFits(TilingOf(block, part, buffers), p_, soc_.ub_bytes)) {
          all.push_back(buffers);
        }
      }
    }
    if (taps == 0) {
      break;
    }
  }
  return all;
}

int64_t MaxPoolGradSpace::MostTable(MaxPoolGradTiling tiling) const {
  int64_t most = -1;
  for (int64_t table = 0; table <= MostTapsInUb(tiling); ++table) {
    tiling.split.tap_table = table;
    most = TilingFits(tiling, p_, soc_.ub_bytes) ? table : most;
  }
  return most;
}

MaxPoolGradSpace::Buffers MaxPoolGradSpace::LeastBuffers(const MaxPoolGradTiling& tiling) const {
  const int64_t makes = p_.recomputes ? 1 : 0;
  return {.x_rows = makes,
          .x_taps = tiling.split.part_wo == 1 ? makes : makes * p_.shape.w.window,
          .out_points = 1};
}

}  // namespace tilesim
