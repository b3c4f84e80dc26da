// The buffers of a queue and the flags that hand them on and back. Knows no element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"

namespace AscendC {

enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };

namespace simulator {

// Who divides a range of a memory among queues and buffers: a TPipe or a pool.
class BufferSource {
 public:
  // The offset of `size_bytes`, rounded up to 32. A fault where they do not fit.
  virtual uint64_t Allocate(TPosition position, uint64_t size_bytes, const Holder& holder,
                            SourceLine where) = 0;
  // The buffer of this slot lies in the source's range.
  virtual void Adopt(int32_t slot) = 0;

 protected:
  ~BufferSource() = default;
};

// The events that hand a queue's buffers on and back.
struct QueueEvents {
  HardEvent forward;
  HardEvent backward;
};
constexpr QueueEvents EventsOf(TPosition src, TPosition dst) {
  using enum HardEvent;
  using enum tilesim::Memory;
  struct Row {
    tilesim::Memory from;
    tilesim::Memory to;
    QueueEvents events;
  };
  constexpr Row kRows[] = {{kGm, kUb, {MTE2_V, V_MTE2}},       {kGm, kL1, {MTE2_MTE1, MTE1_MTE2}},
                           {kGm, kL0A, {MTE2_M, M_MTE2}},      {kGm, kL0B, {MTE2_M, M_MTE2}},
                           {kUb, kGm, {V_MTE3, MTE3_V}},       {kUb, kUb, {MTE2_MTE3, MTE3_MTE2}},
                           {kUb, kL1, {MTE3_MTE1, MTE1_MTE3}}, {kL1, kL0A, {MTE1_M, M_MTE1}},
                           {kL1, kL0B, {MTE1_M, M_MTE1}},      {kL1, kBt, {MTE1_M, M_MTE1}},
                           {kL1, kFb, {MTE1_FIX, FIX_MTE1}},   {kL0C, kGm, {M_FIX, FIX_M}}};
  for (const Row& row : kRows) {
    if (row.from == MemoryOf(src) && row.to == MemoryOf(dst)) {
      return row.events;
    }
  }
  return {MTE2_MTE1, MTE1_MTE2};
}

// The event of one step of several that a queue's tensors make, EnQue<src, dst>: V_V between vector
// instructions, which is where VECCALC is one end and UB the other.
constexpr HardEvent EventOfStep(TPosition src, TPosition dst) {
  const bool in_ub = MemoryOf(src) == tilesim::Memory::kUb && MemoryOf(dst) == tilesim::Memory::kUb;
  return in_ub && (src == TPosition::VECCALC || dst == TPosition::VECCALC) ? HardEvent::V_V
                                                                           : EventsOf(src, dst).forward;
}

// What a queue is, from its type.
struct QueueKind {
  TPosition position;  // of its buffers
  QueueEvents events;
  int depth;  // 0: its flags have ids of their own from InitBuffer on, and all buffers are handed back
};

class QueueBuffers {
 public:
  struct Taken {
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
    Lease lease;
  };

  // Has no buffers from now on; Add gives it one after the other.
  void Start(const QueueKind& kind, SourceLine where);
  void Add(uint64_t offset, uint64_t size_bytes, BufferSource& source, SourceLine where);
  // With `count` buffers of `size_bytes` (rounded up to 32) from `source`.
  void Init(const QueueKind& kind, BufferSource& source, int count, uint64_t size_bytes, SourceLine where);

  Taken Alloc(SourceLine where);
  // False where the call is left out of the run. `event`: what DeQue is to wait for.
  bool EnQue(const Lease& lease, HardEvent event, SourceLine where);
  // Nothing where the call is left out of the run.
  std::optional<Taken> DeQue(HardEvent event, SourceLine where);
  void Free(const Lease& lease, SourceLine where);
  void FreeAllEvents(SourceLine where);

  bool HasTensor() const { return !queued_.empty(); }
  bool Vacant() const { return static_cast<int>(queued_.size()) < kind_.depth; }
  int queued() const { return static_cast<int>(queued_.size()); }
  bool HasIdle() const;
  TBufState StateOf(const Lease& lease, SourceLine where) const;
  // The buffer with the lease in force.
  Taken At(const Lease& lease, SourceLine where);

 private:
  struct Buffer {
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
    TBufState state = TBufState::FREE;
    SourceLine enqued_at;  // the last EnQue
    Lease lease;
    uint64_t taken = 0;         // the number of its last AllocTensor among those of the queue
    TEventID forward_id = -1;   // set by EnQue, waited for by DeQue
    TEventID backward_id = -1;  // of a queue of depth 0
    HardEvent forward = HardEvent::MAX;
  };

  tilesim::Core& Begin(const char* call, SourceLine where) const;
  // The buffer whose lease this is, while it is in force; else nullptr.
  Buffer* Find(const Lease& lease);
  // A fault where the buffer's memory is no longer the queue's.
  static void RequireInForce(tilesim::Core& core, const Buffer& buffer);
  // The fault of the call in hand.
  [[noreturn]] static void Refuse(const tilesim::Core& core, const char* operand, std::string what);
  // Why this queue does not take the tensor: whose it is, or who freed it; `instead`: what to do then.
  [[noreturn]] void RefuseLease(tilesim::Core& core, const Lease& lease, const char* call,
                                const char* instead) const;
  // "is with the kernel since AllocTensor (FILE:LINE)"
  std::string WhereIs(tilesim::Core& core, const Buffer& buffer) const;
  bool KeepsEvents() const { return kind_.depth == 0; }

  QueueKind kind_{TPosition::GM, {HardEvent::MTE2_MTE1, HardEvent::MTE1_MTE2}, 0};
  SourceLine made_at_;
  std::vector<Buffer> buffers_;
  size_t next_ = 0;             // AllocTensor goes round
  uint64_t taken_ = 0;          // by AllocTensor so far
  std::vector<size_t> queued_;  // indices of buffers_, oldest first: as few as its depth
  SourceLine last_deque_;       // that gave a tensor; without a file: none
};

// Waits for the flag of the buffer's last FreeTensor, if it is set still; its id goes back unless kept.
void WaitFreeFlag(tilesim::Core& core, int32_t slot, bool keep_id, SourceLine where);

}  // namespace simulator
}  // namespace AscendC
