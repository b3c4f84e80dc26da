// Activation functions; half, float. fp16 is computed in fp32.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/math/one_value.h"  // IWYU pragma: export

namespace AscendC {

// src0 * Swish(src1), of the factor scalarValue
TILESIM_LIBRARY_FORMS(SwiGLU, simulator::LibraryFunction::kSwiGLU, src0.GetSize(), (src0, src1),
                      (scalarValue), const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                      const LocalTensor<T>& src1, const float& scalarValue)

// All are computed in fp32, whatever highPrecision and highPerformance say.
#define TILESIM_GELU(NAME)                                                               \
  TILESIM_SCRATCH_FORMS(                                                                 \
      (class T, bool highPrecision = false, bool highPerformance = false), NAME,         \
      (const LocalTensor<T>& dst, const LocalTensor<T>& src), (const uint32_t dataSize), \
      TILESIM_LIBRARY_CALL(simulator::LibraryFunction::k##NAME, (src), (), scratch, dataSize);)
TILESIM_GELU(Gelu)          // with the hyperbolic tangent
TILESIM_GELU(FasterGelu)    // src / (1 + exp(-1.702 src))
TILESIM_GELU(FasterGeluV2)  // with a piece of a parabola
#undef TILESIM_GELU

namespace simulator {
void RunSwish(const char* name, const LibraryOperand& dst, const LibraryOperand& src, float beta,
              uint32_t count, SourceLine where);
}  // namespace simulator

// src / (1 + exp(-scalarValue * src)). Swish and Silu take no scratch: dst holds what is between, in its own
// type, and must not be src.
template <class T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize,
           const std::type_identity_t<T> scalarValue, SourceLine where = SourceLine::Here()) {
  simulator::RunSwish("Swish", dst, src, static_cast<float>(scalarValue), dataSize, where);
}
// Swish of the factor 1.
template <class T, bool isReuseSource = false>
void Silu(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize,
          SourceLine where = SourceLine::Here()) {
  simulator::RunSwish("Silu", dst, src, 1.0F, dataSize, where);
}

}  // namespace AscendC
