#include "sim/ascendc/lib/math/basic_forms.h"  // IWYU pragma: export
