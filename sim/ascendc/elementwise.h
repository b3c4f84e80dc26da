// The instructions of the vector unit that make each lane of dst from the same lane of their sources; pipe V.
// Each has a form with a count of elements and one with a mask (a number of elements, or a pointer to bits)
// and repeats; what each computes is told in sim/isa/elementwise_values.h. Element types that this part does
// not take are a fault of the call. On a cube core all do nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/elementwise.h"

namespace AscendC {

namespace simulator {

using tilesim::isa::ElementwiseKind;
using tilesim::isa::ElementwiseSources;

// What an elementwise instruction works on beside its lanes. `src1`: of two sources; else it is src0 again.
template <class T, class U>
struct ElementwiseOperands {
  const LocalTensor<T>& dst;
  const LocalTensor<U>& src0;
  const LocalTensor<U>& src1;
  uint32_t scalar_bits;
  LaneStrides strides = LaneStrides::Contiguous<T, U>();
};

// Apart from what calls it, which so stays short where nothing has to be issued.
template <class T, class U>
[[gnu::noinline]] void IssueElementwise(tilesim::Core& core, ElementwiseKind kind,
                                        const ElementwiseOperands<T, U>& on,
                                        const tilesim::isa::VectorWork& work, SourceLine where) {
  RequireUnmixed<T, U>();
  const bool two = tilesim::isa::SourcesOf(kind) == ElementwiseSources::kTwo;
  tilesim::isa::VectorElementwise op{
      .kind = kind,
      .dst = LanesIn(core, on.dst, "dst", on.strides.dst_block, on.strides.dst_repeat),
      .src0 = LanesIn(core, on.src0, two ? "src0" : "src", on.strides.src0_block, on.strides.src0_repeat),
      .src1 = {},
      .scalar_bits = on.scalar_bits,
      .dst_type = VectorTypeOf<T>(),
      .src_type = VectorTypeOf<U>(),
      .work = work};
  if (two) {
    op.src1 = LanesIn(core, on.src1, "src1", on.strides.src1_block, on.strides.src1_repeat);
  }
  core.Issue(op, where);
}

template <ElementwiseKind kKind, class T, class U = T>
struct ElementwiseOf : ElementwiseOperands<T, U> {
  static constexpr const char* kName = tilesim::isa::RowOf(kKind).name;
  static constexpr int64_t kLanes = LanesOfBoth<T, U>();

  [[gnu::always_inline]] bool AtOnce(tilesim::Core& core, const tilesim::isa::WholeLanes& lanes) const {
    if constexpr (!std::is_same_v<T, U> ||
                  !tilesim::isa::RowOf(kKind).Takes(VectorTypeOf<T>(), VectorTypeOf<T>())) {
      return false;
    } else {
      const LaneStrides& by = this->strides;
      const auto to = WholeIn(core, this->dst, by.dst_block, by.dst_repeat);
      const auto first = WholeIn(core, this->src0, by.src0_block, by.src0_repeat);
      if constexpr (tilesim::isa::SourcesOf(kKind) == ElementwiseSources::kTwo) {
        const auto second = WholeIn(core, this->src1, by.src1_block, by.src1_repeat);
        return tilesim::isa::ElementwiseAtOnce<kKind, VectorTypeOf<T>(), 3>(
            core, {core, lanes, to, first, second}, 0);
      } else {
        return tilesim::isa::ElementwiseAtOnce<kKind, VectorTypeOf<T>(), 2>(core, {core, lanes, to, first},
                                                                            this->scalar_bits);
      }
    }
  }
  void Issue(tilesim::Core& core, const tilesim::isa::VectorWork& work, SourceLine where) const {
    IssueElementwise<T, U>(core, kKind, *this, work, where);
  }
};

}  // namespace simulator

// The forms of an instruction are the same for all; one macro for each number of sources writes them.
#define TILESIM_CALL(KIND, ...) simulator::ElementwiseOf<simulator::ElementwiseKind::KIND, __VA_ARGS__>

#define TILESIM_ONE_SOURCE(NAME, KIND)                                                                     \
  template <class T>                                                                                       \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count,                    \
            SourceLine where = SourceLine::Here()) {                                                       \
    simulator::RunCountForm(TILESIM_CALL(KIND, T){{dst, src, src, 0}}, count, where);                      \
  }                                                                                                        \
  template <class T, bool isSetMask = true, simulator::MaskLike Mask>                                      \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const uint8_t repeatTime,     \
            const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {                      \
    simulator::RunMaskForm<isSetMask>(TILESIM_CALL(KIND, T){{dst, src, src, 0, params}}, mask, repeatTime, \
                                      where);                                                              \
  }

