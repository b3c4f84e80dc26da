// The buffers that the pipes and queues of one core have handed out: who holds what of each memory, whether a
// tensor still is what it was when it was taken, and which tensors have not come back.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/ascendc/types.h"
#include "sim/core/core.h"
#include "sim/core/pipe.h"
#include "sim/core/source_line.h"

namespace AscendC::simulator {

// A tensor's claim on a queue's buffer; `slot` -1: a tensor that is no queue's.
struct Lease {
  int32_t slot = -1;
  uint32_t number = 0;
};

// The call that took a tensor out of a queue.
struct Loan {
  const char* call = nullptr;  // "AllocTensor", "DeQue"
  tilesim::SourceLine where;
};

// A buffer of a queue: where it lies, and the events that the queue's calls order its users by.
struct QueueBuffer {
  tilesim::SourceLine queue;  // its InitBuffer
  tilesim::Memory memory = tilesim::Memory::kGm;
  uint64_t begin = 0;
  uint64_t end = 0;
  HardEvent forward = HardEvent::MAX;   // EnQue and DeQue
  HardEvent backward = HardEvent::MAX;  // FreeTensor and AllocTensor
};
// "the TQue at FILE:LINE", which is its InitBuffer.
std::string NameOfQueue(const tilesim::SourceLine& queue);

// The flag of the last FreeTensor of a buffer.
struct FreeFlag {
  HardEvent event = HardEvent::MAX;
  TEventID id = -1;  // -1: none is set
};

// Who asks for memory, for messages: a TBuf, or the TQue made at a line.
struct Holder {
  const char* kind = "";
  tilesim::SourceLine made_at;  // without a file: not told

  std::string Text() const;
};

// The end of a memory that a buffer is put at: TSCM lies downwards from the top of L1.
enum class MemoryEnd : uint8_t { kStart, kTop };

class BufferTable {
 public:
  // Takes `size_bytes` (rounded up to 32) of `memory` for `holder`; gives the offset. A fault with the budget
  // of who holds what where it does not fit.
  uint64_t Allocate(tilesim::Core& core, tilesim::Memory memory, uint64_t size_bytes, const Holder& holder,
                    MemoryEnd end = MemoryEnd::kStart);
  // Every memory is free again; tensors taken before are no longer valid, and their queues have no buffers.
  void Reset();

  int32_t AddSlot(const QueueBuffer& buffer);
  // From now on only tensors with the lease returned are valid.
  Lease Renew(int32_t slot) { return {slot, ++Slot(slot).number}; }
  // The lease in force of the buffer that a handle names.
  Lease LeaseOf(const uint8_t* handle) const;
  static uint8_t* HandleOf(int32_t slot) {
    return reinterpret_cast<uint8_t*>(static_cast<intptr_t>(slot) + 1);
  }
  // The buffer's memory is no longer its queue's.
  void Retire(int32_t slot);
  bool IsRetired(int32_t slot) const { return slots_[static_cast<size_t>(slot)].retired; }
  int32_t tag(int32_t slot) const { return slots_[static_cast<size_t>(slot)].tag; }
  void SetTag(int32_t slot, int32_t tag) { Slot(slot).tag = tag; }
  // The flag that says that the buffer may be filled again, while nobody has waited for it.
  FreeFlag& free_flag(int32_t slot) { return Slot(slot).free_flag; }
  bool Valid(const Lease& lease) const {
    return lease.slot < 0 || slots_[static_cast<size_t>(lease.slot)].number == lease.number;
  }
  // The slot's tensor is with the kernel; then with its queue again, or free.
  void Lend(int32_t slot, const Loan& loan) { Slot(slot).loan = loan; }
  void TakeBack(int32_t slot) { Slot(slot).loan = {}; }
  const Loan& loan(int32_t slot) const { return slots_[static_cast<size_t>(slot)].loan; }
  // FreeTensor was called there: only tensors with the lease returned are valid.
  Lease Free(int32_t slot, tilesim::SourceLine where);
  const QueueBuffer& buffer(int32_t slot) const { return slots_[static_cast<size_t>(slot)].buffer; }
  // Of a tensor that is no longer what it was when it was taken: why not, and the mend, which is `instead`
  // where FreeTensor was called ("was freed at ...; use it before").
  std::string WhyNotValid(const Lease& lease, const char* instead) const;
  // As Core::Attachment has it, where one buffer of a queue holds all the bytes and no other of them any. The
  // bytes may be of a tensor that is no queue's, so that the text has the flag, too.
  std::string OrderingCalls(tilesim::Memory memory, uint64_t begin, uint64_t end, tilesim::Pipe of,
                            tilesim::Pipe by) const;
  // Notes a fault for each call whose tensors are with the kernel still, and takes them back.
  void TellLoans(tilesim::Core& core);
  int buffers() const { return buffers_; }
  // Bytes of `memory` from its start that are held.
  uint64_t used_bytes(tilesim::Memory memory) const { return used_bytes_[static_cast<size_t>(memory)]; }

 private:
  struct Holding {
    Holder holder;
    uint64_t size_bytes = 0;
  };
  struct SlotState {
    uint32_t number = 0;
    QueueBuffer buffer;
    Loan loan;                     // without a call: not lent
    tilesim::SourceLine freed_at;  // the last FreeTensor; without a file: none
    uint32_t freed_number = 0;     // of the lease that it ended
    FreeFlag free_flag;
    int32_t tag = -1;
    bool retired = false;
  };
  SlotState& Slot(int32_t slot) { return slots_[static_cast<size_t>(slot)]; }
  std::string Budget(tilesim::Memory memory) const;

  std::array<uint64_t, tilesim::kNumMemories> used_bytes_{};  // from the start
  std::array<uint64_t, tilesim::kNumMemories> used_at_top_{};
  std::array<std::vector<Holding>, tilesim::kNumMemories> holdings_;
  std::vector<SlotState> slots_;
  int buffers_ = 0;
};

}  // namespace AscendC::simulator
