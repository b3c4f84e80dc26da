// Which memories a copy joins.
#pragma once

#include "sim/core/core.h"
#include "sim/core/pipe.h"
#include "sim/isa/operand.h"

namespace tilesim::isa {

// Refuses a copy between two memories that it does not join, and says what `from` is joined to.
[[noreturn]] void RefusePath(Core& core, Memory from, Memory to);

// Refuses an operand `to` that is in none of the two memories given.
inline void RequirePath(Core& core, const Operand& from, const Operand& to, bool joined) {
  if (!joined) [[unlikely]] {
    RefusePath(core, from.memory, to.memory);
  }
}

// Refuses a copy from UB to L1: only the server of a Matmul object makes it, which is not modelled.
[[noreturn]] void RefuseUbToL1(Core& core);

}  // namespace tilesim::isa
