// Floats rounded to whole numbers, many at once: each as RoundToWhole of cast_values.h has it.
#pragma once

#include "sim/isa/cast_rule.h"
#include "sim/isa/vector_values.h"

namespace tilesim::isa {

// As fp32, or `to_int32`: beyond it its nearest number, and 0 of NaN. kOdd does not occur.
BulkCast RoundCastFor(Round round, bool to_int32);

}  // namespace tilesim::isa
