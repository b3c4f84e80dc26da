// The moves of words by which cores tell each other something in GM. Cores need no other order for them; what
// other cores do to these bytes is not looked for. Each word is the first of a data block of 32 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/core.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// Blocks GM -> UB: the words as Core::PollGm saw them, 0 behind each.
struct SyncWordsIn {
  static constexpr const char* kName = "DataCopy";
  Operand dst;  // UB
  Operand src;  // GM
  const std::vector<int32_t>& seen;

  [[nodiscard]] Pipe pipe() const { return Pipe::kMte2; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

// Bytes UB -> GM, stored, or added as int32 whatever the atomic register says.
struct SyncWordsOut {
  static constexpr const char* kName = "DataCopy";
  Operand dst;  // GM
  Operand src;  // UB
  int64_t bytes = 32;
  bool adds = false;

  [[nodiscard]] Pipe pipe() const { return Pipe::kMte3; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  InstructionTime TimeOn(Core& core) const;
};

}  // namespace tilesim::isa
