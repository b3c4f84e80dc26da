// Registers of fp16 and bf16 elements as floats and back, once for each instruction set (Highway). The same
// bits as formats/half.h.
#if defined(TILESIM_FORMATS_HALF_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_FORMATS_HALF_LANES_INL_H_
#undef TILESIM_FORMATS_HALF_LANES_INL_H_
#else
#define TILESIM_FORMATS_HALF_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tilesim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The bits of as many 16-bit elements as D has floats.
template <class D>
using ShortsOf = hn::Rebind<uint16_t, D>;

// On x86 with F16C the machine's own conversions of fp16; elsewhere the steps of half.h.
#undef TILESIM_NATIVE_HALF
#define TILESIM_NATIVE_HALF (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

template <class D>
HWY_INLINE hn::Vec<D> FloatsOfHalves(D floats, hn::Vec<ShortsOf<D>> halves) {
#if TILESIM_NATIVE_HALF
  return hn::PromoteTo(floats, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), halves));
#else
  const hn::Rebind<uint32_t, D> words;
  const auto bits = hn::PromoteTo(words, halves);
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(words, 0x8000U)));
  const auto shifted = hn::ShiftLeft<13>(hn::And(bits, hn::Set(words, 0x7fffU)));
  const auto normal = hn::Add(shifted, hn::Set(words, 0x3800'0000U));
  const auto lifted = hn::BitCast(floats, hn::Add(shifted, hn::Set(words, 0x3880'0000U)));
  const auto small = hn::BitCast(words, hn::Sub(lifted, hn::Set(floats, 0x1p-14F)));
  const auto quiet =
      hn::IfThenElseZero(hn::Gt(shifted, hn::Set(words, 0x0f80'0000U)), hn::Set(words, 0x0040'0000U));
  const auto special = hn::Or(hn::Or(shifted, hn::Set(words, 0x7f80'0000U)), quiet);
  const auto finite = hn::IfThenElse(hn::Lt(shifted, hn::Set(words, 0x0080'0000U)), small, normal);
  const auto magnitude = hn::IfThenElse(hn::Gt(shifted, hn::Set(words, 0x0f7f'ffffU)), special, finite);
  return hn::BitCast(floats, hn::Or(magnitude, sign));
#endif
}

template <class D>
HWY_INLINE hn::Vec<ShortsOf<D>> HalvesOfFloats(D floats, hn::Vec<D> value) {
#if TILESIM_NATIVE_HALF
  (void)floats;
  return hn::BitCast(ShortsOf<D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), value));
#else
  const hn::Rebind<uint32_t, D> words;
  const auto bits = hn::BitCast(words, value);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 0x8000U));
  const auto magnitude = hn::And(bits, hn::Set(words, 0x7fff'ffffU));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1U));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(words, 0x3800'0000U - 0xfffU)), odd));
  const auto small =
      hn::Sub(hn::BitCast(words, hn::Add(hn::BitCast(floats, magnitude), hn::Set(floats, 0.5F))),
              hn::Set(words, 0x3f00'0000U));
  const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 0x1ffU));
  const auto is_nan = hn::Gt(magnitude, hn::Set(words, 0x7f80'0000U));
  const auto special =
      hn::IfThenElse(is_nan, hn::Or(payload, hn::Set(words, 0x7e00U)), hn::Set(words, 0x7c00U));
  const auto finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(words, 0x3880'0000U)), small, normal);
  const auto half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(words, 0x477f'ffffU)), special, finite);
  return hn::TruncateTo(ShortsOf<D>(), hn::Or(half, sign));
#endif
}

template <class D>
HWY_INLINE hn::Vec<D> FloatsOfBFloat16s(D floats, hn::Vec<ShortsOf<D>> elements) {
  const hn::Rebind<uint32_t, D> words;
  const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(words, elements));
  const auto is_nan = hn::Gt(hn::And(wide, hn::Set(words, 0x7fff'ffffU)), hn::Set(words, 0x7f80'0000U));
  return hn::BitCast(floats, hn::Or(wide, hn::IfThenElseZero(is_nan, hn::Set(words, 0x0040'0000U))));
}

// kMayBeNan: false where the caller knows that no value is.
template <bool kMayBeNan = true, class D>
HWY_INLINE hn::Vec<ShortsOf<D>> BFloat16sOfFloats(D /*floats*/, hn::Vec<D> value) {
  const hn::Rebind<uint32_t, D> words;
  const auto bits = hn::BitCast(words, value);
  const auto high = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(high, hn::Set(words, 1U));
  auto element = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7fffU)), odd));
  if constexpr (kMayBeNan) {
    const auto is_nan = hn::Gt(hn::And(bits, hn::Set(words, 0x7fff'ffffU)), hn::Set(words, 0x7f80'0000U));
    element = hn::IfThenElse(is_nan, hn::Or(high, hn::Set(words, 0x40U)), element);
  }
  return hn::TruncateTo(ShortsOf<D>(), element);
}

// NaN as 0, and what is beyond `most` on either side as that.
template <class D>
HWY_INLINE hn::Vec<D> Saturated(D d, hn::Vec<D> value, float most) {
  const auto number = hn::IfThenZeroElse(hn::IsNaN(value), value);
  return hn::Max(hn::Min(number, hn::Set(d, most)), hn::Set(d, -most));
}

}  // namespace tilesim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
