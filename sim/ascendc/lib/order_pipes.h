// A flag from one pipe to another, for calls that the scalar unit takes part in.
#pragma once

#include "sim/ascendc/tensor.h"

namespace AscendC::simulator {

// Sets an event that is free, and waits for it.
void OrderPipes(tilesim::Core& core, HardEvent event, SourceLine where);

}  // namespace AscendC::simulator
