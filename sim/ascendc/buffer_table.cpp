#include "sim/ascendc/buffer_table.h"

#include "formats/error.h"
#include "formats/units.h"

namespace AscendC::internal {

using tilesim::Say;

uint64_t BufferTable::Allocate(tilesim::Core& core, tilesim::Memory memory, uint64_t size_bytes,
                               const std::string& holder) {
  const auto m = static_cast<size_t>(memory);
  const uint64_t rounded = (size_bytes + 31) / 32 * 32;
  const auto capacity = static_cast<uint64_t>(core.CapacityBytes(memory));
  core.Require(rounded <= capacity - used_bytes_[m], tilesim::FaultKind::kCapacity, "", holder, " asks for ",
               rounded, " B of ", Name(memory), ", which has ", capacity, " B of which ",
               capacity - used_bytes_[m], " are free; held: ", Budget(memory),
               "; make one of them smaller by ", rounded - (capacity - used_bytes_[m]), " B");
  const uint64_t offset = used_bytes_[m];
  used_bytes_[m] += rounded;
  holdings_[m].push_back({holder, rounded});
  ++buffers_;
  return offset;
}

std::string BufferTable::Budget(tilesim::Memory memory) const {
  std::string text;
  for (const Holding& holding : holdings_[static_cast<size_t>(memory)]) {
    text += Say(text.empty() ? "" : ", ", holding.holder, " ", holding.size_bytes, " B");
  }
  return text.empty() ? "nothing" : text;
}

void BufferTable::Reset() {
  used_bytes_ = {};
  holdings_ = {};
  buffers_ = 0;
  for (uint32_t& number : numbers_) {
    ++number;
  }
}

int32_t BufferTable::AddSlot() {
  numbers_.push_back(0);
  return static_cast<int32_t>(numbers_.size()) - 1;
}

}  // namespace AscendC::internal
