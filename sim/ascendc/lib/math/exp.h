// exp by a Taylor polynomial; half, float. The form without taylorExpandLevel is a basic call.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

namespace simulator {
template <uint8_t level>
inline constexpr LibraryFunction kExpOf =
    level == 0 ? LibraryFunction::kExpPlain : LibraryFunction::kExpTaylor;
}  // namespace simulator

// Of the degree taylorExpandLevel, from 9 on as exact as fp32; 0: without a polynomial.
TILESIM_SCRATCH_FORMS((class T, uint8_t taylorExpandLevel, bool isReuseSource = false), Exp,
                      (const LocalTensor<T>& dst, const LocalTensor<T>& src), (const uint32_t calCount),
                      TILESIM_LIBRARY_CALL(simulator::kExpOf<taylorExpandLevel>, (src), (taylorExpandLevel),
                                           scratch, calCount);)

}  // namespace AscendC
