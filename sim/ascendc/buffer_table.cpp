#include "sim/ascendc/buffer_table.h"

#include "formats/error.h"
#include "formats/units.h"

namespace AscendC::simulator {

using tilesim::Say;

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
  state = {.number = state.number + 1, .loan = {}, .free_flag = {}, .tag = -1, .retired = true};
}

Lease BufferTable::LeaseOf(const uint8_t* handle) const {
  const auto slot = static_cast<int32_t>(reinterpret_cast<intptr_t>(handle)) - 1;
  return slot < 0 ? Lease{} : Lease{slot, slots_[static_cast<size_t>(slot)].number};
}

int32_t BufferTable::AddSlot() {
  slots_.emplace_back();
  return static_cast<int32_t>(slots_.size()) - 1;
}

void BufferTable::TellLoans(tilesim::Core& core) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Loan loan = slots_[i].loan;
    if (loan.call == nullptr) {
      continue;
    }
    int64_t tensors = 0;
    for (SlotState& slot : slots_) {
      if (slot.loan.call == loan.call && slot.loan.where == loan.where && slot.loan.queue == loan.queue) {
        ++tensors;
        slot.loan = {};
      }
    }
    core.At(loan.call, loan.pipe, loan.where);
    core.Note(core.MakeFault(
        tilesim::FaultKind::kQueue, "tensor",
        Say(tensors == 1 ? "a tensor" : Say(tensors, " tensors"), " of the TQue at ", loan.queue.file, ":",
            loan.queue.line, tensors == 1 ? " was" : " were", " taken here and given back nowhere before ",
            "the end; EnQue or FreeTensor ", tensors == 1 ? "it" : "them")));
  }
}

}  // namespace AscendC::simulator
