// Compare, Compares, Select, and the register CMPMASK; pipe V. On a cube core all do nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/elementwise.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_select.h"

namespace AscendC {

namespace simulator {

// Apart from its caller, which so stays short. `src1`: a tensor or a scalar. `dst` nullptr: CMPMASK.
template <class T, class U, class Second>
[[gnu::noinline]] void IssueCompare(tilesim::Core& core, const LocalTensor<U>* dst,
                                    const LocalTensor<T>& src0, const Second& src1, CMPMODE mode,
                                    const LaneStrides& strides, const tilesim::isa::VectorWork& work,
                                    SourceLine where) {
  constexpr bool kScalar = std::is_same_v<Second, T>;
  tilesim::isa::VectorCompare op{
      .dst = dst == nullptr ? tilesim::isa::Operand{} : Of(core, *dst, "dst"),
      .src0 = LanesIn(core, src0, kScalar ? "src" : "src0", strides.src0_block, strides.src0_repeat),
      .src1 = {},
      .scalar = kScalar,
      .type = VectorTypeOf<T>(),
      .kind = static_cast<tilesim::isa::CompareKind>(mode),
      .work = work,
      .to_register = dst == nullptr};
  if constexpr (kScalar) {
    op.scalar_bits = BitsOf(src1);
  } else {
    op.src1 = LanesIn(core, src1, "src1", strides.src1_block, strides.src1_repeat);
  }
  core.Issue(op, where);
}

// Whole repeats, whose bits lie one behind the other.
template <class T, class U, class Second>
void CompareRepeats(const char* name, const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const Second& src1, CMPMODE mode, int64_t repeats, const LaneStrides& strides,
                    SourceLine where) {
  static_assert(std::is_integral_v<U>, "Compare: the bits go to a tensor of whole numbers");
  tilesim::Core* const core = VectorCore(name, where);
  if (core == nullptr) {
    return;
  }
  if (core->at_once()) {
    const auto kind = static_cast<tilesim::isa::CompareKind>(mode);
    constexpr tilesim::isa::VectorType kType = VectorTypeOf<T>();
    const tilesim::isa::WholeLanes lanes{LanesOf<T>(), repeats};
    const auto bits = WholeIn(*core, dst);
    const auto first = WholeIn(*core, src0, strides.src0_block, strides.src0_repeat);
    bool ran = false;
    if constexpr (std::is_same_v<Second, T>) {
      ran = tilesim::isa::CompareAtOnce<kType, 1>(*core, kind, {*core, lanes, first}, bits, BitsOf(src1));
    } else {
      const auto second = WholeIn(*core, src1, strides.src1_block, strides.src1_repeat);
      ran = tilesim::isa::CompareAtOnce<kType, 2>(*core, kind, {*core, lanes, first, second}, bits, 0);
    }
    if (ran) {
      return core->CountOne(tilesim::Pipe::kV);
    }
  }
  IssueCompare(*core, &dst, src0, src1, mode, strides, tilesim::isa::WorkOfRepeats(LanesOf<T>(), repeats),
               where);
}

// `src1`: a tensor or a scalar. nullptr for it or for `bits`: what CMPMASK holds.
template <class T, class U, class Second>
[[gnu::noinline]] void IssueSelect(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>* bits,
                                   const LocalTensor<T>& src0, const Second* src1, SELMODE mode,
                                   const BinaryRepeatParams& params, const tilesim::isa::VectorWork& work,
                                   SourceLine where) {
  const auto choice = bits == nullptr ? tilesim::isa::Operand{} : Of(core, *bits, "selMask");
  tilesim::isa::VectorSelect op{
      .dst = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride),
      .bits = choice,
      .src0 = LanesIn(core, src0, "src0", params.src0BlkStride, params.src0RepStride),
      .src1 = {},
      .type = VectorTypeOf<T>(),
      .mode = static_cast<tilesim::isa::SelectMode>(mode),
      .from_register = bits == nullptr || src1 == nullptr,
      .work = work};
  if constexpr (!std::is_same_v<Second, T>) {
    op.src1 = LanesIn(core, *src1, "src1", params.src1BlkStride, params.src1RepStride);
  } else if (src1 != nullptr) {
    op.scalar_bits = BitsOf(*src1);
  }
  if (op.from_register) {
    op.scalar_bits = static_cast<uint32_t>(core.registers().vector.compare_mask[0]);
    if (op.mode == tilesim::isa::SelectMode::kTensorTensor && core.mode().values) {
      op.bits = {.memory = tilesim::Memory::kUb, .begin = op.scalar_bits, .limit = 0};
    } else if (op.mode == tilesim::isa::SelectMode::kTensorTensor) {
      op.mode = tilesim::isa::SelectMode::kCompareMask;  // the address is a value: it is not known
    }
  }
  core.Issue(op, where);
}

// `src1` is a tensor or a scalar.
template <class T, class U, class Second>
struct SelectCall {
  static constexpr const char* kName = tilesim::isa::VectorSelect::kName;
  static constexpr int64_t kLanes = LanesOf<T>();
  static constexpr bool kScalar = std::is_same_v<Second, T>;
  static_assert(std::is_integral_v<U>, "Select: the bits come from a tensor of whole numbers");
  const LocalTensor<T>& dst;
  const LocalTensor<U>& bits;
  const LocalTensor<T>& src0;
  const Second& src1;
  SELMODE mode;
  BinaryRepeatParams params = {};

