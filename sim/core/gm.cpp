#include "sim/core/gm.h"

#include "formats/error.h"

namespace tilesim {

const GmBuffer* GmSpace::Find(uint64_t address) const {
  for (const GmBuffer& buffer : buffers_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return &buffer;
    }
  }
  return nullptr;
}

std::string GmSpace::Describe(uint64_t address) const {
  constexpr uint64_t kNear = 65536;  // bytes: a step over the end, or another place altogether
  if (address == 0) {
    return "GM address 0 is a null pointer";
  }
  std::string text = Say("GM address ", address, " is in no buffer of this launch");
  for (const GmBuffer& buffer : freed_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return text + Say(": ", buffer.name, ", which held it, was freed before");
    }
  }
  const GmBuffer* below = nullptr;
  for (const GmBuffer& buffer : buffers_) {
    if (buffer.address <= address && (below == nullptr || buffer.address > below->address)) {
      below = &buffer;
    }
  }
  const uint64_t behind = below == nullptr ? kNear : address - (below->address + below->size_bytes);
  if (behind < kNear) {
    text += Say(": it is ", behind == 0 ? "the byte" : Say(behind, " bytes"), " behind the end of ",
                below->name, ", which has ", below->size_bytes, " bytes");
  }
  return text;
}

}  // namespace tilesim
