// Forwards to the whole kernel-facing API.
#pragma once

#include "sim/ascendc/kernel_operator.h"  // IWYU pragma: export
