#include "sim/ascendc/vector_sort.h"  // IWYU pragma: export
