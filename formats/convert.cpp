// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "formats/convert.h"

#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "formats/convert.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "formats/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Shorts = ShortsOf<Floats>;

// vector(src, dst) converts Lanes(Floats) elements: whole vectors, then the tail through a buffer of one.
template <class Src, class Dst, class Vector>
HWY_INLINE void ForAll(const Src* src, Dst* dst, size_t count, const Vector& vector) {
  const size_t lanes = hn::Lanes(Floats());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    vector(src + i, dst + i);
  }
  if (i < count) {
    Src src_tail[hn::MaxLanes(Floats())] = {};
    Dst dst_tail[hn::MaxLanes(Floats())];
    for (size_t j = i; j < count; ++j) {
      src_tail[j - i] = src[j];
    }
    vector(src_tail, dst_tail);
    for (size_t j = i; j < count; ++j) {
      dst[j] = dst_tail[j - i];
    }
  }
}

void HalfToFloat(const uint16_t* src, float* dst, size_t count) {
  ForAll(src, dst, count, [](const uint16_t* from, float* to) HWY_ATTR {
    hn::StoreU(FloatsOfHalves(Floats(), hn::LoadU(Shorts(), from)), Floats(), to);
  });
}
void FloatToHalf(const float* src, uint16_t* dst, size_t count) {
  ForAll(src, dst, count, [](const float* from, uint16_t* to) HWY_ATTR {
    hn::StoreU(HalvesOfFloats(Floats(), hn::LoadU(Floats(), from)), Shorts(), to);
  });
}
void BFloat16ToFloat(const uint16_t* src, float* dst, size_t count) {
  ForAll(src, dst, count, [](const uint16_t* from, float* to) HWY_ATTR {
    hn::StoreU(FloatsOfBFloat16s(Floats(), hn::LoadU(Shorts(), from)), Floats(), to);
  });
}
void FloatToBFloat16(const float* src, uint16_t* dst, size_t count) {
  ForAll(src, dst, count, [](const float* from, uint16_t* to) HWY_ATTR {
    hn::StoreU(BFloat16sOfFloats(Floats(), hn::LoadU(Floats(), from)), Shorts(), to);
  });
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
