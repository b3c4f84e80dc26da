// Values on their way into L0A and L0B: bytes of fractals widened to the k-major floats of L0Memory. Knows no
// instruction. Compiled for several instruction sets; all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/l0_memory.h"
#include "sim/isa/cube_type.h"

namespace tilesim::isa {

// A fractal of 16 rows of 32 bytes of a floating type.
void WidenFractal(DType dtype, const std::byte* src, float* dst);

// The transpose of a fractal of a 16-bit type.
void WidenTransposedFractal(DType dtype, const std::byte* src, float* dst);

// Makes fractal `index` one of elements of `type`, from its bytes; `transpose`: of a 16-bit type.
void LandFractal(L0Memory& memory, int64_t index, CubeType type, const std::byte* src, bool transpose);

// Rewrites fractal `index` as one of `type` with the same bytes.
void RewriteAs(L0Memory& memory, int64_t index, FractalType type);

// Makes fractal `index` one of `type` without changing its bytes, as an instruction that takes them for
// another type sees them. A fractal that nothing was loaded into holds zeros of every type.
inline void Reinterpret(L0Memory& memory, int64_t index, FractalType type) {
  if (memory.type(index) != type) [[unlikely]] {
    RewriteAs(memory, index, type);
  }
}

}  // namespace tilesim::isa
