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
template <class T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
         const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  TILESIM_LIBRARY_CALL(simulator::kExpOf<taylorExpandLevel>, (src), (taylorExpandLevel), &sharedTmpBuffer,
                       calCount);
}
template <class T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,
         SourceLine where = SourceLine::Here()) {
  TILESIM_LIBRARY_CALL(simulator::kExpOf<taylorExpandLevel>, (src), (taylorExpandLevel), nullptr, calCount);
}

}  // namespace AscendC
