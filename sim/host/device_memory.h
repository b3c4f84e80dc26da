// The memory of the simulated device, on the host: who has which bytes, and which of them hold values.
// Addresses are never used again, so what was freed is known as that. Knows no stream and prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/gm.h"
#include "sim/core/interval_set.h"

namespace tilesim::host {

enum class BufferSource : uint8_t {
  kAcl,         // aclrtMalloc
  kGmAlloc,     // GmAlloc
  kRegistered,  // tilesim_register: somebody else's memory
  kUnknown,     // an address that a launch was given, and nobody made known
};

struct DeviceBuffer {
  std::string name;          // "aclrtMalloc 2"
  std::string used_as = {};  // by the last launch that was given it: "z of add_custom"; empty: by none
  uint64_t address = 0;
  uint64_t size_bytes = 0;
  BufferSource source = BufferSource::kAcl;
  bool filled = false;                      // every byte holds a value
  IntervalSet written = {};                 // else these do
  std::optional<std::byte> unwritten = {};  // what the others hold; of memory that Allocate gave
  bool told_unwritten = false;              // that some of its bytes hold no values

  // "aclrtMalloc 2 (z of add_custom)"
  [[nodiscard]] std::string Text() const { return used_as.empty() ? name : name + " (" + used_as + ")"; }
  [[nodiscard]] uint64_t end() const { return address + size_bytes; }
  // The first bytes of [begin, end) that hold no value, as a run; an empty run at `end`: none.
  struct Run {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  [[nodiscard]] Run FirstUnwritten(uint64_t from, uint64_t to) const {
    Run first{to, to};
    if (!filled) {
      ForEachUnwritten(unwritten, written, from, to, [&](uint64_t begin, uint64_t end) {
        first = first.begin == to ? Run{begin, end} : first;
      });
    }
    return first;
  }
};

class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  // Zeros that are values where `filled`, else bytes that are none: 0xcb, or zeros where a buffer is larger
  // than 64 MiB, or all are larger than 1 GiB together, whose pages should not be touched before somebody
  // needs them. 4096-byte aligned, with addresses behind it that nobody has. nullptr: the host has no room. A
  // size of 0 gives an address that holds nothing.
  void* Allocate(uint64_t size_bytes, BufferSource source, bool filled);
  // Memory that somebody else owns; in place of what was registered there before.
  void Register(void* address, uint64_t size_bytes, BufferSource source);
  // Gives it back; "" or why it cannot.
  std::string Free(const void* address, BufferSource source);
  // All that Allocate gave for this source.
  void FreeAll(BufferSource source);

  // The buffer that holds `address`, or nullptr.
  DeviceBuffer* Find(const void* address);
  // Whether the buffer that held `address` was freed.
  [[nodiscard]] const GmBuffer* FindFreed(const void* address) const;
  [[nodiscard]] uint64_t used_bytes() const { return used_bytes_; }
  [[nodiscard]] bool Any(BufferSource source) const;
  [[nodiscard]] std::vector<DeviceBuffer> All() const;
  // Forgets the memory that nobody made known.
  void DropUnknown();
  // [begin, begin + size) holds values from now on.
  void NoteWritten(const void* begin, uint64_t size_bytes);

  // It holds what [from, from + size) of the device holds.
  void NoteCopied(const void* to, const void* from, uint64_t size_bytes);

  // What a launch may touch; `names` of buffers, by their address, win over their own.
  [[nodiscard]] GmSpace Space(const std::map<uint64_t, std::string>& names) const;
  // Of buffers that are not filled, what holds values; and that this is so from now on.
  [[nodiscard]] IntervalSet Written() const;
  void TakeWritten(const IntervalSet& written);
  // Every byte counts as written: a run that did not look may have.
  void FillAll();

  // The bytes of all buffers, to put them back later.
  using Saved = std::map<uint64_t, std::vector<std::byte>>;
  [[nodiscard]] Saved Save() const;
  void Restore(const Saved& saved);

 private:
  std::map<uint64_t, DeviceBuffer> buffers_;  // by address
  std::vector<GmBuffer> freed_;
  uint64_t arena_begin_ = 0;
  uint64_t arena_end_ = 0;
  uint64_t next_ = 0;  // in the arena
  uint64_t used_bytes_ = 0;
  uint64_t marked_bytes_ = 0;  // that Allocate has filled with bytes that are no values
  int num_acl_ = 0;
  int num_gm_alloc_ = 0;
  int num_registered_ = 0;
};

}  // namespace tilesim::host
