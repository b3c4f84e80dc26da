// Sigmoid, 1 / (1 + exp(-x)), of half and float. fp16 is computed in fp32.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {
TILESIM_LIBRARY_ONE_SOURCE(Sigmoid)
}  // namespace AscendC
