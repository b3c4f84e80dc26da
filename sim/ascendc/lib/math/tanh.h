// Tanh of half and float. fp16 is computed in fp32; at most 4 units of fp32 in the last place off.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {
TILESIM_LIBRARY_ONE_SOURCE(Tanh)
}  // namespace AscendC
