// Functions that are basic calls, or two, and need no scratch. half, float; Arange: int16_t, half, int32_t,
// float.
#pragma once

#include "sim/ascendc/elementwise.h"
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

#define TILESIM_WITHOUT_SCRATCH(NAME, ...)                                                                 \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,                 \
            SourceLine where = SourceLine::Here()) {                                                       \
    __VA_ARGS__;                                                                                           \
  }                                                                                                        \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, SourceLine where = SourceLine::Here()) { \
    NAME<T, isReuseSource>(dst, src, src.GetSize(), where);                                                \
  }                                                                                                        \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                          \
            const LocalTensor<uint8_t>& /*sharedTmpBuffer*/, const uint32_t calCount,                      \
            SourceLine where = SourceLine::Here()) {                                                       \
    NAME<T, isReuseSource>(dst, src, calCount, where);                                                     \
  }                                                                                                        \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                          \
            const LocalTensor<uint8_t>& /*sharedTmpBuffer*/, SourceLine where = SourceLine::Here()) {      \
    NAME<T, isReuseSource>(dst, src, src.GetSize(), where);                                                \
  }
TILESIM_WITHOUT_SCRATCH(Log, Ln(dst, src, static_cast<int32_t>(calCount), where))
TILESIM_WITHOUT_SCRATCH(Log10, simulator::ScaledLog(dst, src, 0.434294482F, calCount, where))
#undef TILESIM_WITHOUT_SCRATCH

// Floor with a count is a basic call.
template <class T, bool isReuseSource = false>
void Floor(const LocalTensor<T>& dst, const LocalTensor<T>& src, SourceLine where = SourceLine::Here()) {
  Floor<T, isReuseSource>(dst, src, src.GetSize(), where);
}
template <class T, bool isReuseSource = false>
void Floor(const LocalTensor<T>& dst, const LocalTensor<T>& src,
           const LocalTensor<uint8_t>& /*sharedTmpBuffer*/, SourceLine where = SourceLine::Here()) {
  Floor<T, isReuseSource>(dst, src, src.GetSize(), where);
}

// What is above scalar becomes it.
template <class T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::type_identity_t<T> scalar,
              const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  Mins<T>(dst, src, scalar, static_cast<int32_t>(calCount), where);
}
template <class T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const LocalTensor<uint8_t>& /*sharedTmpBuffer*/, const std::type_identity_t<T> scalar,
              const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  Mins<T>(dst, src, scalar, static_cast<int32_t>(calCount), where);
}
// What is below scalar becomes it.
template <class T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::type_identity_t<T> scalar,
              const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  Maxs<T>(dst, src, scalar, static_cast<int32_t>(calCount), where);
}
template <class T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const LocalTensor<uint8_t>& /*sharedTmpBuffer*/, const std::type_identity_t<T> scalar,
              const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  Maxs<T>(dst, src, scalar, static_cast<int32_t>(calCount), where);
}

// dst[i] = firstValue + i * diffValue, as ArithProgression.
template <class T>
void Arange(const LocalTensor<T>& dst, const std::type_identity_t<T> firstValue,
            const std::type_identity_t<T> diffValue, const int32_t count,
            SourceLine where = SourceLine::Here()) {
  ArithProgression<T>(dst, firstValue, diffValue, count, where);
}

}  // namespace AscendC