// SRC: the type of the sources' elements; then the parameters of the templates.
#define TILESIM_TWO_SOURCES_MASKED(NAME, KIND, SRC, ...)                                              \
  template <__VA_ARGS__, bool isSetMask = true, simulator::MaskLike Mask>                             \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<SRC>& src0, const LocalTensor<SRC>& src1,    \
            Mask mask, const uint8_t repeatTime, const BinaryRepeatParams& params,                    \
            SourceLine where = SourceLine::Here()) {                                                  \
    simulator::RunMaskForm<isSetMask>(TILESIM_CALL(KIND, T, SRC){{dst, src0, src1, 0, params}}, mask, \
                                      repeatTime, where);                                             \
  }
#define TILESIM_TWO_SOURCES_OF(NAME, KIND, COUNT, SRC, ...)                                        \
  template <__VA_ARGS__>                                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<SRC>& src0, const LocalTensor<SRC>& src1, \
            const COUNT& count, SourceLine where = SourceLine::Here()) {                           \
    simulator::RunCountForm(TILESIM_CALL(KIND, T, SRC){{dst, src0, src1, 0}}, count, where);       \
  }                                                                                                \
  TILESIM_TWO_SOURCES_MASKED(NAME, KIND, SRC, __VA_ARGS__)
#define TILESIM_TWO_SOURCES(NAME, KIND) TILESIM_TWO_SOURCES_OF(NAME, KIND, int32_t, T, class T)
#define TILESIM_TWO_SOURCES_OF_TYPE(NAME, KIND, COUNT) \
  TILESIM_TWO_SOURCES_OF(NAME, KIND, COUNT, U, class T, class U)

// The count forms leave the mask and its mode where isSetMask is false, and the count is not read.
#define TILESIM_WITH_SCALAR_COUNTED(NAME, KIND)                                                          \
  template <class T, bool isSetMask = true>                                                              \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, const int32_t& count, \
            SourceLine where = SourceLine::Here()) {                                                     \
    const TILESIM_CALL(KIND, T) call{{dst, src, src, simulator::BitsOf(scalar)}};                        \
    if constexpr (isSetMask) {                                                                           \
      simulator::RunCountForm(call, count, where);                                                       \
    } else {                                                                                             \
      simulator::RunMaskForm<false>(call, 0, 1, where);                                                  \
    }                                                                                                    \
  }                                                                                                      \
  template <class T, PrimOf<T> U, bool isSetMask = true>                                                 \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, const int32_t& count, \
            SourceLine where = SourceLine::Here()) {                                                     \
    NAME<U, isSetMask>(dst, src, scalar, count, where);                                                  \
  }

#define TILESIM_WITH_SCALAR(NAME, KIND)                                                                      \
  TILESIM_WITH_SCALAR_COUNTED(NAME, KIND)                                                                    \
  template <class T, bool isSetMask = true, simulator::MaskLike Mask>                                        \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, Mask mask,                \
            const uint8_t repeatTime, const UnaryRepeatParams& params,                                       \
            SourceLine where = SourceLine::Here()) {                                                         \
    simulator::RunMaskForm<isSetMask>(                                                                       \
        TILESIM_CALL(KIND, T){{dst, src, src, simulator::BitsOf(scalar), params}}, mask, repeatTime, where); \
  }                                                                                                          \
  template <class T, PrimOf<T> U, bool isSetMask = true, simulator::MaskLike Mask>                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, Mask mask,                \
            const uint8_t repeatTime, const UnaryRepeatParams& params,                                       \
            SourceLine where = SourceLine::Here()) {                                                         \
    NAME<U, isSetMask>(dst, src, scalar, mask, repeatTime, params, where);                                   \
  }

