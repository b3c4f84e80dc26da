// What a core of the max pooling does, in order: its blocks of outputs, of each the planes and rows of x that
// it loads. Planner and tile program share it. Knows no UB and no lanes of GM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "formats/units.h"
#include "tiling/max_pool/pool_shape.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// How large the pieces are that a pooling is cut into.
struct PoolTile {
  int64_t lanes = 1;  // of a block
  int64_t d = 1;      // outputs of a block
  int64_t h = 1;
  int64_t w = 1;
  int64_t rows = 1;        // of x, in one load at most
  int64_t taps_w = 1;      // of a window's row, in one load; fewer than all only where w is 1
  int64_t store_rows = 1;  // of y, in one store at most; 0: results are not stored

  friend bool operator==(const PoolTile&, const PoolTile&) = default;
};

// Outputs that are computed together, of one lane group.
struct PoolBlock {
  int64_t lane_group = 0;
  PoolRange d;
  PoolRange h;
  PoolRange w;
};

// How many blocks there are along each axis. Blocks are numbered w fastest, lanes slowest.
struct PoolBlockCounts {
  int64_t lanes = 1;
  int64_t d = 1;
  int64_t h = 1;
  int64_t w = 1;

  [[nodiscard]] constexpr int64_t total() const { return lanes * d * h * w; }
};

constexpr PoolBlockCounts BlockCountsOf(const PoolShape& shape, const PoolTile& tile) {
  return {shape.channels_last ? shape.batch * CeilDiv(shape.channels, tile.lanes)
                              : CeilDiv(shape.batch * shape.channels, tile.lanes),
          CeilDiv(shape.d.out, tile.d), CeilDiv(shape.h.out, tile.h), CeilDiv(shape.w.out, tile.w)};
}

constexpr PoolBlock BlockAt(int64_t index, const PoolShape& shape, const PoolTile& tile) {
  const PoolBlockCounts counts = BlockCountsOf(shape, tile);
  const auto part = [&index](int64_t count, int64_t size, int64_t out) {
    const int64_t begin = index % count * size;
    index /= count;
    return PoolRange{begin, std::min(begin + size, out)};
  };
  PoolBlock block;
  block.w = part(counts.w, tile.w, shape.w.out);
  block.h = part(counts.h, tile.h, shape.h.out);
  block.d = part(counts.d, tile.d, shape.d.out);
  block.lane_group = index;
  return block;
}

// The least cores, up to `most`, of which the busiest has no more blocks than it would among `most`: the
// others would only take time to launch.
constexpr int64_t CoresFor(int64_t blocks, int64_t most) {
  return blocks <= 0 ? 1 : CeilDiv(blocks, CeilDiv(blocks, most));
}

// The blocks of one of `cores` cores; numbers differ by one at most.
constexpr PoolRange BlocksOfCore(int64_t core, int64_t cores, int64_t blocks) {
  return {core * blocks / cores, (core + 1) * blocks / cores};
}

// What one load brings, and where it stands in the whole. No rows: nothing is read here, but a plane or a
// block begins or ends.
struct PoolChunk {
  PoolBlock block;
  int64_t d = -1;  // of x; -1: the block reads no plane
  PoolRange h;     // rows of x
  PoolRange w;     // columns of x
  PoolRange taps;  // of a window's row, that this load serves
  bool begins_block = false;
  bool begins_plane = false;
  bool ends_plane = false;

  [[nodiscard]] constexpr bool IsEmpty() const { return h.Empty() || w.Empty(); }
};

// Walks over the chunks of blocks [begin, end).
class PoolChunkWalk {
 public:
  PoolChunkWalk() = default;
  PoolChunkWalk(const PoolShape& shape, const PoolTile& tile, const PoolRange& blocks)
      : shape_(shape), tile_(tile), d_(shape.d), h_(shape.h), w_(shape.w), blocks_(blocks) {
    block_ = blocks.begin;
    if (!Done()) {
      BeginBlock();
    }
  }
  // Over those of one block, which may lie anywhere.
  static PoolChunkWalk OfBlock(const PoolShape& shape, const PoolTile& tile, const PoolBlock& block) {
    PoolChunkWalk walk(shape, tile, PoolRange{});
    walk.blocks_ = {0, 1};
    walk.given_ = block;
    walk.BeginBlock();
    return walk;
  }

