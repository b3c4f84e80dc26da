#include "sim/ascendc/lib/math/one_value.h"  // IWYU pragma: export
