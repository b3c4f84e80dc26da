// Forwards to what kernels print with.
#pragma once

#include "sim/ascendc/kernel_operator.h"  // IWYU pragma: export
