// Which part of a buffer the loads of a tile fill.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tiling/rearrange/rearrange_tasks.h"

namespace tilesim {

// Two tiles that fill the same part leave the same part alone: what was 0 there for one still is for the
// other. Knows no places in GM.
class LoadedBoxes {
 public:
  LoadedBoxes() = default;  // nothing
  LoadedBoxes(const TileMoves& moves, const RearrangeTile& tile) {
    moves.ForEachLoad(tile, [&](const BoxOfRuns& box) { boxes_[count_++] = box; });
  }

  bool operator==(const LoadedBoxes& other) const {
    bool same = count_ == other.count_;
    for (size_t i = 0; same && i < count_; ++i) {
      same = Same(boxes_[i], other.boxes_[i]);
    }
    return same;
  }

 private:
  static constexpr size_t kMostBoxes = 3;  // of a tile

  static bool Same(const BoxOfRuns& a, const BoxOfRuns& b) {
    bool same =
        a.ub_offset == b.ub_offset && a.lead == b.lead && a.run == b.run && a.num_loops == b.num_loops;
    for (size_t i = 0; same && i < a.num_loops; ++i) {
      same = a.loops[i].count == b.loops[i].count && a.loops[i].ub_stride == b.loops[i].ub_stride;
    }
    return same;
  }

  std::array<BoxOfRuns, kMostBoxes> boxes_{};
  size_t count_ = 0;
};

}  // namespace tilesim
