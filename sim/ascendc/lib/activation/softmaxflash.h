#include "sim/ascendc/lib/activation/softmax.h"  // IWYU pragma: export
