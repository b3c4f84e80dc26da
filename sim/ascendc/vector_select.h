// Compare and Select; pipe V. On a cube core all do nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_select.h"

namespace AscendC {

namespace internal {

// Apart from what calls it, which so stays short where nothing has to be issued.
template <class T, class U>
[[gnu::noinline]] void IssueCompare(tilesim::Core& core, const LocalTensor<U>& dst,
                                    const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                                    tilesim::isa::CompareKind kind, int64_t repeats,
                                    const BinaryRepeatParams& params, SourceLine where) {
  core.Issue(
      tilesim::isa::VectorCompare{
          .dst = Of(core, dst, "dst"),
          .src0 = LanesIn(core, src0, "src0", params.src0BlkStride, params.src0RepStride),
          .src1 = LanesIn(core, src1, "src1", params.src1BlkStride, params.src1RepStride),
          .type = VectorTypeOf<T>(),
          .kind = kind,
          .repeats = repeats},
      where);
}

template <class T, class U>
void CompareRepeats(tilesim::Core& core, const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE mode, int64_t repeats,
                    const BinaryRepeatParams& params, SourceLine where) {
  static_assert(std::is_integral_v<U>, "Compare: the bits go to a tensor of whole numbers");
  const auto kind = static_cast<tilesim::isa::CompareKind>(mode);
  if (core.at_once() && tilesim::isa::CompareAtOnce<VectorTypeOf<T>()>(
                            core, kind,
                            {core, tilesim::isa::WholeLanes{LanesOf<T>(), repeats},
                             WholeIn(core, src0, params.src0BlkStride, params.src0RepStride),
                             WholeIn(core, src1, params.src1BlkStride, params.src1RepStride)},
                            WholeIn(core, dst))) {
    return core.CountOne(tilesim::Pipe::kV);
  }
  IssueCompare(core, dst, src0, src1, kind, repeats, params, where);
}

}  // namespace internal

// A bit an element. Of `count` elements those that fill whole repeats (256 bytes) are compared. Leaves the
// mask.
template <class T, class U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, uint32_t count, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Compare", where)) {
    internal::CompareRepeats(*core, dst, src0, src1, cmpMode, count / internal::LanesOf<T>(),
                             BinaryRepeatParams(), where);
  }
}
// The mask is not used, nor dstRepStride: whole repeats are compared, and their bits lie one behind the
// other.
template <class T, class U, bool isSetMask = true, internal::MaskLike M>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, M /*mask*/, uint8_t repeatTime, const BinaryRepeatParams& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Compare", where)) {
    internal::CompareRepeats(*core, dst, src0, src1, cmpMode, repeatTime, params, where);
  }
}
// One repeat into the register CMPMASK. No modelled call reads it: each Select brings its own bits.
template <class T, bool isSetMask = true, internal::MaskLike M>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, M mask,
             const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Compare", where)) {
    const auto work = internal::WorkOfMaskForm<isSetMask>(*core, internal::LanesOf<T>(), mask, 1);
    core->Issue(
        tilesim::isa::VectorCompareToRegister{
            .src0 = internal::LanesIn(*core, src0, "src0", params.src0BlkStride, params.src0RepStride),
            .src1 = internal::LanesIn(*core, src1, "src1", params.src1BlkStride, params.src1RepStride),
            .type = internal::VectorTypeOf<T>(),
            .kind = static_cast<tilesim::isa::CompareKind>(cmpMode),
            .work = work},
        where);
  }
}

