// The casts that every kernel of 16-bit tensors makes, many elements at once. The same as CastElement of
// cast_values.h, element by element.
#pragma once

#include <cstddef>

#include "formats/half.h"
#include "sim/isa/vector_run.h"

namespace tilesim::isa {

// Steps: of dst, src. Within 64 elements dst may lie over src: they are read before any is written.
void WidenRun(const Half* src, float* dst, const VectorRun& run);
void WidenRun(const BFloat16* src, float* dst, const VectorRun& run);
// To nearest even. `saturate`: what is beyond the type becomes its largest finite value, NaN becomes 0.
void NarrowRun(const float* src, Half* dst, const VectorRun& run, bool saturate);
void NarrowRun(const float* src, BFloat16* dst, const VectorRun& run, bool saturate);
// To nearest even.
void WholeToFloatRun(const int32_t* src, float* dst, const VectorRun& run);

}  // namespace tilesim::isa
