// Elementwise arithmetic of the vector unit, pipe V (spec: ascendc 2.9). Each instruction has a form with a
// count and one with a mask (a number of elements, or a pointer to bits) and repeats. On a cube core all do
// nothing.
#pragma once

#include <cstdint>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_arithmetic.h"

namespace AscendC {

namespace internal {

using tilesim::isa::BinaryKind;

// Apart from what calls it, which so stays short where nothing has to be issued.
template <BinaryKind kKind, class T>
[[gnu::noinline]] void IssueBinary(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                   const LocalTensor<T>& src1, const tilesim::isa::VectorWork& work,
                                   const BinaryRepeatParams& params, SourceLine where) {
  core.Issue(
      tilesim::isa::VectorBinary<kKind>{
          {.dst = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride),
           .src0 = LanesIn(core, src0, "src0", params.src0BlkStride, params.src0RepStride),
           .src1 = LanesIn(core, src1, "src1", params.src1BlkStride, params.src1RepStride),
           .type = VectorTypeOf<T>(),
           .work = work}},
      where);
}

template <BinaryKind kKind, class T>
void Binary(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, int64_t count,
            SourceLine where) {
  tilesim::Core* core = VectorCore(tilesim::isa::NameOf(kKind), where);
  if (core == nullptr) {
    return;
  }
  if (core->at_once() && tilesim::isa::BinaryAtOnce<kKind, VectorTypeOf<T>()>(
                             *core, {*core, tilesim::isa::WholeLanes::OfCount(count), WholeIn(*core, dst),
                                     WholeIn(*core, src0), WholeIn(*core, src1)})) {
    return EndCountForm(*core);
  }
  const CountForm form(*core, LanesOf<T>(), count);
  IssueBinary<kKind>(*core, dst, src0, src1, form.work(), BinaryRepeatParams(), where);
}

// A mask form whose mask is written: the same for every kind of mask.
template <BinaryKind kKind, class T>
void MaskedBinary(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1, uint8_t repeats, const BinaryRepeatParams& params,
                  SourceLine where) {
  if (core.at_once() && tilesim::isa::BinaryAtOnce<kKind, VectorTypeOf<T>()>(
                            core, {core, WholeLanesOf(core, LanesOf<T>(), repeats),
                                   WholeIn(core, dst, params.dstBlkStride, params.dstRepStride),
                                   WholeIn(core, src0, params.src0BlkStride, params.src0RepStride),
                                   WholeIn(core, src1, params.src1BlkStride, params.src1RepStride)})) {
    return core.CountOne(tilesim::Pipe::kV);
  }
  IssueBinary<kKind>(core, dst, src0, src1, WorkOfRegisters(core, LanesOf<T>(), repeats), params, where);
}

template <BinaryKind kKind, bool kSetMask, class T, class Mask>
void Binary(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, Mask mask,
            uint8_t repeats, const BinaryRepeatParams& params, SourceLine where) {
  if (tilesim::Core* core = VectorCore(tilesim::isa::NameOf(kKind), where)) {
    WriteMaskOfForm<kSetMask>(*core, LanesOf<T>(), mask);
    MaskedBinary<kKind>(*core, dst, src0, src1, repeats, params, where);
  }
}

}  // namespace internal

// dst = src0 op src1. Add, Sub, Mul, Max, Min: int16_t, half, int32_t, float; And, Or: int16_t, uint16_t.
// Repeats may gather into dst == src1 with a repeat stride of 0.
template <class T>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kAdd>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
         const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kAdd, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}
template <class T>
void Sub(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kSub>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Sub(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
         const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kSub, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}
template <class T>
void Mul(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kMul>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Mul(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
         const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kMul, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}
template <class T>
void Max(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kMax>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Max(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
         const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kMax, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}
template <class T>
void Min(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kMin>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Min(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
         const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kMin, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}
template <class T>
void And(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kAnd>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void And(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
         const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kAnd, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}
template <class T>
void Or(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
        const int32_t& count, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kOr>(dst, src0, src1, count, where);
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Or(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, M mask,
        const uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::Binary<internal::BinaryKind::kOr, isSetMask>(dst, src0, src1, mask, repeatTime, params, where);
}

}  // namespace AscendC
