// Compare, Compares, Select, and the register CMPMASK; pipe V. On a cube core all do nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_select.h"

namespace AscendC {

namespace simulator {

// Apart from what calls it, which so stays short where nothing has to be issued. `src1` is a tensor or a
// scalar.
template <class T, class U, class Second>
[[gnu::noinline]] void IssueCompare(tilesim::Core& core, const LocalTensor<U>& dst,
                                    const LocalTensor<T>& src0, const Second& src1,
                                    tilesim::isa::CompareKind kind, int64_t repeats,
                                    const LaneStrides& strides, SourceLine where) {
  constexpr bool kScalar = std::is_same_v<Second, T>;
  tilesim::isa::VectorCompare op{
      .dst = Of(core, dst, "dst"),
      .src0 = LanesIn(core, src0, kScalar ? "src" : "src0", strides.src0_block, strides.src0_repeat),
      .src1 = {},
      .scalar = kScalar,
      .scalar_bits = 0,
      .type = VectorTypeOf<T>(),
      .kind = kind,
      .repeats = repeats};
  if constexpr (kScalar) {
    op.scalar_bits = BitsOf(src1);
  } else {
    op.src1 = LanesIn(core, src1, "src1", strides.src1_block, strides.src1_repeat);
  }
  core.Issue(op, where);
}

template <class T, class U, class Second>
void CompareRepeats(tilesim::Core& core, const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const Second& src1, CMPMODE mode, int64_t repeats, const LaneStrides& strides,
                    SourceLine where) {
  static_assert(std::is_integral_v<U>, "Compare: the bits go to a tensor of whole numbers");
  const auto kind = static_cast<tilesim::isa::CompareKind>(mode);
  if (core.at_once()) {
    constexpr tilesim::isa::VectorType kType = VectorTypeOf<T>();
    const tilesim::isa::WholeLanes lanes{LanesOf<T>(), repeats};
    const auto first = WholeIn(core, src0, strides.src0_block, strides.src0_repeat);
    bool ran = false;
    if constexpr (std::is_same_v<Second, T>) {
      ran = tilesim::isa::CompareAtOnce<kType, 1>(core, kind, {core, lanes, first}, WholeIn(core, dst),
                                                  BitsOf(src1));
    } else {
      const auto second = WholeIn(core, src1, strides.src1_block, strides.src1_repeat);
      ran = tilesim::isa::CompareAtOnce<kType, 2>(core, kind, {core, lanes, first, second},
                                                  WholeIn(core, dst), 0);
    }
    if (ran) {
      return core.CountOne(tilesim::Pipe::kV);
    }
  }
  IssueCompare(core, dst, src0, src1, kind, repeats, strides, where);
}

}  // namespace simulator

// A bit an element, in a tensor of whole numbers of any size, which is filled byte by byte. Comparisons with
// a NaN are false, NE too; int32_t: EQ only. Of `count` elements those that fill whole repeats (256 bytes)
// are compared. Leaves the mask.
template <class T, class U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, uint32_t count, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Compare", where)) {
    simulator::CompareRepeats(*core, dst, src0, src1, cmpMode, count / simulator::LanesOf<T>(),
                              BinaryRepeatParams(), where);
  }
}
// The mask is not used, nor counter mode, nor dstRepStride: whole repeats are compared, and their bits lie
// one behind the other.
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, Mask /*mask*/, uint8_t repeatTime, const BinaryRepeatParams& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Compare", where)) {
    simulator::CompareRepeats(*core, dst, src0, src1, cmpMode, repeatTime, params, where);
  }
}
// One repeat into the register CMPMASK; bits of lanes that the mask leaves out stay.
template <class T, bool isSetMask = true, simulator::MaskLike Mask>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, Mask mask,
             const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Compare", where)) {
    const auto work = simulator::WorkOfMaskForm<isSetMask>(*core, simulator::LanesOf<T>(), mask, 1);
    core->Issue(
        tilesim::isa::VectorCompareToRegister{
            .src0 = simulator::LanesIn(*core, src0, "src0", params.src0BlkStride, params.src0RepStride),
            .src1 = simulator::LanesIn(*core, src1, "src1", params.src1BlkStride, params.src1RepStride),
            .type = simulator::VectorTypeOf<T>(),
            .kind = static_cast<tilesim::isa::CompareKind>(cmpMode),
            .work = work},
        where);
  }
}

// As Compare, with one value as the second operand: bit i = src[i] cmpMode src1Scalar.
template <class T, class U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const std::type_identity_t<T> src1Scalar,
              CMPMODE cmpMode, uint32_t count, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Compares", where)) {
    simulator::CompareRepeats(*core, dst, src0, src1Scalar, cmpMode, count / simulator::LanesOf<T>(),
                              UnaryRepeatParams(), where);
  }
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const std::type_identity_t<T> src1Scalar,
              CMPMODE cmpMode, Mask /*mask*/, uint8_t repeatTime, const UnaryRepeatParams& params,
              SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Compares", where)) {
    simulator::CompareRepeats(*core, dst, src0, src1Scalar, cmpMode, repeatTime, params, where);
  }
}
// The old name of Compares.
template <class T, class U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                   const std::type_identity_t<T> src1Scalar, CMPMODE cmpMode, uint32_t count,
                   SourceLine where = SourceLine::Here()) {
  Compares(dst, src0, src1Scalar, cmpMode, count, where);
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                   const std::type_identity_t<T> src1Scalar, CMPMODE cmpMode, Mask mask, uint8_t repeatTime,
                   const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  Compares<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, params, where);
}

