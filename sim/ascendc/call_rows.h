// What is told of the calls that are not one instruction each, for `tilesim list instructions`: sequences of
// instructions, and registers.
#pragma once

#include "sim/isa/instruction_row.h"

namespace tilesim {

void AddCallRows(isa::InstructionRows& rows);

}  // namespace tilesim
