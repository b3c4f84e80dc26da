#pragma once
#include <cstdint>
#include <string>

#include "tiling/core_memory.h"

namespace tilesim {

// What tiling data ask of each memory of a core, in bytes. Knows no limit, and not where the bytes come from.
struct CoreDemand {
  int64_t l0a_bytes = 0;   // both halves
  int64_t l0b_bytes = 0;   // both halves
  int64_t l0c_bytes = 0;   // all L0C tensors
  int64_t l1_a_bytes = 0;  // all L1 copies of A
  int64_t l1_b_bytes = 0;  // all L1 copies of B

  [[nodiscard]] int64_t l1_bytes() const { return l1_a_bytes + l1_b_bytes; }
};

// Does it fit every memory?
bool Fits(const CoreDemand& demand, const CoreMemory& memory);

// "37 % of L0A, 84 % of L0B, 56 % of L0C, its L1 steps 30 % of L1"
std::string SharesOf(const CoreMemory& memory, const CoreDemand& demand);

}  // namespace tilesim