// CMPMASK, 16 bytes, at dst; from src. Both start at a multiple of 16 bytes.
template <class T>
void GetCmpMask(const LocalTensor<T>& dst, SourceLine where = SourceLine::Here()) {
  static_assert(sizeof(T) <= 4, "GetCmpMask: the tensor has elements of 8 to 32 bits");
  if (tilesim::Core* core = simulator::VectorCore("GetCmpMask", where)) {
    core->Issue(
        tilesim::isa::CompareMaskMove{.use = tilesim::Use::kWrite, .at = simulator::Of(*core, dst, "dst")},
        where);
  }
}
template <class T>
void SetCmpMask(const LocalTensor<T>& src, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("SetCmpMask", where)) {
    core->Issue(
        tilesim::isa::CompareMaskMove{.use = tilesim::Use::kRead, .at = simulator::Of(*core, src, "src")},
        where);
  }
}

namespace simulator {

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

// The mask of a call that asks not to write it, as if the registers were to stand, is most often 0: nothing
// would be done.
template <class T, bool kSetMask, MaskLike Mask>
void WriteSelectMask(tilesim::Core& core, Mask mask) {
  if constexpr (!kSetMask && std::is_integral_v<Mask>) {
    core.Require(
        mask != MASK_PLACEHOLDER, tilesim::FaultKind::kMisuse, "mask",
        "is 0, and Select writes it to the mask registers although isSetMask is false: nothing would be "
        "selected; give the mask, or set CMPMASK and use the form without a mask");
  }
  WriteMaskOfForm<true>(core, LanesOf<T>(), mask);
}

template <class T, class U, class Second>
void SelectOfCount(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>& bits,
                   const LocalTensor<T>& src0, const Second& src1, SELMODE mode, uint32_t count,
                   SourceLine where) {
  const BinaryRepeatParams params;
  if (SelectsAtOnce(core, dst, bits, src0, src1, mode, params, tilesim::isa::WholeLanes::OfCount(count))) {
    return EndCountForm(core);
  }
  const CountForm form(core, LanesOf<T>(), count);
  IssueSelect(core, dst, bits, src0, src1, mode, params, form.work(), where);
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

}  // namespace simulator

// dst = bit ? src0 : src1. VSEL_CMPMASK_SPR: the bits of one repeat, for each; the others: a bit an element,
// and the last 8 KiB of UB are overwritten. All set CMPMASK: see VectorSelect. The forms with a mask write it
// to its registers, whatever isSetMask says.
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count,
            SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    simulator::SelectOfCount(*core, dst, selMask, src0, src1, selMode, count, where);
  }
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            std::type_identity_t<T> src1, SELMODE selMode, uint32_t count,
            SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    simulator::SelectOfCount(*core, dst, selMask, src0, src1, selMode, count, where);
  }
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, Mask mask, uint8_t repeatTime,
            const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    simulator::WriteSelectMask<T, isSetMask>(*core, mask);
    simulator::MaskedSelect(*core, dst, selMask, src0, src1, selMode, repeatTime, params, where);
  }
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            std::type_identity_t<T> src1, SELMODE selMode, Mask mask, uint8_t repeatTime,
            const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    simulator::WriteSelectMask<T, isSetMask>(*core, mask);
    simulator::MaskedSelect(*core, dst, selMask, src0, src1, selMode, repeatTime, params, where);
  }
}

namespace simulator {

// From CMPMASK, as SetCmpMask or an earlier call has left it. `op` lacks what is read there, and its work.
template <class T>
void SelectFromRegister(tilesim::Core& core, tilesim::isa::VectorSelect op, uint8_t repeats,
                        SourceLine where) {
  op.type = VectorTypeOf<T>();
  op.from_register = true;
  op.work = WorkOfRegisters(core, LanesOf<T>(), repeats);
  op.scalar_bits = static_cast<uint32_t>(core.registers().vector.compare_mask[0]);
  if (op.mode == tilesim::isa::SelectMode::kTensorTensor) {
    if (core.mode().values) {
      op.bits = {.memory = tilesim::Memory::kUb, .begin = op.scalar_bits, .limit = 0};
    } else {  // the address is a value: where the bits are is not known
      op.mode = tilesim::isa::SelectMode::kCompareMask;
    }
  }
  core.Issue(op, where);
}

}  // namespace simulator

// As above, from what CMPMASK holds: VSEL_CMPMASK_SPR the bits of a repeat, VSEL_TENSOR_TENSOR_MODE the
// address in UB (GetPhyAddr, its low 32 bits) of a bit an element. The mask is that of its registers; nothing
// else is touched.
template <class T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select: VSEL_TENSOR_SCALAR_MODE takes selMask and one source");
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    simulator::SelectFromRegister<T>(
        *core,
        {.dst = simulator::LanesIn(*core, dst, "dst", params.dstBlkStride, params.dstRepStride),
         .bits = {},
         .src0 = simulator::LanesIn(*core, src0, "src0", params.src0BlkStride, params.src0RepStride),
         .src1 = simulator::LanesIn(*core, src1, "src1", params.src1BlkStride, params.src1RepStride),
         .mode = static_cast<tilesim::isa::SelectMode>(selMode),
         .work = {}},
        repeatTime, where);
  }
}
// VSEL_TENSOR_SCALAR_MODE: the scalar is the first element of CMPMASK.
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_integral_v<U>, "Select: the bits come from a tensor of whole numbers");
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    simulator::SelectFromRegister<T>(
        *core,
        {.dst = simulator::LanesIn(*core, dst, "dst", params.dstBlkStride, params.dstRepStride),
         .bits = simulator::Of(*core, selMask, "selMask"),
         .src0 = simulator::LanesIn(*core, src0, "src0", params.src0BlkStride, params.src0RepStride),
         .src1 = {},
         .mode = tilesim::isa::SelectMode::kTensorScalar,
         .work = {}},
        repeatTime, where);
  }
}

}  // namespace AscendC
