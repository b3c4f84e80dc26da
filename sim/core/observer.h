// What a core did, in numbers.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/instruction.h"
#include "sim/core/issued.h"
#include "sim/core/pipe.h"

namespace tilesim {

struct CoreStatistics {
  std::array<int64_t, kNumPipes> instructions{};  // without flags and barriers
  std::array<int64_t, kNumPipes> busy_cycles{};   // S: issuing, too
  int64_t library_instructions = 0;               // of those of V: steps of the library's functions
  int64_t sync_instructions = 0;                  // flags, barriers, cross-core flags
  int64_t gm_read_bytes = 0;
  int64_t gm_write_bytes = 0;
  int64_t l2_hit_bytes = 0;  // of the bytes read
  int64_t l2_miss_bytes = 0;
  int64_t l2_slice_cycles = 0;  // of MTE2's busy cycles: more than all but L2's slices would have taken
  int64_t end_cycle = 0;        // everything this core did is complete; 0 where time is off

  int64_t TotalInstructions() const {
    int64_t total = sync_instructions;
    for (const int64_t count : instructions) {
      total += count;
    }
    return total;
  }
};

// Sees every instruction of every core. Calls for one core come in program order, from one thread at a time;
// calls for different cores may come from different threads.
class Observer {
 public:
  virtual ~Observer() = default;
  // `core_index`: 0 .. number of launched cores - 1 in the launch's order.
  virtual void OnInstruction(int core_index, const Issued& instruction, const Operands& operands) = 0;
};

}  // namespace tilesim
