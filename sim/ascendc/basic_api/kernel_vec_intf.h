// Forwards to the whole kernel-facing API, and opens its namespace, as kernels that include it rely on.
#pragma once

#include "sim/ascendc/kernel_operator.h"  // IWYU pragma: export

using namespace AscendC;