TILESIM_TWO_SOURCES(Add, kAdd)
TILESIM_TWO_SOURCES(Sub, kSub)
TILESIM_TWO_SOURCES(Mul, kMul)
TILESIM_TWO_SOURCES(Div, kDiv)
TILESIM_TWO_SOURCES(Max, kMax)
TILESIM_TWO_SOURCES(Min, kMin)
TILESIM_TWO_SOURCES(AddRelu, kAddRelu)
TILESIM_TWO_SOURCES(SubRelu, kSubRelu)
TILESIM_TWO_SOURCES(FusedMulAdd, kFusedMulAdd)
TILESIM_TWO_SOURCES(MulAddRelu, kMulAddRelu)
TILESIM_TWO_SOURCES(FusedMulAddRelu, kMulAddRelu)
TILESIM_TWO_SOURCES_OF_TYPE(AddReluCast, kAddReluCast, uint32_t)
TILESIM_TWO_SOURCES_OF_TYPE(SubReluCast, kSubReluCast, uint32_t)
TILESIM_TWO_SOURCES_OF_TYPE(MulCast, kMulCast, uint32_t)
TILESIM_TWO_SOURCES_OF_TYPE(MulAddDst, kMulAddDst, int32_t)
TILESIM_WITH_SCALAR(Adds, kAdds)
TILESIM_WITH_SCALAR(Muls, kMuls)
TILESIM_WITH_SCALAR(Maxs, kMaxs)
TILESIM_WITH_SCALAR(Mins, kMins)
TILESIM_WITH_SCALAR(LeakyRelu, kLeakyRelu)
TILESIM_WITH_SCALAR(ShiftLeft, kShiftLeft)
TILESIM_ONE_SOURCE(Exp, kExp)
TILESIM_ONE_SOURCE(Ln, kLn)
TILESIM_ONE_SOURCE(Sqrt, kSqrt)
TILESIM_ONE_SOURCE(Abs, kAbs)
TILESIM_ONE_SOURCE(Reciprocal, kReciprocal)
TILESIM_ONE_SOURCE(Rsqrt, kRsqrt)
TILESIM_ONE_SOURCE(Relu, kRelu)
TILESIM_ONE_SOURCE(Not, kNot)

// The count form takes tensors of any whole numbers: it works on lanes of 16 bits, and counts these.
#define TILESIM_BITWISE(NAME, KIND)                                                               \
  template <class T>                                                                              \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,    \
            const int32_t& count, SourceLine where = SourceLine::Here()) {                        \
    using Lane = std::conditional_t<std::is_integral_v<PrimT<T>>, uint16_t, T>;                   \
    simulator::RunCountForm(TILESIM_CALL(KIND, Lane){{dst.template ReinterpretCast<Lane>(),       \
                                                      src0.template ReinterpretCast<Lane>(),      \
                                                      src1.template ReinterpretCast<Lane>(), 0}}, \
                            count, where);                                                        \
  }                                                                                               \
  TILESIM_TWO_SOURCES_MASKED(NAME, KIND, T, class T)
TILESIM_BITWISE(And, kAnd)
TILESIM_BITWISE(Or, kOr)

// dst = src >> scalar; `roundEn`: plus the last bit that is shifted out.
TILESIM_WITH_SCALAR_COUNTED(ShiftRight, kShiftRight)
template <class T, bool isSetMask = true, simulator::MaskLike Mask>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, Mask mask,
                const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn = false,
                SourceLine where = SourceLine::Here()) {
  const simulator::ElementwiseOperands<T, T> on{dst, src, src, simulator::BitsOf(scalar), params};
  roundEn ? simulator::RunMaskForm<isSetMask>(TILESIM_CALL(kShiftRightRound, T){on}, mask, repeatTime, where)
          : simulator::RunMaskForm<isSetMask>(TILESIM_CALL(kShiftRight, T){on}, mask, repeatTime, where);
}
template <class T, PrimOf<T> U, bool isSetMask = true, simulator::MaskLike Mask>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, Mask mask,
                const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn,
                SourceLine where = SourceLine::Here()) {
  ShiftRight<U, isSetMask>(dst, src, scalar, mask, repeatTime, params, roundEn, where);
}

template <class T, class U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const PrimT<U>& scalar, const int32_t& count,
          SourceLine where = SourceLine::Here()) {
  simulator::RunCountForm(TILESIM_CALL(kAxpy, T, U){{dst, src, src, simulator::BitsOf(scalar)}}, count,
                          where);
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const PrimT<U>& scalar, Mask mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  simulator::RunMaskForm<isSetMask>(
      TILESIM_CALL(kAxpy, T, U){{dst, src, src, simulator::BitsOf(scalar), params}}, mask, repeatTime, where);
}

#undef TILESIM_BITWISE
#undef TILESIM_CALL
#undef TILESIM_ONE_SOURCE
#undef TILESIM_TWO_SOURCES
#undef TILESIM_TWO_SOURCES_MASKED
#undef TILESIM_TWO_SOURCES_OF
#undef TILESIM_TWO_SOURCES_OF_TYPE
#undef TILESIM_WITH_SCALAR
#undef TILESIM_WITH_SCALAR_COUNTED

}  // namespace AscendC
