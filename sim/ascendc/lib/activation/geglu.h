#include "sim/ascendc/lib/activation/activation.h"  // IWYU pragma: export
