// Cast, Floor, and Cast of single values. On a cube core vector calls do nothing.
//
// Beyond an integer type a cast gives its nearest number, of infinity too, and 0 of NaN; with
// SetSaturationFlag<SaturationMode::CAST>(false) it gives the low bits of the whole number, 0 of infinity and
// of NaN (the vendor's documents leave the latter open). float to float gives +0 where it gives zero.
// int4b_t: two elements a byte; counts and masks take both of a byte or none.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/vector_mask.h"
#include "sim/isa/cast_rule.h"
#include "sim/isa/vector_cast.h"

namespace AscendC {

namespace simulator {

template <class T, class U>
struct CastCall {
  static constexpr const char* kName = "Cast";
  static constexpr int64_t kLanes = LanesOfBoth<T, U>();
  const LocalTensor<T>& dst;
  const LocalTensor<U>& src;
  RoundMode mode;
  LaneStrides strides = LaneStrides::Contiguous<T, U>();

  void Issue(tilesim::Core& core, const tilesim::isa::VectorWork& work, SourceLine where) const {
    RequireUnmixed<T, U>();
    core.Issue(
        tilesim::isa::VectorCast{.dst = LanesIn(core, dst, "dst", strides.dst_block, strides.dst_repeat),
                                 .src = LanesIn(core, src, "src", strides.src0_block, strides.src0_repeat),
                                 .from = VectorTypeOf<U>(),
                                 .to = VectorTypeOf<T>(),
                                 .round = static_cast<tilesim::isa::Round>(mode),
                                 .work = work},
        where);
  }
};

}  // namespace simulator

// dst = src in another type; count and mask are of elements of the wider one.
template <class T, class U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
          const uint32_t count, SourceLine where = SourceLine::Here()) {
  simulator::RunCountForm(simulator::CastCall<T, U>{dst, src, roundMode}, count, where);
}
template <class T, class U, bool isSetMask = true, simulator::MaskLike Mask>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, Mask mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params, SourceLine where = SourceLine::Here()) {
  simulator::RunMaskForm<isSetMask>(simulator::CastCall<T, U>{dst, src, roundMode, params}, mask, repeatTime,
                                    where);
}

// The scale of Cast from int32_t to half.
inline void SetDeqScale(half scale) {
  tilesim::Core& core = simulator::ThisCore();
  tilesim::VectorRegisters& registers = core.registers().vector;
  registers.deq_scale = scale;
  registers.deq_scale_set = registers.has_deq_scale = true;
  registers.dequant_one_set = registers.dequant_list_set = false;
  simulator::SpendOnMask(core, 1);
}

// The largest whole number not above; half, float. The scratch of the second form is not needed here.
template <class T, bool isReuseSource = false>
void Floor(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
           SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Floor", where)) {
    const simulator::CountForm form(*core, simulator::LanesOf<T>(), count);
    core->Issue(tilesim::isa::VectorFloor{.dst = simulator::LanesIn(*core, dst, "dst"),
                                          .src = simulator::LanesIn(*core, src, "src"),
                                          .type = simulator::VectorTypeOf<T>(),
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

// A float as half (the documents have CAST_ODD) or int32_t, by the scalar unit.
template <class T, class U, RoundMode roundMode>
U Cast(T value) {
  static_assert(std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, int32_t>),
                "Cast of a value: float to half or int32_t");
  static_assert(roundMode <= RoundMode::CAST_ODD, "Cast of a value: no such rounding on this part");
  static_assert(roundMode != RoundMode::CAST_ODD || std::is_same_v<U, half>,
                "Cast of a value: CAST_ODD rounds to half only");
  tilesim::Core& core = simulator::ThisCore();
  simulator::SpendOnMask(core, 1);
  return tilesim::isa::CastElement<U>(value, {.round = static_cast<tilesim::isa::Round>(roundMode),
                                              .saturate = !core.registers().ieee,
                                              .wrap = core.registers().vector.wrap_casts});
}
template <class T, class U, RoundMode roundMode>
U ScalarCast(T value) {
  return Cast<T, U, roundMode>(value);
}
// To nearest even; and back, exactly.
inline bfloat16_t Cast(const float& value) { return ToBfloat16(value); }
inline float Cast(const bfloat16_t& value) { return ToFloat(value); }

}  // namespace AscendC
