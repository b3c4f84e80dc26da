// Cast, Floor and ScalarCast. On a cube core vector calls do nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/cast_rule.h"
#include "sim/isa/vector_cast.h"

namespace AscendC {

namespace internal {

// Lanes and strides of a cast: a repeat is 256 bytes of the wider type.
template <class T, class U>
struct CastShape {
  static constexpr int64_t kLanes = LanesOf<T>() < LanesOf<U>() ? LanesOf<T>() : LanesOf<U>();
  template <class V>
  static constexpr int64_t kRepeatStride = 8 * kLanes / LanesOf<V>();
};

template <class T, class U>
void CastLanes(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>& src, RoundMode mode,
               const UnaryRepeatParams& params, const tilesim::isa::VectorWork& work, SourceLine where) {
  core.Issue(
      tilesim::isa::VectorCast{.dst = LanesIn(core, dst, "dst", params.dstBlkStride, params.dstRepStride),
                               .src = LanesIn(core, src, "src", params.srcBlkStride, params.srcRepStride),
                               .from = VectorTypeOf<U>(),
                               .to = VectorTypeOf<T>(),
                               .round = static_cast<tilesim::isa::Round>(mode),
                               .work = work},
      where);
}

}  // namespace internal

// dst = src in another type; count and mask are of elements of the wider one.
template <class T, class U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
          const uint32_t count, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Cast", where)) {
    using Shape = internal::CastShape<T, U>;
    const internal::CountForm form(*core, Shape::kLanes, count);
    const UnaryRepeatParams params(1, 1, Shape::template kRepeatStride<T>, Shape::template kRepeatStride<U>);
    internal::CastLanes(*core, dst, src, roundMode, params, form.work(), where);
  }
}
template <class T, class U, bool isSetMask = true, internal::MaskLike M>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, M mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Cast", where)) {
    const auto work =
        internal::WorkOfMaskForm<isSetMask>(*core, internal::CastShape<T, U>::kLanes, mask, repeatTime);
    internal::CastLanes(*core, dst, src, roundMode, params, work, where);
  }
}

// The scale of Cast from int32_t to half.
inline void SetDeqScale(half scale) {
  tilesim::VectorRegisters& registers = internal::ThisCore().registers().vector;
  registers.deq_scale = scale;
  registers.deq_scale_set = true;
}

// The largest whole number not above; half, float. The scratch of the second form is not needed here.
template <class T, bool isReuseSource = false>
void Floor(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
           SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = internal::VectorCore("Floor", where)) {
    const internal::CountForm form(*core, internal::LanesOf<T>(), count);
    core->Issue(tilesim::isa::VectorFloor{.dst = internal::LanesIn(*core, dst, "dst"),
                                          .src = internal::LanesIn(*core, src, "src"),
                                          .type = internal::VectorTypeOf<T>(),
                                          .work = form.work()},
                where);
  }
}
template <class T, bool isReuseSource = false>
void Floor(const LocalTensor<T>& dst, const LocalTensor<T>& src,
           const LocalTensor<uint8_t>& /*sharedTmpBuffer*/, const uint32_t count,
           SourceLine where = SourceLine::Here()) {
  Floor<T, isReuseSource>(dst, src, count, where);
}

// A float as half or int32_t, by the scalar unit.
template <class T, class U, RoundMode roundMode>
U ScalarCast(T value) {
  static_assert(std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, int32_t>),
                "ScalarCast: float to half or int32_t");
  static_assert(roundMode <= RoundMode::CAST_ODD, "ScalarCast: no such rounding on this part");
  static_assert(roundMode != RoundMode::CAST_ODD || std::is_same_v<U, half>,
                "ScalarCast: CAST_ODD rounds to half only");
  return tilesim::isa::CastElement<U>(value, {.round = static_cast<tilesim::isa::Round>(roundMode),
                                              .saturate = !internal::ThisCore().registers().ieee});
}

}  // namespace AscendC
