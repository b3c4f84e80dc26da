// Where an operand of an instruction lies, and what instructions share in stating limits and bytes.
#pragma once

#include <cstdint>
#include <string>

#include "sim/core/core.h"
#include "sim/core/instruction.h"
#include "sim/core/pipe.h"

namespace tilesim::isa {

// Knows no shape: that is said by the instruction's parameters.
struct Operand {
  Memory memory = Memory::kGm;
  uint64_t begin = 0;  // GM: host address; other memories: byte offset
  uint64_t limit =
      0;  // one past the last byte of the tensor's buffer, counted like `begin`; 0: end of the memory
};

// Refuses a parameter outside [least, most]. `name` is the name the API gives it.
[[noreturn]] void RefuseRange(Core& core, const char* name, int64_t value, int64_t least, int64_t most,
                              const char* mend);
inline void RequireRange(Core& core, const char* name, int64_t value, int64_t least, int64_t most,
                         const char* mend) {
  if (value < least || value > most) [[unlikely]] {
    RefuseRange(core, name, value, least, most, mend);
  }
}

// For messages of overlaps, which may come of a size that is too large: "; src ends ..." where `end` passes
// the end of the operand's tensor, else "".
std::string BeyondTensor(const char* name, const Operand& operand, uint64_t end);

// Refuses an operand in another memory than the two given (which may be the same).
[[noreturn]] void RefuseMemory(Core& core, const char* name, const Operand& operand, Memory one,
                               Memory other);
inline void RequireMemory(Core& core, const char* name, const Operand& operand, Memory one, Memory other) {
  if (operand.memory != one && operand.memory != other) [[unlikely]] {
    RefuseMemory(core, name, operand, one, other);
  }
}

constexpr uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }

// What begins so many bytes behind the operand's start.
inline Operand Behind(Operand operand, int64_t bytes) {
  operand.begin += Unsigned(bytes);
  return operand;
}

// What the start of an operand in `memory` must be a multiple of. L0C: as Fixpipe reads it.
constexpr uint32_t AlignBytes(Memory memory) {
  switch (memory) {
    case Memory::kGm:
      return 1;
    case Memory::kL0A:
    case Memory::kL0B:
      return 512;
    case Memory::kL0C:
    case Memory::kBt:
      return 64;
    case Memory::kFb:
      return 128;  // documented; an older text has 64
    default:
      return 32;
  }
}

// One level of repetition of a block of bytes.
struct Repeated {
  uint64_t count = 1;
  uint64_t stride_bytes = 0;  // start to start
};

constexpr Repeated Times(int64_t count, int64_t stride_bytes) {
  return {.count = Unsigned(count), .stride_bytes = Unsigned(stride_bytes)};
}

// A block of bytes, repeated on up to three levels in any order.
struct Pattern {
  uint64_t offset_bytes = 0;  // of the first block, from the operand's start
  uint64_t block_bytes = 0;
  Repeated inner = {};
  Repeated middle = {};
  Repeated outer = {};
};

// Adds the levels of a pattern to the region of its first block.
void RepeatOnLevels(Region& region, const Pattern& pattern);

// The region of a pattern. Levels that continue each other are merged; where more than the two levels of a
// Region remain, the innermost becomes one interval, gaps included.
inline Region RegionOf(const Operand& operand, Use use, const char* name, const Pattern& pattern) {
  Region region{.memory = operand.memory,
                .use = use,
                .operand = name,
                .begin = operand.begin + pattern.offset_bytes,
                .block_bytes = pattern.block_bytes,
                .align_bytes = AlignBytes(operand.memory),
                .limit = operand.limit};
  if (pattern.middle.count != 1 || pattern.outer.count != 1) {
    RepeatOnLevels(region, pattern);
  } else if (pattern.inner.stride_bytes <= pattern.block_bytes || pattern.inner.count <= 1) {
    region.block_bytes = pattern.inner.count == 0
                             ? 0
                             : region.block_bytes + (pattern.inner.count - 1) * pattern.inner.stride_bytes;
  } else {  // most patterns have one level
    region.count = pattern.inner.count;
    region.stride_bytes = pattern.inner.stride_bytes;
  }
  return region;
}

}  // namespace tilesim::isa
