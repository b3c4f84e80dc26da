// src0 to the power of src1, each a tensor or a number, not both numbers; half, float, int32_t. Whole
// numbers: modulo 2^32, and 0 for negative powers but of 1 and -1.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

namespace simulator {
template <class T>
inline constexpr LibraryFunction kPowerOf =
    std::is_same_v<PrimT<T>, int32_t> ? LibraryFunction::kPowerInt : LibraryFunction::kPower;
}  // namespace simulator

TILESIM_LIBRARY_FORMS(Power, simulator::kPowerOf<T>, src0.GetSize(), (src0, src1), (),
                      const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1)
TILESIM_LIBRARY_FORMS(Power, simulator::kPowerOf<T>, src0.GetSize(),
                      (src0, simulator::LibraryOperand::Number<T>(src1)), (), const LocalTensor<T>& dst,
                      const LocalTensor<T>& src0, const std::type_identity_t<T>& src1)
TILESIM_LIBRARY_FORMS(Power, simulator::kPowerOf<T>, src1.GetSize(),
                      (simulator::LibraryOperand::Number<T>(src0), src1), (), const LocalTensor<T>& dst,
                      const std::type_identity_t<T>& src0, const LocalTensor<T>& src1)

}  // namespace AscendC
