// The casts that every kernel of 16-bit tensors makes, many elements at once. The same as CastElement of
// cast_values.h, element by element.
#pragma once

#include <cstddef>

#include "sim/isa/vector_run.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

// dst[i] = src[i] in another type, to nearest even. Steps: of dst, src. Within 64 elements dst may lie over
// src: they are read before any is written.
using BulkCast = void (*)(const std::byte* src, std::byte* dst, const VectorRun& run);
// fp16, bf16 and int32 to fp32; fp32 to fp16 and bf16. `saturate`, of the latter: what is beyond the type
// becomes its largest finite value, NaN becomes 0. A std::logic_error of any other pair.
BulkCast BulkCastFor(VectorType from, VectorType to, bool saturate);

}  // namespace tilesim::isa
