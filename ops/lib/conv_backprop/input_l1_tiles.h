// The L1 side of one operand of Conv3DBackpropInput: which tiles stand in L1.
#pragma once

#include <cstdint>

#include "kernel_operator.h"

namespace ConvBackpropApi {

// Up to two tiles of one operand in L1, each known by a key. A tile stays until its buffer is wanted for
// another. The next one is brought ahead of its use, into the buffer that is not in use, and waited for at
// its first use. Each buffer has a queue of its own, so that they may be freed in any order. Knows nothing of
// what a key says.
template <class T, AscendC::TPosition position, class Key>
class InputL1Tiles {
 public:
  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t buffers, uint64_t elements) {
    ascendc_assert(buffers == 1 || buffers == 2, "Init: al1Pbuffer and bl1Pbuffer are 1 or 2");
    buffers_ = buffers;
    for (uint32_t i = 0; i < buffers; ++i) {
      pipe.InitBuffer(slots_[i].queue, 1, static_cast<uint32_t>(elements * sizeof(T)));
    }
  }

  // Can a tile be brought while another is in use?
  bool CanBring() const { return buffers_ == 2; }

  // Has `load(tensor, buffer)` bring the tile into the buffer that is not in use, unless it is there.
  template <class Load>
  __aicore__ inline void Bring(const Key& key, Load&& load) {
    if (Find(key) < 0) {
      Fill(1 - in_use_, key, load);
    }
  }
  // Makes the tile the one in use, brought now if it was not before.
  template <class Load>
  __aicore__ inline void Place(const Key& key, Load&& load) {
    int32_t at = Find(key);
    if (at < 0) {
      at = buffers_ == 2 ? 1 - in_use_ : 0;
      Fill(at, key, load);
    }
    in_use_ = at;
  }
  // The tile in use, ready to be read. What is brought beside it is brought before, so that its buffer is
  // given back without waiting for this tile.
  __aicore__ inline const AscendC::LocalTensor<T>& Take() {
    Slot& slot = slots_[in_use_];
    if (!slot.arrived) {
      slot.tensor = slot.queue.template DeQue<T>();
      slot.arrived = true;
    }
    return slot.tensor;
  }
  // Is the tile the one in use?
  bool InUse(const Key& key) const { return slots_[in_use_].held && slots_[in_use_].key == key; }

  // Forgets all tiles: what stands in GM may have changed.
  __aicore__ inline void Clear() {
    for (uint32_t i = 0; i < buffers_; ++i) {
      Free(slots_[i]);
    }
  }
  __aicore__ inline void End() {
    Clear();
    for (uint32_t i = 0; i < buffers_; ++i) {
      slots_[i].queue.FreeAllEvent();
    }
  }

 private:
  struct Slot {
    AscendC::TQue<position, 1> queue;
    Key key{};
    bool held = false;
    bool arrived = false;  // taken from the queue
    AscendC::LocalTensor<T> tensor;
  };

  __aicore__ inline int32_t Find(const Key& key) const {
    for (uint32_t i = 0; i < buffers_; ++i) {
      if (slots_[i].held && slots_[i].key == key) {
        return static_cast<int32_t>(i);
      }
    }
    return -1;
  }
  template <class Load>
  __aicore__ inline void Fill(int32_t at, const Key& key, Load&& load) {
    Slot& slot = slots_[at];
    Free(slot);
    AscendC::LocalTensor<T> tensor = slot.queue.template AllocTensor<T>();
    load(tensor, at);
    slot.queue.EnQue(tensor);
    slot.key = key;
    slot.held = true;
    slot.arrived = false;
  }
  // A tile is used between being brought and being freed, so it has arrived.
  __aicore__ inline void Free(Slot& slot) {
    if (slot.held) {
      slot.queue.FreeTensor(slot.tensor);
      slot.held = false;
    }
  }

  Slot slots_[2];
  uint32_t buffers_ = 0;
  int32_t in_use_ = 0;
};

}  // namespace ConvBackpropApi
