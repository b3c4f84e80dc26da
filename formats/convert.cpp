// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "formats/convert.h"

#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "formats/convert.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<uint32_t>;
using HalfWords = hn::Rebind<uint16_t, Words>;
using Floats = hn::Rebind<float, Words>;

// On x86 with F16C the machine's own conversions; elsewhere the steps of half.h, lane by lane.
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
constexpr bool kNativeHalf = true;
#else
constexpr bool kNativeHalf = false;
#endif

template <class V>
HWY_INLINE V HalfBitsOf(Words words, V bits) {
  const Floats floats;
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 0x8000u));
  const auto magnitude = hn::And(bits, hn::Set(words, 0x7fff'ffffu));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1u));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(words, 0x3800'0000u - 0xfffu)), odd));
  const auto small =
      hn::Sub(hn::BitCast(words, hn::Add(hn::BitCast(floats, magnitude), hn::Set(floats, 0.5f))),
              hn::Set(words, 0x3f00'0000u));
  const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 0x1ffu));
  const auto is_nan = hn::Gt(magnitude, hn::Set(words, 0x7f80'0000u));
  const auto special =
      hn::IfThenElse(is_nan, hn::Or(payload, hn::Set(words, 0x7e00u)), hn::Set(words, 0x7c00u));
  const auto finite = hn::IfThenElse(hn::Lt(magnitude, hn::Set(words, 0x3880'0000u)), small, normal);
  const auto value = hn::IfThenElse(hn::Gt(magnitude, hn::Set(words, 0x477f'ffffu)), special, finite);
  return hn::Or(value, sign);
}

template <class V>
HWY_INLINE V HalfValueOf(Words words, V bits) {
  const Floats floats;
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(words, 0x8000u)));
  const auto shifted = hn::ShiftLeft<13>(hn::And(bits, hn::Set(words, 0x7fffu)));
  const auto normal = hn::Add(shifted, hn::Set(words, 0x3800'0000u));
  const auto lifted = hn::BitCast(floats, hn::Add(shifted, hn::Set(words, 0x3880'0000u)));
  const auto small = hn::BitCast(words, hn::Sub(lifted, hn::Set(floats, 0x1p-14f)));
  const auto exponent_max = hn::Set(words, 0x0f80'0000u);
  const auto quiet = hn::IfThenElseZero(hn::Gt(shifted, exponent_max), hn::Set(words, 0x0040'0000u));
  const auto special = hn::Or(hn::Or(shifted, hn::Set(words, 0x7f80'0000u)), quiet);
  const auto finite = hn::IfThenElse(hn::Lt(shifted, hn::Set(words, 0x0080'0000u)), small, normal);
  return hn::Or(hn::IfThenElse(hn::Gt(shifted, hn::Set(words, 0x0f7f'ffffu)), special, finite), sign);
}

template <class V>
HWY_INLINE V BFloat16BitsOf(Words words, V bits) {
  const auto high = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(high, hn::Set(words, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7fffu)), odd));
  const auto is_nan = hn::Gt(hn::And(bits, hn::Set(words, 0x7fff'ffffu)), hn::Set(words, 0x7f80'0000u));
  return hn::IfThenElse(is_nan, hn::Or(high, hn::Set(words, 0x40u)), rounded);
}

template <class V>
HWY_INLINE V BFloat16ValueOf(Words words, V bits) {
  const auto wide = hn::ShiftLeft<16>(bits);
  const auto is_nan = hn::Gt(hn::And(wide, hn::Set(words, 0x7fff'ffffu)), hn::Set(words, 0x7f80'0000u));
  return hn::Or(wide, hn::IfThenElseZero(is_nan, hn::Set(words, 0x0040'0000u)));
}

// One vector of Lanes(Words) elements.
struct WidenHalf {
  HWY_INLINE void operator()(const uint16_t* src, float* dst) const {
    const Words words;
    if constexpr (kNativeHalf) {
      const hn::Rebind<hwy::float16_t, Words> halves;
      hn::StoreU(hn::PromoteTo(Floats(), hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(src))),
                 Floats(), dst);
    } else {
      const auto bits = hn::PromoteTo(words, hn::LoadU(HalfWords(), src));
      hn::StoreU(hn::BitCast(Floats(), HalfValueOf(words, bits)), Floats(), dst);
    }
  }
};

struct NarrowHalf {
  HWY_INLINE void operator()(const float* src, uint16_t* dst) const {
    const Words words;
    if constexpr (kNativeHalf) {
      const hn::Rebind<hwy::float16_t, Words> halves;
      hn::StoreU(hn::DemoteTo(halves, hn::LoadU(Floats(), src)), halves,
                 reinterpret_cast<hwy::float16_t*>(dst));
    } else {
      const auto bits = hn::BitCast(words, hn::LoadU(Floats(), src));
      hn::StoreU(hn::TruncateTo(HalfWords(), HalfBitsOf(words, bits)), HalfWords(), dst);
    }
  }
};

struct WidenBFloat16 {
  HWY_INLINE void operator()(const uint16_t* src, float* dst) const {
    const Words words;
    const auto bits = hn::PromoteTo(words, hn::LoadU(HalfWords(), src));
    hn::StoreU(hn::BitCast(Floats(), BFloat16ValueOf(words, bits)), Floats(), dst);
  }
};

struct NarrowBFloat16 {
  HWY_INLINE void operator()(const float* src, uint16_t* dst) const {
    const Words words;
    const auto bits = hn::BitCast(words, hn::LoadU(Floats(), src));
    hn::StoreU(hn::TruncateTo(HalfWords(), BFloat16BitsOf(words, bits)), HalfWords(), dst);
  }
};

// Whole vectors, then the tail through a buffer of one vector.
template <class Vector, class Src, class Dst>
HWY_INLINE void ForAll(const Vector& vector, const Src* src, Dst* dst, size_t count) {
  const size_t lanes = hn::Lanes(Words());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    vector(src + i, dst + i);
  }
  if (i < count) {
    Src src_tail[hn::MaxLanes(Words())] = {};
    Dst dst_tail[hn::MaxLanes(Words())];
    for (size_t j = i; j < count; ++j) {
      src_tail[j - i] = src[j];
    }
    vector(src_tail, dst_tail);
    for (size_t j = i; j < count; ++j) {
      dst[j] = dst_tail[j - i];
    }
  }
}

void HalfToFloat(const uint16_t* src, float* dst, size_t count) { ForAll(WidenHalf(), src, dst, count); }
void FloatToHalf(const float* src, uint16_t* dst, size_t count) { ForAll(NarrowHalf(), src, dst, count); }
void BFloat16ToFloat(const uint16_t* src, float* dst, size_t count) {
  ForAll(WidenBFloat16(), src, dst, count);
}
void FloatToBFloat16(const float* src, uint16_t* dst, size_t count) {
  ForAll(NarrowBFloat16(), src, dst, count);
}

}  // namespace tilesim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim {
namespace {

HWY_EXPORT(HalfToFloat);
HWY_EXPORT(FloatToHalf);
HWY_EXPORT(BFloat16ToFloat);
HWY_EXPORT(FloatToBFloat16);

void CheckCounts(size_t src, size_t dst) {
  if (src != dst) {
    throw std::logic_error("ConvertElements: src and dst differ in length");
  }
}

}  // namespace

// The 16-bit classes hold nothing but their bits, so an array of them is an array of uint16_t.
static_assert(sizeof(Half) == sizeof(uint16_t) && sizeof(BFloat16) == sizeof(uint16_t));

void ConvertElements(std::span<const Half> src, std::span<float> dst) {
  CheckCounts(src.size(), dst.size());
  HWY_DYNAMIC_DISPATCH(HalfToFloat)(reinterpret_cast<const uint16_t*>(src.data()), dst.data(), src.size());
}

void ConvertElements(std::span<const BFloat16> src, std::span<float> dst) {
  CheckCounts(src.size(), dst.size());
  HWY_DYNAMIC_DISPATCH(BFloat16ToFloat)
  (reinterpret_cast<const uint16_t*>(src.data()), dst.data(), src.size());
}

void ConvertElements(std::span<const float> src, std::span<Half> dst) {
  CheckCounts(src.size(), dst.size());
  HWY_DYNAMIC_DISPATCH(FloatToHalf)(src.data(), reinterpret_cast<uint16_t*>(dst.data()), src.size());
}

void ConvertElements(std::span<const float> src, std::span<BFloat16> dst) {
  CheckCounts(src.size(), dst.size());
  HWY_DYNAMIC_DISPATCH(FloatToBFloat16)(src.data(), reinterpret_cast<uint16_t*>(dst.data()), src.size());
}

}  // namespace tilesim

#endif  // HWY_ONCE
