// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/vector_cast_values.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_cast_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

constexpr int64_t kRepeat = 64;  // elements of a repeat of 32-bit lanes

// convert(d, src, dst) makes whole vectors of floats D, or of what becomes them; 64 elements.
template <class From, class To, class Convert>
HWY_INLINE void ConvertRepeat(const From* src, To* dst, const Convert& convert) {
  const Floats d;
  for (int64_t i = 0; i < kRepeat; i += static_cast<int64_t>(hn::Lanes(d))) {
    convert(d, src + i, dst + i);
  }
}

// `count` elements through buffers, 64 at most: none is written before all are read.
template <class From, class To, class Convert>
HWY_INLINE void ConvertPart(const From* src, To* dst, int64_t count, const Convert& convert) {
  HWY_ALIGN From read[kRepeat] = {};
  HWY_ALIGN To converted[kRepeat];
  std::memcpy(static_cast<void*>(read), src, static_cast<size_t>(count) * sizeof(From));
  ConvertRepeat(read, converted, convert);
  std::memcpy(static_cast<void*>(dst), converted, static_cast<size_t>(count) * sizeof(To));
}

template <class From, class To, class Convert>
HWY_INLINE void ConvertRun(const From* src, To* dst, const VectorRun& run, const Convert& convert) {
  for (int64_t r = 0; r < run.repeats; ++r) {
    const auto* const from_bytes = reinterpret_cast<const std::byte*>(src) + r * run.step_bytes[1];
    auto* const to_bytes = reinterpret_cast<std::byte*>(dst) + r * run.step_bytes[0];
    const auto* from = reinterpret_cast<const From*>(from_bytes);
    auto* to = reinterpret_cast<To*>(to_bytes);
    const bool apart = from_bytes + run.count * static_cast<int64_t>(sizeof(From)) <= to_bytes ||
                       to_bytes + run.count * static_cast<int64_t>(sizeof(To)) <= from_bytes;
    int64_t left = run.count;
    for (; apart && left >= kRepeat; left -= kRepeat, from += kRepeat, to += kRepeat) {
      ConvertRepeat(from, to, convert);
    }
    for (; left > 0; left -= kRepeat, from += kRepeat, to += kRepeat) {
      ConvertPart(from, to, std::min(left, kRepeat), convert);
    }
  }
}

template <class Widen>
HWY_INLINE void WidenWith(const Widen& widen, const uint16_t* src, float* dst, const VectorRun& run) {
  ConvertRun(src, dst, run, [&widen](auto d, const uint16_t* from, float* to) HWY_ATTR {
    widen.Store(d, hn::LoadU(ShortsOf<decltype(d)>(), from), to);
  });
}
void WidenHalfRun(const uint16_t* src, float* dst, const VectorRun& run) {
  WidenWith(WidenHalf(), src, dst, run);
}
void WidenBFloat16Run(const uint16_t* src, float* dst, const VectorRun& run) {
  WidenWith(WidenBFloat16(), src, dst, run);
}

struct NarrowHalf {
  static constexpr float kMost = 65504.0F;
  template <bool kMayBeNan, class D, class V>
  HWY_INLINE void Store(D d, V value, uint16_t* dst) const {
    hn::StoreU(tilesim::HWY_NAMESPACE::HalvesOfFloats(d, value), ShortsOf<D>(), dst);
  }
};
struct NarrowBFloat16 {
  static constexpr float kMost = 0x1.fep127F;
  template <bool kMayBeNan, class D, class V>
  HWY_INLINE void Store(D d, V value, uint16_t* dst) const {
    hn::StoreU(tilesim::HWY_NAMESPACE::BFloat16sOfFloats<kMayBeNan>(d, value), ShortsOf<D>(), dst);
  }
};

template <class Narrow>
HWY_INLINE void NarrowWith(const Narrow& narrow, const float* src, uint16_t* dst, const VectorRun& run,
                           bool saturate) {
  if (saturate) {
    ConvertRun(src, dst, run, [&narrow](auto d, const float* from, uint16_t* to) HWY_ATTR {
      narrow.template Store<false>(d, tilesim::HWY_NAMESPACE::Saturated(d, hn::LoadU(d, from), Narrow::kMost),
                                   to);
    });
  } else {
    ConvertRun(src, dst, run, [&narrow](auto d, const float* from, uint16_t* to) HWY_ATTR {
      narrow.template Store<true>(d, hn::LoadU(d, from), to);
    });
  }
}
void NarrowHalfRun(const float* src, uint16_t* dst, const VectorRun& run, bool saturate) {
  NarrowWith(NarrowHalf(), src, dst, run, saturate);
}
void NarrowBFloat16Run(const float* src, uint16_t* dst, const VectorRun& run, bool saturate) {
  NarrowWith(NarrowBFloat16(), src, dst, run, saturate);
}

void FloatRun(const int32_t* src, float* dst, const VectorRun& run) {
  ConvertRun(src, dst, run, [](auto d, const int32_t* from, float* to) HWY_ATTR {
    hn::StoreU(hn::ConvertTo(d, hn::LoadU(hn::Rebind<int32_t, decltype(d)>(), from)), d, to);
  });
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(WidenHalfRun);
HWY_EXPORT(WidenBFloat16Run);
HWY_EXPORT(NarrowHalfRun);
HWY_EXPORT(NarrowBFloat16Run);
HWY_EXPORT(FloatRun);

template <class T>
const uint16_t* Bits(const T* elements) {
  return reinterpret_cast<const uint16_t*>(elements);
}
template <class T>
uint16_t* Bits(T* elements) {
  return reinterpret_cast<uint16_t*>(elements);
}

}  // namespace

void WidenRun(const Half* src, float* dst, const VectorRun& run) {
  HWY_DYNAMIC_DISPATCH(WidenHalfRun)(Bits(src), dst, run);
}
void WidenRun(const BFloat16* src, float* dst, const VectorRun& run) {
  HWY_DYNAMIC_DISPATCH(WidenBFloat16Run)(Bits(src), dst, run);
}
void NarrowRun(const float* src, Half* dst, const VectorRun& run, bool saturate) {
  HWY_DYNAMIC_DISPATCH(NarrowHalfRun)(src, Bits(dst), run, saturate);
}
void NarrowRun(const float* src, BFloat16* dst, const VectorRun& run, bool saturate) {
  HWY_DYNAMIC_DISPATCH(NarrowBFloat16Run)(src, Bits(dst), run, saturate);
}
void WholeToFloatRun(const int32_t* src, float* dst, const VectorRun& run) {
  HWY_DYNAMIC_DISPATCH(FloatRun)(src, dst, run);
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
