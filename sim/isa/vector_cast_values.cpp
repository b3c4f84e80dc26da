// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/vector_cast_values.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_cast_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

constexpr int64_t kRepeat = 64;  // elements of a repeat of 32-bit lanes

// Convert::Store(d, src, dst) makes one vector of floats D, or of what becomes them; this: 64 elements.
template <class Convert, class From, class To>
HWY_INLINE void ConvertRepeat(const From* src, To* dst) {
  const Floats d;
  for (int64_t i = 0; i < kRepeat; i += static_cast<int64_t>(hn::Lanes(d))) {
    Convert::Store(d, src + i, dst + i);
  }
}

// `count` elements through buffers, 64 at most: none is written before all are read.
template <class Convert, class From, class To>
HWY_INLINE void ConvertPart(const From* src, To* dst, int64_t count) {
  HWY_ALIGN From read[kRepeat] = {};
  HWY_ALIGN To converted[kRepeat];
  std::memcpy(read, src, static_cast<size_t>(count) * sizeof(From));
  ConvertRepeat<Convert>(read, converted);
  std::memcpy(dst, converted, static_cast<size_t>(count) * sizeof(To));
}

template <class Convert, class From, class To>
void ConvertRun(const std::byte* src, std::byte* dst, const VectorRun& run) {
  for (int64_t r = 0; r < run.repeats; ++r) {
    const std::byte* const from_bytes = src + r * run.step_bytes[1];
    std::byte* const to_bytes = dst + r * run.step_bytes[0];
    const auto* from = reinterpret_cast<const From*>(from_bytes);
    auto* to = reinterpret_cast<To*>(to_bytes);
    const bool apart = from_bytes + run.count * static_cast<int64_t>(sizeof(From)) <= to_bytes ||
                       to_bytes + run.count * static_cast<int64_t>(sizeof(To)) <= from_bytes;
    int64_t left = run.count;
    for (; apart && left >= kRepeat; left -= kRepeat, from += kRepeat, to += kRepeat) {
      ConvertRepeat<Convert>(from, to);
    }
    for (; left > 0; left -= kRepeat, from += kRepeat, to += kRepeat) {
      ConvertPart<Convert>(from, to, std::min(left, kRepeat));
    }
  }
}

template <class Widening>
struct Widen {
  template <class D>
  static HWY_INLINE void Store(D d, const uint16_t* src, float* dst) {
    Widening().Store(d, hn::LoadU(ShortsOf<D>(), src), dst);
  }
};

struct NarrowHalf {
  static constexpr float kMost = 65504.0F;
  template <bool kMayBeNan, class D, class V>
  static HWY_INLINE auto Of(D d, V value) {
    return tilesim::HWY_NAMESPACE::HalvesOfFloats(d, value);
  }
};
struct NarrowBFloat16 {
  static constexpr float kMost = 0x1.fep127F;
  template <bool kMayBeNan, class D, class V>
  static HWY_INLINE auto Of(D d, V value) {
    return tilesim::HWY_NAMESPACE::BFloat16sOfFloats<kMayBeNan>(d, value);
  }
};

template <class Narrowing, bool kSaturate>
struct Narrow {
  template <class D>
  static HWY_INLINE void Store(D d, const float* src, uint16_t* dst) {
    auto value = hn::LoadU(d, src);
    if constexpr (kSaturate) {
      value = tilesim::HWY_NAMESPACE::Saturated(d, value, Narrowing::kMost);
    }
    hn::StoreU(Narrowing::template Of<!kSaturate>(d, value), ShortsOf<D>(), dst);
  }
};
template <class Narrowing>
BulkCast NarrowOf(bool saturate) {
  return saturate ? ConvertRun<Narrow<Narrowing, true>, float, uint16_t>
                  : ConvertRun<Narrow<Narrowing, false>, float, uint16_t>;
}

struct Whole {
  template <class D>
  static HWY_INLINE void Store(D d, const int32_t* src, float* dst) {
    hn::StoreU(hn::ConvertTo(d, hn::LoadU(hn::Rebind<int32_t, D>(), src)), d, dst);
  }
};

// nullptr: of no such pair.
BulkCast BulkCastOf(VectorType from, VectorType to, bool saturate) {
  using enum VectorType;
  if (from == kFp16 && to == kFp32) {
    return ConvertRun<Widen<WidenHalf>, uint16_t, float>;
  }
  if (from == kBf16 && to == kFp32) {
    return ConvertRun<Widen<WidenBFloat16>, uint16_t, float>;
  }
  if (from == kInt32 && to == kFp32) {
    return ConvertRun<Whole, int32_t, float>;
  }
  if (from == kFp32 && to == kFp16) {
    return NarrowOf<NarrowHalf>(saturate);
  }
  if (from == kFp32 && to == kBf16) {
    return NarrowOf<NarrowBFloat16>(saturate);
  }
  return nullptr;
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {
HWY_EXPORT(BulkCastOf);
}  // namespace

BulkCast BulkCastFor(VectorType from, VectorType to, bool saturate) {
  const BulkCast cast = HWY_DYNAMIC_DISPATCH(BulkCastOf)(from, to, saturate);
  if (cast == nullptr) {
    throw std::logic_error("a pair of types of which there is no bulk cast");
  }
  return cast;
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