  [[nodiscard]] bool Done() const { return block_ >= blocks_.end; }
  [[nodiscard]] const PoolChunk& now() const { return now_; }
  // There is a chunk now.
  void Advance() {
    now_.begins_block = false;
    now_.begins_plane = false;
    if (!now_.ends_plane) {
      if (now_.taps.end < shape_.w.window) {
        SetTaps(now_.taps.end);
      } else {
        SetRows(now_.h.end);
      }
      SetEnd();
      return;
    }
    const int64_t next = now_.d < 0 ? reach_d_.end : d_.NextRead(now_.d + 1, reach_d_.end, now_.block.d);
    if (now_.d >= 0 && next < reach_d_.end) {
      BeginPlane(next);
      return;
    }
    ++block_;
    if (!Done()) {
      BeginBlock();
    }
  }

  // Columns of x that a block's rows are loaded with: whole rows where that is hardly more than is read.
  static constexpr PoolRange ColumnsOf(const PoolTaps& w, const PoolRange& outputs) {
    const PoolRange reach = w.Reach(outputs);
    const int64_t in = w.axis().in;
    return !reach.Empty() && reach.size() * 8 >= in * 7 && outputs.size() == w.axis().out ? PoolRange{0, in}
                                                                                          : reach;
  }

 private:
  void BeginBlock() {
    now_ = PoolChunk();
    now_.block = given_ ? *given_ : BlockAt(block_, shape_, tile_);
    now_.begins_block = true;
    reach_d_ = d_.Reach(now_.block.d);
    const int64_t first = d_.NextRead(reach_d_.begin, reach_d_.end, now_.block.d);
    if (first >= reach_d_.end) {
      now_.ends_plane = true;
      return;
    }
    BeginPlane(first);
  }
  void BeginPlane(int64_t d) {
    now_.d = d;
    now_.begins_plane = true;
    reach_h_ = h_.Reach(now_.block.h);
    SetRows(reach_h_.begin);
    SetEnd();
  }
  // The next rows at or behind `from` that are read, and that are neighbours.
  void SetRows(int64_t from) {
    const int64_t begin = h_.NextRead(from, reach_h_.end, now_.block.h);
    int64_t end = begin;
    while (end < std::min(begin + tile_.rows, reach_h_.end) &&
           h_.NextRead(end, end + 1, now_.block.h) == end) {
      ++end;
    }
    now_.h = {begin, end};
    SetTaps(0);
  }
  void SetTaps(int64_t first) {
    now_.taps = {first, std::min(first + tile_.taps_w, shape_.w.window)};
    if (tile_.taps_w >= shape_.w.window) {
      now_.w = ColumnsOf(w_, now_.block.w);
      return;
    }
    const int64_t o = now_.block.w.begin;
    now_.w = PoolRange{w_.Position(o, now_.taps.begin), w_.Position(o, now_.taps.end - 1) + 1}.Meet(
        {0, shape_.w.in});
  }
  void SetEnd() {
    const bool last_taps = now_.taps.end >= shape_.w.window;
    now_.ends_plane = last_taps && h_.NextRead(now_.h.end, reach_h_.end, now_.block.h) >= reach_h_.end;
  }

  PoolShape shape_;
  PoolTile tile_;
  PoolTaps d_;
  PoolTaps h_;
  PoolTaps w_;
  PoolRange blocks_;
  std::optional<PoolBlock> given_;
  int64_t block_ = 0;
  PoolRange reach_d_;
  PoolRange reach_h_;
  PoolChunk now_;
};

}  // namespace tilesim
