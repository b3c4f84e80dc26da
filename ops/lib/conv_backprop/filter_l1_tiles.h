// The L1 side of one operand of Conv3DBackpropFilter: which tiles stand in L1.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

namespace ConvBackpropApi {

// Up to two tiles of one operand in L1, each known by (step in M or N, step in K), oldest first. A tile is
// brought ahead of its use where a buffer is free, and waited for at its first use. Knows nothing of what a
// tile holds: that is its place.
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
    pipe.InitBuffer(queue_, static_cast<uint8_t>(buffers),
                    static_cast<uint32_t>(AscendC::simulator::BytesOf<T>(elements)));
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
  // Where the sequence of tiles is: at block `k` of `k_count` of K, of which a tile has `step_k`, in block
  // step `now`; `next`, if there is one `more`, follows. `keep`: all of K of a block step stays.
  struct At {
    uint32_t k = 0;
    uint32_t step_k = 1;
    uint32_t k_count = 1;
    uint32_t now = 0;
    uint32_t next = 0;
    bool more = false;
    bool keep = false;
  };
  // Brings the tile that follows those of `at` into a free buffer: the next along K, or the next block's
  // first. `load_of(block_step, k_step)`: how it is brought.
  template <class LoadOf>
  __aicore__ inline void BringNext(const At& at, LoadOf&& load_of) {
    if (at.k % at.step_k != 0) {
      return;
    }
    const uint32_t k_step = at.k / at.step_k + 1;
    if (k_step * at.step_k < at.k_count) {
      Bring(at.now, k_step, load_of(at.now, k_step));
    } else if (at.more && !(at.keep && at.next == at.now)) {
      Bring(at.next, 0, load_of(at.next, 0));
    }
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
  // Frees all tiles, those that were brought ahead and not needed, too.
  __aicore__ inline void FreeAll() {
    while (held_ > 0) {
      Need(tiles_[0].block_step, tiles_[0].k_step, [](const auto&) { return Place{}; });
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

}  // namespace ConvBackpropApi
