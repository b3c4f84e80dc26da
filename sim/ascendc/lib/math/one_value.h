// Functions of the numbers of one place: dst[i] of src[i], or of src0[i] and src1[i]. half, float, unless
// said otherwise; fp16 is computed in fp32.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

TILESIM_LIBRARY_ONE_SOURCE(Sign)     // -1, 0 or 1; NaN of NaN
TILESIM_LIBRARY_ONE_SOURCE(Ceil)     // the smallest whole number not below
TILESIM_LIBRARY_ONE_SOURCE(Trunc)    // the whole number next towards zero
TILESIM_LIBRARY_ONE_SOURCE(Round)    // the nearest whole number, of two the even one
TILESIM_LIBRARY_ONE_SOURCE(Frac)     // src - trunc(src)
TILESIM_LIBRARY_ONE_SOURCE(Log2)     // to the base 2
TILESIM_LIBRARY_ONE_SOURCE(Erf)      // the error function
TILESIM_LIBRARY_ONE_SOURCE(Erfc)     // 1 - erf(src)
TILESIM_LIBRARY_ONE_SOURCE(Lgamma)   // ln|gamma(src)|
TILESIM_LIBRARY_ONE_SOURCE(Digamma)  // its derivative
TILESIM_LIBRARY_ONE_SOURCE(Sin)      // of radians, up to 65504 of either sign
TILESIM_LIBRARY_ONE_SOURCE(Cos)
TILESIM_LIBRARY_ONE_SOURCE(Tan)
TILESIM_LIBRARY_ONE_SOURCE(Asin)  // NaN beyond 1
TILESIM_LIBRARY_ONE_SOURCE(Acos)
TILESIM_LIBRARY_ONE_SOURCE(Atan)
TILESIM_LIBRARY_ONE_SOURCE(Sinh)
TILESIM_LIBRARY_ONE_SOURCE(Cosh)
TILESIM_LIBRARY_ONE_SOURCE(Tanh)
TILESIM_LIBRARY_ONE_SOURCE(Asinh)
TILESIM_LIBRARY_ONE_SOURCE(Acosh)  // NaN below 1
TILESIM_LIBRARY_ONE_SOURCE(Atanh)  // NaN beyond 1

TILESIM_LIBRARY_TWO_SOURCES(Fmod)  // the remainder of src0 / src1, with the sign of src0
TILESIM_LIBRARY_TWO_SOURCES(Xor)   // int16_t, uint16_t

}  // namespace AscendC
