// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/vector_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/vector_order-inl.h"
#include "sim/isa/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

template <class T, class Order, CompareKind kKind>
HWY_INLINE void CompareOnce(const T* a, const T* b, uint8_t* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (lanes >= 8) {
    for (; i + lanes <= count; i += lanes) {
      const auto mask = Order::template Compare<kKind>(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      hn::StoreMaskBits(d, mask, to + i / 8);
    }
  }
  uint8_t stored[HWY_MAX_BYTES] = {};
  for (; i < count; i += 8) {  // a byte from narrower vectors, or from what is left
    uint32_t byte = 0;
    for (int64_t j = 0; j < 8; j += lanes) {
      HWY_ALIGN T left[HWY_MAX_BYTES / sizeof(T)] = {};
      HWY_ALIGN T right[HWY_MAX_BYTES / sizeof(T)] = {};
      const auto here = static_cast<size_t>(std::min(lanes, 8 - j));
      std::memcpy(left, a + i + j, here * sizeof(T));
      std::memcpy(right, b + i + j, here * sizeof(T));
      hn::StoreMaskBits(d, Order::template Compare<kKind>(d, hn::Load(d, left), hn::Load(d, right)), stored);
      byte |= (stored[0] & ((1U << here) - 1)) << j;
    }
    to[i / 8] = static_cast<uint8_t>(byte);
  }
}

template <class T, class Order, CompareKind kKind>
HWY_NOINLINE void Compare(const std::byte* src0, const std::byte* src1, std::byte* bits,
                          const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const auto go = [&](auto count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      CompareOnce<T, Order, kKind>(reinterpret_cast<const T*>(src0 + r * run.step_bytes[0]),
                                   reinterpret_cast<const T*>(src1 + r * run.step_bytes[1]),
                                   reinterpret_cast<uint8_t*>(bits + r * count / 8), count);
    }
  };
  GoOver<T, (HWY_MAX_BYTES >= 32)>(run.count, go);
}

// "Greater" the other way round; kernels of maxima ask for "greater".
template <class T, class Order, CompareKind kKind>
void CompareSwapped(const std::byte* src0, const std::byte* src1, std::byte* bits, const VectorRun& given) {
  VectorRun run = given;
  std::swap(run.step_bytes[0], run.step_bytes[1]);
  Compare<T, Order, kKind>(src1, src0, bits, run);
}

template <class T, class Order>
constexpr CompareRuns kCompares = {
    CompareSwapped<T, Order, CompareKind::kGt>, Compare<T, Order, CompareKind::kGt>,
    Compare<T, Order, CompareKind::kEq>,        CompareSwapped<T, Order, CompareKind::kGe>,
    Compare<T, Order, CompareKind::kGe>,        Compare<T, Order, CompareKind::kNe>};

const CompareRuns& ComparesOf(VectorType type) {
  return type == VectorType::kFp16   ? kCompares<int16_t, HalfOrder>
         : type == VectorType::kFp32 ? kCompares<float, NumberOrder>
                                     : kCompares<int32_t, NumberOrder>;
}

// `scalar`: for every element of b, where it is kScalar.
template <class T, bool kScalar>
HWY_INLINE void SelectOnce(const uint8_t* bits, int64_t first_bit, const T* a, const T* b, T scalar, T* to,
                           int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto constant = hn::Set(d, scalar);
  int64_t i = 0;
  if (lanes >= 8 && first_bit == 0) {
    uint8_t mask_bytes[HWY_MAX_BYTES / 8 + 8] = {};  // at least 8 of them are read
    for (; i + lanes <= count; i += lanes) {
      std::memcpy(mask_bytes, bits + i / 8, static_cast<size_t>(lanes / 8));
      const auto mask = hn::LoadMaskBits(d, mask_bytes);
      const auto second = kScalar ? constant : hn::LoadU(d, b + i);
      hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, a + i), second), d, to + i);
    }
  }
  for (; i < count; ++i) {
    const int64_t bit = first_bit + i;
    to[i] = (bits[bit / 8] >> (bit % 8) & 1) != 0 ? a[i] : kScalar ? scalar : b[i];
  }
}

