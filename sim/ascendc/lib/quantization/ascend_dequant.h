#include "sim/ascendc/lib/quantization/quantization.h"  // IWYU pragma: export
