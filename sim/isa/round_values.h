// Floats rounded to whole numbers, many at once. The same as RoundToWhole of cast_values.h, element by
// element.
#pragma once

#include <cstdint>

#include "sim/isa/cast_rule.h"

namespace tilesim::isa {

// dst may be src; kOdd does not occur.
void RoundFloats(Round round, const float* src, float* dst, int64_t count);
// Beyond int32: its nearest number; NaN: 0.
void FloatsToInt32(Round round, const float* src, int32_t* dst, int64_t count);
// Beyond +-most: +-most; NaN: 0. dst may be src.
void ClampFloats(float most, const float* src, float* dst, int64_t count);

}  // namespace tilesim::isa
