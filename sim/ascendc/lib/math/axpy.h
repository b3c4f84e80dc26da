// dst = dst + src * scalar, of src narrower than dst, too: (half, half), (float, half), (float, float). The
// form without isReuseSource and without scratch is a basic call.
#pragma once

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

template <class T, class U, bool isReuseSource = false>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const PrimT<U>& scalar,
          const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
          SourceLine where = SourceLine::Here()) {
  TILESIM_LIBRARY_CALL(simulator::LibraryFunction::kAxpy, (dst, src),
                       (simulator::LibraryOperand::ToDouble(scalar)), &sharedTmpBuffer, calCount);
}
template <class T, class U, bool isReuseSource>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const PrimT<U>& scalar,
          const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  Axpy(dst, src, scalar, static_cast<int32_t>(calCount), where);
}

}  // namespace AscendC
