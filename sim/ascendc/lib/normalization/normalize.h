#include "sim/ascendc/lib/normalization/normalization.h"  // IWYU pragma: export
