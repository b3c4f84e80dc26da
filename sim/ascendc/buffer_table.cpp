#include "sim/ascendc/buffer_table.h"

#include <algorithm>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"

namespace AscendC::simulator {

using tilesim::Say;

std::string NameOfQueue(const tilesim::SourceLine& queue) {
  return Say("the TQue at ", queue.file, ":", queue.line);
}

std::string Holder::Text() const {
  return *made_at.file == '\0' ? kind : Say(kind, " at ", made_at.file, ":", made_at.line);
}

uint64_t BufferTable::Allocate(tilesim::Core& core, tilesim::Memory memory, uint64_t size_bytes,
                               const Holder& holder, MemoryEnd end) {
  const auto m = static_cast<size_t>(memory);
  const uint64_t rounded = (size_bytes + 31) / 32 * 32;
  const auto capacity = static_cast<uint64_t>(core.CapacityBytes(memory));
  const uint64_t left = capacity - used_bytes_[m] - used_at_top_[m];
  if (rounded > left) [[unlikely]] {  // the budget takes time to write down
    core.Fail(tilesim::FaultKind::kCapacity, "",
              Say(holder.Text(), " asks for ", rounded, " B of ", Name(memory), ", which has ", capacity,
                  " B of which ", left, " are free; held: ", Budget(memory), "; make one of them smaller by ",
                  rounded - left, " B"));
  }
  const bool at_top = end == MemoryEnd::kTop;
  (at_top ? used_at_top_ : used_bytes_)[m] += rounded;
  const uint64_t offset = at_top ? capacity - used_at_top_[m] : used_bytes_[m] - rounded;
  if (holdings_[m].empty()) {
    holdings_[m].reserve(16);
  }
  holdings_[m].push_back({holder, rounded});
  ++buffers_;
  return offset;
}

std::string BufferTable::Budget(tilesim::Memory memory) const {
  std::string text;
  for (const Holding& holding : holdings_[static_cast<size_t>(memory)]) {
    text += Say(text.empty() ? "" : ", ", holding.holder.Text(), " ", holding.size_bytes, " B");
  }
  return text.empty() ? "nothing" : text;
}

void BufferTable::Reset() {
  used_bytes_ = {};
  used_at_top_ = {};
  holdings_ = {};
  buffers_ = 0;
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    Retire(static_cast<int32_t>(slot));
  }
}

void BufferTable::Retire(int32_t slot) {
  SlotState& state = Slot(slot);
  const uint32_t number = state.number;
  const QueueBuffer buffer = state.buffer;
  state = {};
  state.number = number + 1;
  state.buffer = buffer;
  state.retired = true;
}

Lease BufferTable::LeaseOf(const uint8_t* handle) const {
  const auto slot = static_cast<int32_t>(reinterpret_cast<intptr_t>(handle)) - 1;
  return slot < 0 ? Lease{} : Lease{slot, slots_[static_cast<size_t>(slot)].number};
}

int32_t BufferTable::AddSlot(const QueueBuffer& buffer) {
  slots_.emplace_back();
  slots_.back().buffer = buffer;
  return static_cast<int32_t>(slots_.size()) - 1;
}

Lease BufferTable::Free(int32_t slot, tilesim::SourceLine where) {
  SlotState& state = Slot(slot);
  state.loan = {};
  state.freed_at = where;
  state.freed_number = state.number;
  return Renew(slot);
}

std::string BufferTable::WhyNotValid(const Lease& lease, const char* instead) const {
  const SlotState& state = slots_[static_cast<size_t>(lease.slot)];
  const std::string queue = NameOfQueue(state.buffer.queue);
  if (state.retired || *state.freed_at.file == '\0') {
    return Say("is of ", queue,
               ", whose TPipe or pool was reset or destroyed since; use it or give it back before, or take "
               "a new one after InitBuffer was called again");
  }
  const bool by_the_last = state.freed_number == lease.number;
  return Say("is of ", queue,
             by_the_last ? " and was freed at " : " and was freed since, its buffer last at ",
             state.freed_at.file, ":", state.freed_at.line, "; ", instead);
}

std::string BufferTable::OrderingCalls(tilesim::Memory memory, uint64_t begin, uint64_t end, tilesim::Pipe of,
                                       tilesim::Pipe by) const {
  const auto meets = [&](const SlotState& slot) {
    return !slot.retired && slot.buffer.memory == memory && slot.buffer.begin < end &&
           begin < slot.buffer.end;
  };
  const auto found = std::ranges::find_if(slots_, meets);
  if (found == slots_.end() || found->buffer.begin > begin || end > found->buffer.end ||
      std::any_of(found + 1, slots_.end(), meets)) {
    return "";
  }
  const QueueBuffer& buffer = found->buffer;
  for (const auto& [event, calls] : {std::pair(buffer.forward, "EnQue and DeQue of "),
                                     std::pair(buffer.backward, "FreeTensor and AllocTensor of ")}) {
    const PipePair pipes = PipesOf(event);
    if (pipes.src == of && pipes.dst == by) {
      const std::string flag = Say(Name(of), "_", Name(by));
      return Say(calls, NameOfQueue(buffer.queue), ", which set and wait for ", flag,
                 " (or SetFlag/WaitFlag<", flag, "> where the tensor is not that queue's),");
    }
  }
  return "";
}

void BufferTable::TellLoans(tilesim::Core& core) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Loan loan = slots_[i].loan;
    const tilesim::SourceLine queue = slots_[i].buffer.queue;
    if (loan.call == nullptr) {
      continue;
    }
    int64_t tensors = 0;
    for (SlotState& slot : slots_) {
      if (slot.loan.call == loan.call && slot.loan.where == loan.where && slot.buffer.queue == queue) {
        ++tensors;
        slot.loan = {};
      }
    }
    core.At(loan.call, tilesim::Pipe::kS, loan.where);
    tilesim::Fault fault =
        core.MakeFault(tilesim::FaultKind::kQueue, "tensor",
                       Say(tensors == 1 ? "a tensor" : Say(tensors, " tensors"), " of ", NameOfQueue(queue),
                           tensors == 1 ? " was" : " were", " taken here and given back nowhere before ",
                           "the end; EnQue or FreeTensor ", tensors == 1 ? "it" : "them"));
    fault.pipe.clear();  // a call of a queue runs on none
    core.Note(std::move(fault));
  }
}

}  // namespace AscendC::simulator
