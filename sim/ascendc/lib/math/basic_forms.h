// Functions that are basic calls, or two, and need no scratch. half, float; Arange: int16_t, half, int32_t,
// float.
#pragma once

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/vector_cast.h"
#include "sim/ascendc/vector_fill.h"

namespace AscendC {

namespace simulator {

// dst = ln(src) * factor, in the type itself.
template <class T>
void ScaledLog(const LocalTensor<T>& dst, const LocalTensor<T>& src, float factor, uint32_t count,
               SourceLine where) {
  if (const LibraryCall library("Log10", where); tilesim::Core* const core = library.core()) {
    Ln(dst, src, static_cast<int32_t>(count), where);
    core->Barrier(tilesim::Pipe::kV, where);
    Muls<T>(dst, dst, T(factor), static_cast<int32_t>(count), where);
    core->Barrier(tilesim::Pipe::kV, where);
  }
}

}  // namespace simulator

#define TILESIM_LOG(NAME, CALL)                                                                            \
  TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), NAME,                                       \
                        (const LocalTensor<T>& dst, const LocalTensor<T>& src), (const uint32_t calCount), \
                        CALL;)                                                                             \
  TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), NAME,                                       \
                        (const LocalTensor<T>& dst, const LocalTensor<T>& src), (),                        \
                        NAME<T, isReuseSource>(dst, src, src.GetSize(), where);)
TILESIM_LOG(Log, Ln(dst, src, static_cast<int32_t>(calCount), where))
TILESIM_LOG(Log10, simulator::ScaledLog(dst, src, 0.434294482F, calCount, where))
#undef TILESIM_LOG

// Floor with a count is a basic call.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), Floor,
                      (const LocalTensor<T>& dst, const LocalTensor<T>& src), (),
                      Floor<T, isReuseSource>(dst, src, src.GetSize(), where);)

#define TILESIM_CLAMP(NAME, BASIC_CALL)                                                  \
  TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), NAME,                     \
                        (const LocalTensor<T>& dst, const LocalTensor<T>& src),          \
                        (const std::type_identity_t<T> scalar, const uint32_t calCount), \
                        BASIC_CALL<T>(dst, src, scalar, static_cast<int32_t>(calCount), where);)
TILESIM_CLAMP(ClampMax, Mins)  // what is above scalar becomes it
TILESIM_CLAMP(ClampMin, Maxs)  // what is below scalar becomes it
#undef TILESIM_CLAMP

// dst[i] = firstValue + i * diffValue, as ArithProgression.
template <class T>
void Arange(const LocalTensor<T>& dst, const std::type_identity_t<T> firstValue,
            const std::type_identity_t<T> diffValue, const int32_t count,
            SourceLine where = SourceLine::Here()) {
  ArithProgression<T>(dst, firstValue, diffValue, count, where);
}

}  // namespace AscendC
