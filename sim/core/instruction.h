// What every instruction states about itself: which bytes it reads and writes, and how long it takes.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/pipe.h"

namespace tilesim {

enum class Use : uint8_t { kRead, kWrite, kAtomic };

// A set of bytes of one memory: `outer_count` groups of `count` blocks of `block_bytes` each.
// GM addresses are host addresses; all others are byte offsets in their memory.
struct Region {
  Memory memory = Memory::kGm;
  Use use = Use::kRead;
  const char* operand = "";  // "dst", "src", "a", ...
  uint64_t begin = 0;        // address of the first byte
  uint64_t block_bytes = 0;
  uint64_t count = 1;
  uint64_t stride_bytes = 0;  // start to start
  uint64_t outer_count = 1;
  uint64_t outer_stride_bytes = 0;
  uint32_t align_bytes = 1;  // what `begin` must be a multiple of; a power of 2
  uint64_t limit = 0;  // one past the last byte of the tensor's buffer; 0: the end of the memory or GM buffer
  // Of what is read: why it must hold values ("are offsets"); nullptr: the instruction makes values of it,
  // which hold none where it does not.
  const char* decides = nullptr;
  bool with_gaps = false;  // some of its bytes may not be touched: it says more than what is
  bool by_rule = false;    // of GM: cores tell each other something here, and need no other order

  // One past the last byte.
  uint64_t end() const {
    return begin + (outer_count - 1) * outer_stride_bytes + (count - 1) * stride_bytes + block_bytes;
  }
  uint64_t total_bytes() const { return block_bytes * count * outer_count; }

  // Calls f(begin, end) for each run of bytes; blocks that touch each other are one.
  template <class F>
  void ForEachRun(F&& f) const {
    const bool one_group = stride_bytes == block_bytes || count == 1;
    const uint64_t group_bytes = one_group ? count * block_bytes : block_bytes;
    if (one_group && (outer_count == 1 || outer_stride_bytes == group_bytes)) {
      f(begin, begin + group_bytes * outer_count);
      return;
    }
    for (uint64_t outer = 0; outer < outer_count; ++outer) {
      const uint64_t group = begin + outer * outer_stride_bytes;
      for (uint64_t i = 0; i < (one_group ? 1 : count); ++i) {
        f(group + i * stride_bytes, group + i * stride_bytes + group_bytes);
      }
    }
  }
};

// Up to 34 regions (TransDataTo5HD names 32 rows), in the order the instruction names its operands.
class Operands {
 public:
  Operands() {}  // leaves regions_ unset: made once an instruction, it would take longer than everything else
  void Add(const Region& region) {
    if (region.block_bytes != 0 && region.count != 0 && region.outer_count != 0) {
      regions_[static_cast<size_t>(size_++)] = region;
    }
  }
  const Region* begin() const { return regions_.data(); }
  const Region* end() const { return regions_.data() + size_; }
  int size() const { return size_; }

 private:
  union {
    std::array<Region, 34> regions_;  // the first size_ are set
  };
  int size_ = 0;
};

// Time of one instruction on its pipe, in cycles of the core's clock.
struct Cost {
  int64_t busy_cycles = 0;     // the next instruction of the pipe may start after these
  int64_t latency_cycles = 0;  // beyond busy: until the result may be used

  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace tilesim
