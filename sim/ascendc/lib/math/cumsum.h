#include "sim/ascendc/lib/transpose/transpose.h"  // IWYU pragma: export
