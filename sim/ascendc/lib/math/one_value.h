// The elementwise functions of one or two tensors, by their rows in library_functions.h.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

#define TILESIM_ONE_SOURCE(NAME, ...)                                                        \
  TILESIM_LIBRARY_FORMS(NAME, simulator::LibraryFunction::k##NAME, src.GetSize(), (src), (), \
                        const LocalTensor<T>& dst, const LocalTensor<T>& src)
#define TILESIM_TWO_SOURCES(NAME, ...)                                                               \
  TILESIM_LIBRARY_FORMS(NAME, simulator::LibraryFunction::k##NAME, src0.GetSize(), (src0, src1), (), \
                        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1)
#define TILESIM_OWN_FORMS(...)
TILESIM_FUNCTIONS_OF_ONE_NAME(TILESIM_ONE_SOURCE, TILESIM_TWO_SOURCES, TILESIM_OWN_FORMS)
#undef TILESIM_ONE_SOURCE
#undef TILESIM_TWO_SOURCES
#undef TILESIM_OWN_FORMS

}  // namespace AscendC
