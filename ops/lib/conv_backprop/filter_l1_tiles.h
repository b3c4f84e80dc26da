// The L1 side of Conv3DBackpropFilter: which parts of gradOutput (A) and of the feature map (B) stand in L1,
// and the copies that bring them there.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/conv_backprop/copy_runs.h"

namespace ConvBackpropApi {

// Up to two tiles of one operand in L1, each known by (step in M or N, step in K), oldest first. A tile is
// brought ahead of its use where a buffer is free, and waited for at its first use.
template <class T, AscendC::TPosition position, class Place>
class FilterL1Tiles {
 public:
  struct Tile {
    uint32_t block_step = 0;
    uint32_t k_step = 0;
    bool arrived = false;  // taken from the queue
    AscendC::LocalTensor<T> tensor;
    Place place;  // what part of the operand it holds
  };

  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t buffers, uint64_t elements) {
    buffers_ = buffers;
    pipe.InitBuffer(queue_, static_cast<uint8_t>(buffers), static_cast<uint32_t>(elements * sizeof(T)));
  }

  // Has `load(tensor)` bring the tile, which gives its place, if it is not in L1 and a buffer is free.
  template <class Load>
  __aicore__ inline void Bring(uint32_t block_step, uint32_t k_step, Load&& load) {
    if (Find(block_step, k_step) != nullptr || held_ == buffers_) {
      return;
    }
    Tile& tile = tiles_[held_++];
    tile.block_step = block_step;
    tile.k_step = k_step;
    tile.arrived = false;
    AscendC::LocalTensor<T> tensor = queue_.template AllocTensor<T>();
    tile.place = load(tensor);
    queue_.EnQue(tensor);
  }
  // The tile, ready to be read; brought now if it was not before.
  template <class Load>
  __aicore__ inline const Tile& Need(uint32_t block_step, uint32_t k_step, Load&& load) {
    if (Find(block_step, k_step) == nullptr && held_ == buffers_) {
      FreeOldest();
    }
    Bring(block_step, k_step, load);
    Tile& tile = *Find(block_step, k_step);
    if (!tile.arrived) {
      tile.tensor = queue_.template DeQue<T>();
      tile.arrived = true;
    }
    return tile;
  }
  __aicore__ inline void FreeOldest() {
    queue_.FreeTensor(tiles_[0].tensor);
    --held_;
    for (uint32_t i = 0; i < held_; ++i) {
      tiles_[i] = tiles_[i + 1];
    }
  }
  // Frees the tiles of one step in M or N.
  __aicore__ inline void FreeStep(uint32_t block_step) {
    while (held_ > 0 && tiles_[0].block_step == block_step) {
      FreeOldest();
    }
  }
  __aicore__ inline void End() { queue_.FreeAllEvent(); }

 private:
  __aicore__ inline Tile* Find(uint32_t block_step, uint32_t k_step) {
    for (uint32_t i = 0; i < held_; ++i) {
      if (tiles_[i].block_step == block_step && tiles_[i].k_step == k_step) {
        return &tiles_[i];
      }
    }
    return nullptr;
  }

  AscendC::TQue<position, 2> queue_;
  Tile tiles_[2];
  uint32_t buffers_ = 0;
  uint32_t held_ = 0;
};

// A in L1: [c1][pixels][C0] of gradOutput.
struct FilterPlaceA {
  uint32_t pixels = 0;
};

// B in L1: [lines of c1][rows][wi][C0] of the feature map, and the paddings with which a window of it gives
// the output rows from `first_ho` on.
struct FilterPlaceB {
  uint32_t first_line = 0;
  uint32_t lines = 0;
  uint32_t first_ho = 0;
  uint16_t rows = 0;
  uint8_t pad_top = 0;
  uint8_t pad_bottom = 0;
};

// Rows of the feature map behind output rows [first_ho, last_ho] of a core that starts at row `ho_start`: the
// rows to copy, relative to the tensor the caller set, and the padding above and below them. A window that
// lies wholly in the padding copies one row that it does not use and sees padding above it only.
struct FilterRows {
  int64_t first = 0;  // relative to the first row of the caller's tensor
  int64_t count = 0;
  int64_t pad_top = 0;
  int64_t pad_bottom = 0;
};
__aicore__ inline FilterRows RowsBehind(const TConv3DBpFilterTiling& tiling, int64_t ho_start,
                                        int64_t first_ho, int64_t last_ho) {
  const int64_t hi = tiling.hi;
  const int64_t tensor_row = ho_start * tiling.strideH - static_cast<int64_t>(tiling.padUp);
  const int64_t base = tensor_row > 0 ? tensor_row : 0;  // the row at which the caller's tensor starts
  const int64_t top = (ho_start + first_ho) * tiling.strideH - static_cast<int64_t>(tiling.padUp);
  const int64_t bottom = (ho_start + last_ho) * tiling.strideH - static_cast<int64_t>(tiling.padUp) +
                         static_cast<int64_t>(tiling.hk - 1) * tiling.dilationH;
  if (bottom < 0) {
    return {.first = 0 - base, .count = 1, .pad_top = -top, .pad_bottom = 0};
  }
  if (top >= hi) {
    return {.first = hi - 1 - base, .count = 1, .pad_top = bottom - top + 1, .pad_bottom = 0};
  }
  const int64_t first = top > 0 ? top : 0;
  const int64_t last = bottom < hi - 1 ? bottom : hi - 1;
  return {.first = first - base,
          .count = last - first + 1,
          .pad_top = top < 0 ? -top : 0,
          .pad_bottom = bottom > hi - 1 ? bottom - (hi - 1) : 0};
}

}  // namespace ConvBackpropApi
