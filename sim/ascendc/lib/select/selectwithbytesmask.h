// Select with a mask of whole elements instead of bits.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
  uint32_t firstAxis = 0;     // rows
  uint32_t srcLastAxis = 0;   // elements of a row of src and dst
  uint32_t maskLastAxis = 0;  // elements of a row of the mask, not fewer
};

namespace simulator {

struct MaskSelectCall {
  LibraryOperand dst;
  LibraryOperand src;
  double scalar;
  LibraryOperand mask;
  bool src_where_zero;
  const LocalTensor<uint8_t>* scratch;
  SelectWithBytesMaskShapeInfo shape;
  SourceLine where;
};
void RunMaskSelect(const MaskSelectCall& call);

}  // namespace simulator

// dst = mask == 0 ? src0 : src1, one of which is a number; half, float. The mask has elements of bool, or of
// whole numbers of 8, 16 or 32 bits; it stays, whatever isReuseMask says.
template <class T, class U, bool isReuseMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, std::type_identity_t<T> src1,
            const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
            const SelectWithBytesMaskShapeInfo& info, SourceLine where = SourceLine::Here()) {
  simulator::RunMaskSelect(
      {dst, src0, simulator::LibraryOperand::ToDouble(src1), mask, true, &sharedTmpBuffer, info, where});
}
template <class T, class U, bool isReuseMask = true>
void Select(const LocalTensor<T>& dst, std::type_identity_t<T> src0, const LocalTensor<T>& src1,
            const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
            const SelectWithBytesMaskShapeInfo& info, SourceLine where = SourceLine::Here()) {
  simulator::RunMaskSelect(
      {dst, src1, simulator::LibraryOperand::ToDouble(src0), mask, false, &sharedTmpBuffer, info, where});
}

}  // namespace AscendC
