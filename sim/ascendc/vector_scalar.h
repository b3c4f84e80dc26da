// Arithmetic of the vector unit with one tensor: with a scalar, or alone; pipe V (spec: ascendc 2.9). Each
// instruction has a form with a count and one with a mask (a number of elements, or a pointer to bits) and
// repeats. On a cube core all do nothing.
#pragma once

#include <cstdint>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_arithmetic.h"

namespace AscendC {

namespace internal {

using tilesim::isa::BinaryKind;

template <BinaryKind kKind, class T>
[[gnu::noinline]] void IssueWithScalar(tilesim::Core& core, const LocalTensor<T>& dst,
                                       const LocalTensor<T>& src, T scalar,
                                       const tilesim::isa::VectorWork& work, const UnaryRepeatParams& params,
                                       SourceLine where) {
  core.Issue(
      tilesim::isa::VectorScalar<kKind>{
          {.dst = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride),
           .src = LanesIn(core, src, "src", params.srcBlkStride, params.srcRepStride),
           .scalar_bits = BitsOf(scalar),
           .type = VectorTypeOf<T>(),
           .work = work}},
      where);
}

template <BinaryKind kKind, class T>
void WithScalar(const LocalTensor<T>& dst, const LocalTensor<T>& src, T scalar, int64_t count,
                SourceLine where) {
  tilesim::Core* core = VectorCore(tilesim::isa::ScalarNameOf(kKind), where);
  if (core == nullptr) {
    return;
  }
  if (core->at_once() &&
      tilesim::isa::ScalarAtOnce<kKind, VectorTypeOf<T>()>(
          *core, {*core, tilesim::isa::WholeLanes::OfCount(count), WholeIn(*core, dst), WholeIn(*core, src)},
          BitsOf(scalar))) {
    return EndCountForm(*core);
  }
  const CountForm form(*core, LanesOf<T>(), count);
  IssueWithScalar<kKind>(*core, dst, src, scalar, form.work(), UnaryRepeatParams(), where);
}

// A mask form whose mask is written: the same for every kind of mask.
template <BinaryKind kKind, class T>
void MaskedWithScalar(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<T>& src, T scalar,
                      uint8_t repeats, const UnaryRepeatParams& params, SourceLine where) {
  if (core.at_once() && tilesim::isa::ScalarAtOnce<kKind, VectorTypeOf<T>()>(
                            core,
                            {core, WholeLanesOf(core, LanesOf<T>(), repeats),
                             WholeIn(core, dst, params.dstBlkStride, params.dstRepStride),
                             WholeIn(core, src, params.srcBlkStride, params.srcRepStride)},
                            BitsOf(scalar))) {
    return core.CountOne(tilesim::Pipe::kV);
  }
  IssueWithScalar<kKind>(core, dst, src, scalar, WorkOfRegisters(core, LanesOf<T>(), repeats), params, where);
}

template <BinaryKind kKind, bool kSetMask, class T, class Mask>
void WithScalar(const LocalTensor<T>& dst, const LocalTensor<T>& src, T scalar, Mask mask, uint8_t repeats,
                const UnaryRepeatParams& params, SourceLine where) {
  if (tilesim::Core* core = VectorCore(tilesim::isa::ScalarNameOf(kKind), where)) {
    WriteMaskOfForm<kSetMask>(*core, LanesOf<T>(), mask);
    MaskedWithScalar<kKind>(*core, dst, src, scalar, repeats, params, where);
  }
}

}  // namespace internal

// dst = src op scalar; int16_t, half, int32_t, float.
template <class T, class U = T, bool isSetMask = true>
void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, const int32_t& count,
          SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kAdd>(dst, src, static_cast<T>(scalar), count, where);
}
template <class T, class U = T, bool isSetMask = true, internal::MaskLike M>
void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, M mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kAdd, isSetMask>(dst, src, static_cast<T>(scalar), mask,
                                                              repeatTime, params, where);
}
template <class T, class U = T, bool isSetMask = true>
void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, const int32_t& count,
          SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kMul>(dst, src, static_cast<T>(scalar), count, where);
}
template <class T, class U = T, bool isSetMask = true, internal::MaskLike M>
void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, M mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kMul, isSetMask>(dst, src, static_cast<T>(scalar), mask,
                                                              repeatTime, params, where);
}
template <class T, class U = T, bool isSetMask = true>
void Maxs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, const int32_t& count,
          SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kMax>(dst, src, static_cast<T>(scalar), count, where);
}
template <class T, class U = T, bool isSetMask = true, internal::MaskLike M>
void Maxs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, M mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kMax, isSetMask>(dst, src, static_cast<T>(scalar), mask,
                                                              repeatTime, params, where);
}
template <class T, class U = T, bool isSetMask = true>
void Mins(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, const int32_t& count,
          SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kMin>(dst, src, static_cast<T>(scalar), count, where);
}
template <class T, class U = T, bool isSetMask = true, internal::MaskLike M>
void Mins(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, M mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  internal::WithScalar<internal::BinaryKind::kMin, isSetMask>(dst, src, static_cast<T>(scalar), mask,
                                                              repeatTime, params, where);
}

namespace internal {

template <class T>
void IssueNot(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<T>& src,
              const tilesim::isa::VectorWork& work, const UnaryRepeatParams& params, SourceLine where) {
  core.Issue(
      tilesim::isa::VectorNot{.dst = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride),
                              .src = LanesIn(core, src, "src", params.srcBlkStride, params.srcRepStride),
                              .type = VectorTypeOf<T>(),
                              .work = work},
      where);
}

}  // namespace internal

// dst = ~src; int16_t, uint16_t.
template <class T>
void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count,
         SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Not", where)) {
    if (core->at_once() && tilesim::isa::NotAtOnce<internal::VectorTypeOf<T>()>(
                               *core, {*core, tilesim::isa::WholeLanes::OfCount(count),
                                       internal::WholeIn(*core, dst), internal::WholeIn(*core, src)})) {
      return internal::EndCountForm(*core);
    }
    const internal::CountForm form(*core, internal::LanesOf<T>(), count);
    internal::IssueNot(*core, dst, src, form.work(), UnaryRepeatParams(), where);
  }
}
template <class T, bool isSetMask = true, internal::MaskLike M>
void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, const uint8_t repeatTime,
         const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Not", where)) {
    constexpr int64_t kLanes = internal::LanesOf<T>();
    internal::WriteMaskOfForm<isSetMask>(*core, kLanes, mask);
    if (core->at_once() &&
        tilesim::isa::NotAtOnce<internal::VectorTypeOf<T>()>(
            *core, {*core, internal::WholeLanesOf(*core, kLanes, repeatTime),
                    internal::WholeIn(*core, dst, params.dstBlkStride, params.dstRepStride),
                    internal::WholeIn(*core, src, params.srcBlkStride, params.srcRepStride)})) {
      return core->CountOne(tilesim::Pipe::kV);
    }
    internal::IssueNot(*core, dst, src, internal::WorkOfRegisters(*core, kLanes, repeatTime), params, where);
  }
}

}  // namespace AscendC
