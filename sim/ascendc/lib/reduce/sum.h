#include "sim/ascendc/lib/reduce/reduce.h"  // IWYU pragma: export