  [[gnu::always_inline]] bool AtOnce(tilesim::Core& core, const tilesim::isa::WholeLanes& lanes) const {
    if (lanes.repeats > 1 && lanes.count != kLanes) {
      return false;
    }
    const auto to = WholeIn(core, dst, params.dstBlkStride, params.dstRepStride);
    const auto kept = WholeIn(core, src0, params.src0BlkStride, params.src0RepStride);
    if constexpr (kScalar) {
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
  [[gnu::noinline]] void Issue(tilesim::Core& core, const tilesim::isa::VectorWork& work,
                               SourceLine where) const {
    core.Require((mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) == kScalar, tilesim::FaultKind::kMisuse,
                 "selMode",
                 kScalar ? "a scalar src1 needs VSEL_TENSOR_SCALAR_MODE"
                         : "a tensor src1 needs VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE");
    IssueSelect(core, dst, &bits, src0, &src1, mode, params, work, where);
  }
};

// A mask form. The mask of a call that asks not to write it is most often 0: nothing would be done.
template <bool kSetMask, class Call, MaskLike Mask>
void RunSelect(const Call& call, Mask mask, uint8_t repeats, SourceLine where) {
  tilesim::Core* const core = VectorCore(Call::kName, where);
  if (core == nullptr) {
    return;
  }
  if constexpr (!kSetMask && std::is_integral_v<Mask>) {
    core->Require(
        mask != MASK_PLACEHOLDER, tilesim::FaultKind::kMisuse, "mask",
        "is 0, and Select writes it to the mask registers although isSetMask is false: nothing would be "
        "selected; give the mask, or set CMPMASK and use the form without a mask");
  }
  WriteMaskOfForm<true>(*core, Call::kLanes, mask);
  RunMasked(*core, call, repeats, where);
}

}  // namespace simulator

// The forms of a comparison with a tensor or a scalar, SECOND; SAYS is its name in messages.
#define TILESIM_COMPARE(NAME, SAYS, SECOND, PARAMS)                                                      \
  template <class T, class U>                                                                            \
  void NAME(const LocalTensor<U>& dst, const LocalTensor<T>& src0, SECOND src1, CMPMODE cmpMode,         \
            uint32_t count, SourceLine where = SourceLine::Here()) {                                     \
    simulator::CompareRepeats(SAYS, dst, src0, src1, cmpMode, count / simulator::LanesOf<T>(), PARAMS(), \
                              where);                                                                    \
  }                                                                                                      \
  template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>                           \
  void NAME(const LocalTensor<U>& dst, const LocalTensor<T>& src0, SECOND src1, CMPMODE cmpMode,         \
            Mask /*mask*/, uint8_t repeatTime, const PARAMS& params,                                     \
            SourceLine where = SourceLine::Here()) {                                                     \
    simulator::CompareRepeats(SAYS, dst, src0, src1, cmpMode, repeatTime, params, where);                \
  }

// A bit an element, in a tensor of whole numbers of any size: see VectorCompare. Of `count` elements those
// that fill whole repeats (256 bytes) are compared. The mask, counter mode and dstRepStride are not used, and
// the mask stays. Compares: with one value as the second operand; CompareScalar is its old name.
TILESIM_COMPARE(Compare, "Compare", const LocalTensor<T>&, BinaryRepeatParams)
TILESIM_COMPARE(Compares, "Compares", const std::type_identity_t<T>, UnaryRepeatParams)
TILESIM_COMPARE(CompareScalar, "Compares", const std::type_identity_t<T>, UnaryRepeatParams)
#undef TILESIM_COMPARE

// One repeat into the register CMPMASK; bits of lanes that the mask leaves out stay.
template <class T, bool isSetMask = true, simulator::MaskLike Mask>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, Mask mask,
             const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Compare", where)) {
    const auto work = simulator::WorkOfMaskForm<isSetMask>(*core, simulator::LanesOf<T>(), mask, 1);
    simulator::IssueCompare<T, T>(*core, nullptr, src0, src1, cmpMode, params, work, where);
  }
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

// dst = bit ? src0 : src1. VSEL_CMPMASK_SPR: the bits of one repeat, for each; the others: a bit an element,
// and the last 8 KiB of UB are overwritten. All set CMPMASK: see VectorSelect. A mask is written in any case.
#define TILESIM_SELECT(SECOND)                                                                             \
  template <class T, class U>                                                                              \
  void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,        \
              const std::type_identity_t<SECOND>& src1, SELMODE selMode, uint32_t count,                   \
              SourceLine where = SourceLine::Here()) {                                                     \
    simulator::RunCountForm(simulator::SelectCall<T, U, SECOND>{dst, selMask, src0, src1, selMode}, count, \
                            where);                                                                        \
  }                                                                                                        \
  template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>                             \
  void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,        \
              const std::type_identity_t<SECOND>& src1, SELMODE selMode, Mask mask, uint8_t repeatTime,    \
              const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {                   \
    simulator::RunSelect<isSetMask>(                                                                       \
        simulator::SelectCall<T, U, SECOND>{dst, selMask, src0, src1, selMode, params}, mask, repeatTime,  \
        where);                                                                                            \
  }

