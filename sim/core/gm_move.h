// A move of bytes between GM and a core, as the clock needs it: what it costs depends on where the bytes are
// found and on who else moves some at that time.
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "sim/core/instruction.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct GmBytes {
  int64_t hit = 0;   // that L2 gives or takes
  int64_t miss = 0;  // from HBM, or to it
};

// What L2 does with the bytes that it gives or takes: its rate depends on it.
enum class L2Work : uint8_t { kOwn, kSame, kAtomic };  // of one core; what several cores read; updates

// Bytes a cycle, of all cores together.
inline double L2TotalOf(const SocConfig& soc, L2Work work) {
  return work == L2Work::kAtomic ? soc.l2_atomic_total_bytes_per_cycle
         : work == L2Work::kSame ? soc.l2_same_total_bytes_per_cycle
                                 : soc.l2_total_bytes_per_cycle;
}

// What a cost rule is told: bytes in `bursts` pieces, on a core that shares GM evenly with `cores` - 1
// others. The clock asks for a core alone, and then what follows from what others leave it.
struct GmMove {
  GmBytes bytes = {};
  int64_t bursts = 1;
  int64_t cores = 1;
  int64_t least_cycles = 0;  // that it is busy, for others leave it no more
  L2Work l2_work = L2Work::kOwn;
};

// How long a move takes: `of(soc, move, details)`. `details` are what the rule needs beside the move.
using GmRuleDetails = std::array<int64_t, 3>;
using GmRuleFunction = Cost (*)(const SocConfig&, const GmMove&, const GmRuleDetails&);
struct GmRule {
  using Details = GmRuleDetails;

  GmRuleFunction of = nullptr;
  Details details = {};

  friend bool operator==(const GmRule&, const GmRule&) = default;
};

// The time of an instruction that moves bytes of GM: `region` as in its footprint.
struct GmPassage {
  Region region = {};
  GmRule rule = {};
};

// What instructions say of their time.
using InstructionTime = std::variant<Cost, GmPassage>;

// A passage as a pattern, for it recurs at other places. `shape` begins at 0.
struct GmPattern {
  Region shape = {};
  GmRule rule = {};
  uint32_t buffer = 0;  // of the launch

  int64_t bursts() const { return static_cast<int64_t>(shape.count * shape.outer_count); }
  uint64_t Hash() const {
    return (shape.block_bytes * 31 + shape.count) * 0x9E3779B97F4A7C15 ^
           (shape.outer_count * 131 + shape.stride_bytes + shape.outer_stride_bytes * 17) *
               0xC2B2AE3D27D4EB4F ^
           static_cast<uint64_t>(rule.details[0]) << 32 ^ static_cast<uint64_t>(rule.details[1]) << 16 ^
           buffer;
  }
  friend bool operator==(const GmPattern& a, const GmPattern& b) {
    return a.rule == b.rule && a.buffer == b.buffer && a.shape.use == b.shape.use &&
           a.shape.block_bytes == b.shape.block_bytes && a.shape.count == b.shape.count &&
           a.shape.stride_bytes == b.shape.stride_bytes && a.shape.outer_count == b.shape.outer_count &&
           a.shape.outer_stride_bytes == b.shape.outer_stride_bytes;
  }
};

// What a pattern's move takes at least: of a core alone, all of it found in L2.
inline int64_t AloneCycles(const SocConfig& soc, const GmPattern& pattern) {
  const GmBytes found{.hit = static_cast<int64_t>(pattern.shape.total_bytes()), .miss = 0};
  const GmMove move{.bytes = found, .bursts = pattern.bursts(), .cores = 1, .least_cycles = 0};
  return pattern.rule.of(soc, move, pattern.rule.details).busy_cycles;
}

}  // namespace tilesim
