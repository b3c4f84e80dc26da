// Forwards to the whole kernel-facing API: kernels include it by habit; of the matmul object API nothing is
// offered.
#pragma once

#include "sim/ascendc/kernel_operator.h"  // IWYU pragma: export
