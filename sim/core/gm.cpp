#include "sim/core/gm.h"

#include <algorithm>
#include <cstring>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr uint64_t kWordBytes = 4;

const std::byte* Bytes(uint64_t address) { return reinterpret_cast<const std::byte*>(address); }

// Each byte is as the one before it, and the first one is `unwritten`.
bool AreAll(std::byte unwritten, uint64_t begin, uint64_t end) {
  return *Bytes(begin) == unwritten && std::memcmp(Bytes(begin), Bytes(begin) + 1, end - begin - 1) == 0;
}

// The first byte of [begin, end) in a word that was stored to, or was not; words at the ends may be shorter.
uint64_t FirstWord(bool stored, std::byte unwritten, uint64_t begin, uint64_t end) {
  constexpr uint64_t kStep = 4096;
  for (uint64_t at = begin; at < end;) {
    const uint64_t step_end = std::min(at + kStep, end);
    if (stored && AreAll(unwritten, at, step_end)) {
      at = step_end;
      continue;
    }
    while (at < step_end) {
      const uint64_t next = std::min(at / kWordBytes * kWordBytes + kWordBytes, end);
      const bool is_stored =
          std::any_of(Bytes(at), Bytes(next), [=](std::byte byte) { return byte != unwritten; });
      if (is_stored == stored) {
        return at;
      }
      at = next;
    }
  }
  return end;
}

}  // namespace

uint64_t FirstStored(std::byte unwritten, uint64_t begin, uint64_t end) {
  return FirstWord(true, unwritten, begin, end);
}
uint64_t FirstNotStored(std::byte unwritten, uint64_t begin, uint64_t end) {
  return FirstWord(false, unwritten, begin, end);
}

const GmBuffer* GmSpace::Find(uint64_t address) const {
  for (const GmBuffer& buffer : buffers_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return &buffer;
    }
  }
  return nullptr;
}

std::string GmSpace::PlaceOf(uint64_t begin, uint64_t end) const {
  const GmBuffer* const buffer = Find(begin);
  return buffer == nullptr ? Say("GM bytes [", begin, ", ", end, ")")
                           : Say("GM buffer ", buffer->name, " bytes [", begin - buffer->address, ", ",
                                 end - buffer->address, ")");
}

std::string GmSpace::Describe(uint64_t address) const {
  constexpr uint64_t kNear = 65536;  // bytes: a step over the end, or another place altogether
  constexpr const char* kMemory =
      "; hand the kernel memory of the device (aclrtMalloc, GmAlloc, or LaunchOptions::gm)";
  if (address == 0) {
    return Say("GM address 0 is a null pointer", kMemory);
  }
  std::string text = Say("GM address ", address, " is in no buffer of this launch");
  for (const GmBuffer& buffer : freed_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return text + Say(": ", buffer.name, ", which held it, was freed before", kMemory);
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
    return text + Say(": it is ", behind == 0 ? "the byte" : Say(behind, " bytes"), " behind the end of ",
                      below->name, ", which has ", below->size_bytes,
                      " bytes; make the buffer larger or the offset smaller");
  }
  return text + kMemory;
}

}  // namespace tilesim