TILESIM_SELECT(LocalTensor<T>)
TILESIM_SELECT(T)
#undef TILESIM_SELECT

// As above, from what CMPMASK holds: VSEL_CMPMASK_SPR the bits of a repeat, VSEL_TENSOR_TENSOR_MODE the
// address in UB (GetPhyAddr, its low 32 bits) of a bit an element. The mask is that of its registers.
template <class T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select: VSEL_TENSOR_SCALAR_MODE takes selMask and one source");
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    const auto work = simulator::WorkOfRegisters(*core, simulator::LanesOf<T>(), repeatTime);
    simulator::IssueSelect<T, T>(*core, dst, nullptr, src0, &src1, selMode, params, work, where);
  }
}
// VSEL_TENSOR_SCALAR_MODE: the scalar is the first element of CMPMASK.
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            uint8_t repeatTime, const BinaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_integral_v<U>, "Select: the bits come from a tensor of whole numbers");
  if (tilesim::Core* core = simulator::VectorCore("Select", where)) {
    const auto work = simulator::WorkOfRegisters(*core, simulator::LanesOf<T>(), repeatTime);
    simulator::IssueSelect<T, U, T>(*core, dst, &selMask, src0, nullptr, SELMODE::VSEL_TENSOR_SCALAR_MODE,
                                    params, work, where);
  }
}

}  // namespace AscendC