namespace internal {

// Has Select run at once? `src1` is a tensor or a scalar, `lanes` are what the mask makes.
template <class T, class U, class Second>
[[gnu::always_inline]] inline bool SelectsAtOnce(tilesim::Core& core, const LocalTensor<T>& dst,
                                                 const LocalTensor<U>& bits, const LocalTensor<T>& src0,
                                                 const Second& src1, SELMODE mode,
                                                 const BinaryRepeatParams& params,
                                                 const tilesim::isa::WholeLanes& lanes) {
  if (!core.at_once() || (lanes.repeats > 1 && lanes.count != LanesOf<T>())) {
    return false;
  }
  const auto to = WholeIn(core, dst, params.dstBlkStride, params.dstRepStride);
  const auto kept = WholeIn(core, src0, params.src0BlkStride, params.src0RepStride);
  if constexpr (std::is_same_v<Second, T>) {
    return mode == SELMODE::VSEL_TENSOR_SCALAR_MODE &&
           tilesim::isa::SelectAtOnce<sizeof(T), 2>(core, VectorTypeOf<T>(), {core, lanes, to, kept},
                                                    WholeIn(core, bits), BitsOf(src1));
  } else {
    const auto other = WholeIn(core, src1, params.src1BlkStride, params.src1RepStride);
    return mode == SELMODE::VSEL_TENSOR_TENSOR_MODE &&
           tilesim::isa::SelectAtOnce<sizeof(T), 3>(core, VectorTypeOf<T>(), {core, lanes, to, kept, other},
                                                    WholeIn(core, bits), 0);
  }
}

// `src1` is a tensor or a scalar.
template <class T, class U, class Second>
[[gnu::noinline]] void IssueSelect(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>& bits,
                                   const LocalTensor<T>& src0, const Second& src1, SELMODE mode,
                                   const BinaryRepeatParams& params, const tilesim::isa::VectorWork& work,
                                   SourceLine where) {
  constexpr bool kScalar = std::is_same_v<Second, T>;
  static_assert(std::is_integral_v<U>, "Select: the bits come from a tensor of whole numbers");
  core.Require((mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) == kScalar, tilesim::FaultKind::kMisuse, "selMode",
               kScalar ? "a scalar src1 needs VSEL_TENSOR_SCALAR_MODE"
                       : "a tensor src1 needs VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE");
  tilesim::isa::VectorSelect op{
      .dst = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride),
      .bits = Of(core, bits, "selMask"),
      .src0 = LanesIn(core, src0, "src0", params.src0BlkStride, params.src0RepStride),
      .src1 = {},
      .scalar_bits = 0,
      .type = VectorTypeOf<T>(),
      .mode = static_cast<tilesim::isa::SelectMode>(mode),
      .work = work};
  if constexpr (kScalar) {
    op.scalar_bits = BitsOf(src1);
  } else {
    op.src1 = LanesIn(core, src1, "src1", params.src1BlkStride, params.src1RepStride);
  }
  core.Issue(op, where);
}

// A mask form whose mask is written: the same for every kind of mask.
template <class T, class U, class Second>
void MaskedSelect(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>& bits,
                  const LocalTensor<T>& src0, const Second& src1, SELMODE mode, uint8_t repeats,
                  const BinaryRepeatParams& params, SourceLine where) {
  if (SelectsAtOnce(core, dst, bits, src0, src1, mode, params, WholeLanesOf(core, LanesOf<T>(), repeats))) {
    return core.CountOne(tilesim::Pipe::kV);
  }
  IssueSelect(core, dst, bits, src0, src1, mode, params, WorkOfRegisters(core, LanesOf<T>(), repeats), where);
}

}  // namespace internal

// dst = bit ? src0 : src1. VSEL_CMPMASK_SPR: the bits of one repeat, for each; the others: a bit an element,
// and the last 8 KiB of UB are overwritten.
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count,
            SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Select", where)) {
    if (internal::SelectsAtOnce(*core, dst, selMask, src0, src1, selMode, BinaryRepeatParams(),
                                tilesim::isa::WholeLanes::OfCount(count))) {
      return internal::EndCountForm(*core);
    }
    const internal::CountForm form(*core, internal::LanesOf<T>(), count);
    internal::IssueSelect(*core, dst, selMask, src0, src1, selMode, BinaryRepeatParams(), form.work(), where);
  }
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            std::type_identity_t<T> src1, SELMODE selMode, uint32_t count,
            SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Select", where)) {
    if (internal::SelectsAtOnce(*core, dst, selMask, src0, src1, selMode, BinaryRepeatParams(),
                                tilesim::isa::WholeLanes::OfCount(count))) {
      return internal::EndCountForm(*core);
    }
    const internal::CountForm form(*core, internal::LanesOf<T>(), count);
    internal::IssueSelect(*core, dst, selMask, src0, src1, selMode, BinaryRepeatParams(), form.work(), where);
  }
}
template <class T, class U, bool isSetMask = true, internal::MaskLike M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, M mask, uint8_t repeatTime,
            const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Select", where)) {
    internal::WriteMaskOfForm<isSetMask>(*core, internal::LanesOf<T>(), mask);
    internal::MaskedSelect(*core, dst, selMask, src0, src1, selMode, repeatTime, params, where);
  }
}
template <class T, class U, bool isSetMask = true, internal::MaskLike M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            std::type_identity_t<T> src1, SELMODE selMode, M mask, uint8_t repeatTime,
            const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Select", where)) {
    internal::WriteMaskOfForm<isSetMask>(*core, internal::LanesOf<T>(), mask);
    internal::MaskedSelect(*core, dst, selMask, src0, src1, selMode, repeatTime, params, where);
  }
}

}  // namespace AscendC