template <class T, bool kScalar>
void SelectLanes(const ChoiceBits& bits, const std::byte* src0, const std::byte* src1, std::byte* dst,
                 const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const int64_t bit_step = given.repeats == 1 ? run.count : bits.step;
  T scalar{};
  if (kScalar) {
    std::memcpy(&scalar, src1, sizeof(scalar));
  }
  const auto go = [&](auto count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      const int64_t first_bit = bits.first + r * bit_step;
      SelectOnce<T, kScalar>(reinterpret_cast<const uint8_t*>(bits.bytes) + first_bit / 8, first_bit % 8,
                             reinterpret_cast<const T*>(src0 + r * run.step_bytes[1]),
                             reinterpret_cast<const T*>(kScalar ? src1 : src1 + r * run.step_bytes[2]),
                             scalar, reinterpret_cast<T*>(dst + r * run.step_bytes[0]), count);
    }
  };
  GoOver<T, (HWY_MAX_BYTES >= 32)>(run.count, go);
}

template <class T>
SelectRun SelectOf(bool scalar) {
  return scalar ? SelectLanes<T, true> : SelectLanes<T, false>;
}
SelectRun SelectFor(int64_t element_bytes, bool scalar) {
  return element_bytes == 2 ? SelectOf<uint16_t>(scalar) : SelectOf<uint32_t>(scalar);
}

template <class T>
void FillWith(T value, std::byte* dst, const VectorRun& run) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto all = hn::Set(d, value);
  for (int64_t r = 0; r < run.repeats; ++r) {
    auto* const to = reinterpret_cast<T*>(dst + r * run.step_bytes[0]);
    int64_t i = 0;
    for (; i + lanes <= run.count; i += lanes) {
      hn::StoreU(all, d, to + i);
    }
    for (; i < run.count; ++i) {
      to[i] = value;
    }
  }
}
void RepeatRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run) {
  if (element_bytes == 2) {
    FillWith(static_cast<uint16_t>(bits), dst, run);
  } else {
    FillWith(bits, dst, run);
  }
}

void OnesIn(std::byte* dst, int64_t size_bytes) {
  const hn::ScalableTag<uint64_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (size_bytes % (16 * lanes) != 0) {
    std::memset(dst, 0xFF, static_cast<size_t>(size_bytes));
    return;
  }
  const auto* const words = reinterpret_cast<const uint64_t*>(dst);
  auto even = hn::Set(d, ~uint64_t{0});
  auto odd = even;
  for (int64_t i = 0; i < size_bytes / 8; i += 2 * lanes) {
    even = hn::And(even, hn::LoadU(d, words + i));
    odd = hn::And(odd, hn::LoadU(d, words + i + lanes));
  }
  if (!hn::AllTrue(d, hn::Eq(hn::And(even, odd), hn::Set(d, ~uint64_t{0})))) {
    std::memset(dst, 0xFF, static_cast<size_t>(size_bytes));
  }
}

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

HWY_EXPORT(ComparesOf);
HWY_EXPORT(SelectFor);
HWY_EXPORT(RepeatRun);
HWY_EXPORT(OnesIn);
HWY_EXPORT(BulkCastOf);

}  // namespace

const CompareRuns& CompareRunsFor(VectorType type) { return HWY_DYNAMIC_DISPATCH(ComparesOf)(type); }
SelectRun SelectRunFor(int64_t element_bytes, bool scalar) {
  return HWY_DYNAMIC_DISPATCH(SelectFor)(element_bytes, scalar);
}
void FillRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run) {
  HWY_DYNAMIC_DISPATCH(RepeatRun)(element_bytes, bits, dst, run);
}
void SetAllBits(std::byte* dst, int64_t size_bytes) { HWY_DYNAMIC_DISPATCH(OnesIn)(dst, size_bytes); }
BulkCast BulkCastFor(VectorType from, VectorType to, bool saturate) {
  const BulkCast cast = HWY_DYNAMIC_DISPATCH(BulkCastOf)(from, to, saturate);
  if (cast == nullptr) {
    throw std::logic_error("a pair of types of which there is no bulk cast");
  }
  return cast;
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
