// Global memory: the buffers of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/interval_set.h"

namespace tilesim {

// One buffer the host handed to the kernel. `address` is a host address; without values (timing mode) nothing
// stands behind it and it is only a number.
struct GmBuffer {
  std::string name;
  uint64_t address = 0;
  uint64_t size_bytes = 0;
  bool initialised = true;  // false: reading a byte before it is written is a fault
  // What the bytes hold that nobody has written, where the host says it; see FirstStored.
  std::optional<std::byte> unwritten = {};
};

// Stores through a plain pointer (`__gm__ T*`) are no instructions. They are seen by what they leave: of
// bytes [begin, end) that no instruction has written and that held `unwritten`, an aligned word of 4 bytes
// was stored to if any of it holds anything else. The first byte of a word that was, and that was not; `end`
// where there is none.
uint64_t FirstStored(std::byte unwritten, uint64_t begin, uint64_t end);
uint64_t FirstNotStored(std::byte unwritten, uint64_t begin, uint64_t end);

// Calls f(begin, end) for the bytes of [begin, end) that are neither in `written` nor stored to.
template <class F>
void ForEachUnwritten(std::optional<std::byte> unwritten, const IntervalSet& written, uint64_t begin,
                      uint64_t end, F&& f) {
  for (uint64_t at = written.FirstGap(begin, end); at < end;) {
    const uint64_t gap_end = written.FirstIn(at, end);
    for (; at < gap_end; at = unwritten ? FirstNotStored(*unwritten, at, gap_end) : gap_end) {
      const uint64_t stored = unwritten ? FirstStored(*unwritten, at, gap_end) : gap_end;
      if (at < stored) {
        f(at, stored);
      }
      at = stored;
    }
    at = written.FirstGap(gap_end, end);
  }
}

// The buffers of a launch; never changes while a kernel runs.
class GmSpace {
 public:
  void Add(GmBuffer buffer) { buffers_.push_back(std::move(buffer)); }
  // It was freed before the launch: touching it is told as that.
  void AddFreed(GmBuffer buffer) { freed_.push_back(std::move(buffer)); }
  // The buffer that holds `address`, or nullptr.
  const GmBuffer* Find(uint64_t address) const;
  // "GM buffer dw bytes [0, 64)"
  std::string PlaceOf(uint64_t begin, uint64_t end) const;
  // Of an address in none of them, why: "GM address 64 is in no buffer of this launch: ...".
  std::string Describe(uint64_t address) const;
  const std::vector<GmBuffer>& buffers() const { return buffers_; }

 private:
  std::vector<GmBuffer> buffers_;
  std::vector<GmBuffer> freed_;
};

}  // namespace tilesim
