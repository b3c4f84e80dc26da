// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
// It is compiled with -ffp-contract=off: no product and sum become one step.
#include "sim/isa/elementwise_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "formats/convert.h"
#include "formats/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/elementwise_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/elementwise_formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

// Of `count` elements: whole vectors, half a one, then the rest through one that is copied in and out.
// formula(d, a, b, c) is one of Formula's form.
template <class T, Sources kSources, bool kReadsDst, class F>
HWY_INLINE void RunOnce(const F& formula, const T* a, const T* b, T* c, int64_t count) {
  constexpr bool kTwo = kSources == Sources::kTwo;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scalar = kSources == Sources::kScalar ? hn::Set(d, b[0]) : hn::Zero(d);
  const auto compute = [&](auto tag, const T* left, const T* right, T* to) HWY_ATTR {
    const auto first = hn::LoadU(tag, left);
    const auto third = kReadsDst ? hn::LoadU(tag, to) : first;
    if constexpr (kTwo) {
      hn::StoreU(formula(tag, first, hn::LoadU(tag, right), third), tag, to);
    } else if constexpr (std::is_same_v<decltype(tag), std::remove_const_t<decltype(d)>>) {
      hn::StoreU(formula(tag, first, scalar, third), tag, to);
    } else {
      hn::StoreU(formula(tag, first, hn::LowerHalf(tag, scalar), third), tag, to);
    }
  };
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    compute(hn::ScalableTag<T>(), a + i, b + (kTwo ? i : 0), c + i);
  }
#if HWY_TARGET != HWY_SCALAR
  if (i + lanes / 2 <= count) {
    compute(hn::Half<hn::ScalableTag<T>>(), a + i, b + (kTwo ? i : 0), c + i);
    i += lanes / 2;
  }
#endif
  if (i < count) {
    const size_t bytes = static_cast<size_t>(count - i) * sizeof(T);
    HWY_ALIGN T rest[3][HWY_MAX_BYTES / sizeof(T)] = {};
    std::memcpy(rest[0], a + i, bytes);
    if constexpr (kTwo) {
      std::memcpy(rest[1], b + i, bytes);
    }
    if constexpr (kReadsDst) {
      std::memcpy(rest[2], c + i, bytes);
    }
    compute(hn::ScalableTag<T>(), rest[0], rest[1], rest[2]);
    std::memcpy(c + i, rest[2], bytes);
  }
}

template <class T, Sources kSources, bool kReadsDst, class F>
HWY_INLINE void RunAll(const F& formula, const std::byte* src0, const std::byte* src1, std::byte* dst,
                       const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const int64_t src1_step = kSources == Sources::kTwo ? run.step_bytes[2] : 0;
  const auto go = [&](auto count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      RunOnce<T, kSources, kReadsDst>(formula, reinterpret_cast<const T*>(src0 + r * run.step_bytes[1]),
                                      reinterpret_cast<const T*>(src1 + r * src1_step),
                                      reinterpret_cast<T*>(dst + r * run.step_bytes[0]), count);
    }
  };
  GoOver<T, (HWY_MAX_BYTES >= 32)>(run.count, go);
}

template <class T, Kind kKind, class Order = NumberOrder>
void Run(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  RunAll<T, SourcesOf(kKind), ReadsDst(kKind)>(Formula<kKind, Order>(), src0, src1, dst, run);
}

// By 0 to all bits of T; no machine shifts by all of them, which are so done apart.
template <class T, Kind kKind>
struct Shift {
  int less;     // what the machine shifts by
  bool none;    // nothing of the value is kept
  int last;     // the bit that is shifted out last
  bool rounds;  // and it is added

  explicit Shift(int count)
      : less(std::min(count, kBits - 1)),
        none(count >= kBits && (kKind == Kind::kShiftLeft || !std::is_signed_v<T>)),
        last(std::max(count - 1, 0)),
        rounds(kKind == Kind::kShiftRightRound && std::is_signed_v<T> && count > 0) {}

  template <class D, class V>
  HWY_INLINE V operator()(D d, V value, V /*b*/, V /*c*/) const {
    if constexpr (kKind == Kind::kShiftLeft) {
      const V shifted = none ? hn::Zero(d) : hn::ShiftLeftSame(value, less);
      if constexpr (std::is_signed_v<T>) {
        const V sign = hn::Set(d, std::numeric_limits<T>::min());
        return hn::Or(hn::And(value, sign), hn::AndNot(sign, shifted));
      } else {
        return shifted;
      }
    } else {
      const V shifted = none ? hn::Zero(d) : hn::ShiftRightSame(value, less);
      return rounds ? hn::Add(shifted, hn::And(hn::ShiftRightSame(value, last), hn::Set(d, T{1}))) : shifted;
    }
  }

 private:
  static constexpr int kBits = 8 * sizeof(T);
};

template <class T, Kind kKind>
void RunShift(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  T count = 0;
  std::memcpy(&count, src1, sizeof(T));
  RunAll<T, Sources::kOne, false>(Shift<T, kKind>(static_cast<int>(count)), src0, src1, dst, run);
}
template <class T>
ElementwiseRun ShiftOf(Kind kind) {
  return kind == Kind::kShiftLeft    ? RunShift<T, Kind::kShiftLeft>
         : kind == Kind::kShiftRight ? RunShift<T, Kind::kShiftRight>
                                     : RunShift<T, Kind::kShiftRightRound>;
}
ElementwiseRun ShiftFor(Kind kind, VectorType type) {
  switch (type) {
    case VectorType::kInt16:
      return ShiftOf<int16_t>(kind);
    case VectorType::kUint16:
      return ShiftOf<uint16_t>(kind);
    case VectorType::kInt32:
      return ShiftOf<int32_t>(kind);
    case VectorType::kUint32:
      return ShiftOf<uint32_t>(kind);
    default:
      return nullptr;
  }
}

template <Kind kKind>
HWY_INLINE void ElementaryOnce(const float* a, float* c, int64_t count) {
  const hn::Rebind<float, hn::ScalableTag<double>> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(Elementary<kKind, Narrowing::kNearest>(d, hn::LoadU(d, a + i)), d, c + i);
  }
  if (i < count) {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    std::memcpy(rest, a + i, static_cast<size_t>(count - i) * sizeof(float));
    hn::StoreU(Elementary<kKind, Narrowing::kNearest>(d, hn::LoadU(d, rest)), d, rest);
    std::memcpy(c + i, rest, static_cast<size_t>(count - i) * sizeof(float));
  }
}

template <Kind kKind>
void RunElementary(const std::byte* src0, const std::byte* /*src1*/, std::byte* dst, const VectorRun& run) {
  for (int64_t r = 0; r < run.repeats; ++r) {
    ElementaryOnce<kKind>(reinterpret_cast<const float*>(src0 + r * run.step_bytes[1]),
                          reinterpret_cast<float*>(dst + r * run.step_bytes[0]), run.count);
  }
}

template <class T>
ElementwiseRun NumbersFor(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return Run<T, Kind::kAdd>;
    case Kind::kSub:
      return Run<T, Kind::kSub>;
    case Kind::kMul:
      return Run<T, Kind::kMul>;
    case Kind::kMax:
      return Run<T, Kind::kMax>;
    case Kind::kMin:
      return Run<T, Kind::kMin>;
    case Kind::kAddRelu:
      return Run<T, Kind::kAddRelu>;
    case Kind::kSubRelu:
      return Run<T, Kind::kSubRelu>;
    case Kind::kAdds:
      return Run<T, Kind::kAdds>;
    case Kind::kMuls:
      return Run<T, Kind::kMuls>;
    case Kind::kMaxs:
      return Run<T, Kind::kMaxs>;
    case Kind::kMins:
      return Run<T, Kind::kMins>;
    case Kind::kRelu:
      return Run<T, Kind::kRelu>;
    default:
      return nullptr;
  }
}

ElementwiseRun FloatsFor(Kind kind) {
  switch (kind) {
    case Kind::kDiv:
      return Run<float, Kind::kDiv>;
    case Kind::kMulAddDst:
      return Run<float, Kind::kMulAddDst>;
    case Kind::kFusedMulAdd:
      return Run<float, Kind::kFusedMulAdd>;
    case Kind::kMulAddRelu:
      return Run<float, Kind::kMulAddRelu>;
    case Kind::kLeakyRelu:
      return Run<float, Kind::kLeakyRelu>;
    case Kind::kAxpy:
      return Run<float, Kind::kAxpy>;
    case Kind::kExp:
      return RunElementary<Kind::kExp>;
    case Kind::kLn:
      return RunElementary<Kind::kLn>;
    case Kind::kRsqrt:
      return RunElementary<Kind::kRsqrt>;
    case Kind::kSqrt:
      return Run<float, Kind::kSqrt>;
    case Kind::kAbs:
      return Run<float, Kind::kAbs>;
    case Kind::kReciprocal:
      return Run<float, Kind::kReciprocal>;
    default:
      return NumbersFor<float>(kind);
  }
}

// Those of one step for every element width; nullptr for others.
ElementwiseRun DirectFor(Kind kind, VectorType type) {
  if (kind == Kind::kAnd) {
    return Run<uint16_t, Kind::kAnd>;
  }
  if (kind == Kind::kOr) {
    return Run<uint16_t, Kind::kOr>;
  }
  if (kind == Kind::kNot) {
    return Run<uint16_t, Kind::kNot>;
  }
  switch (type) {
    case VectorType::kInt16:
      return NumbersFor<int16_t>(kind);
    case VectorType::kInt32:
      return NumbersFor<int32_t>(kind);
    case VectorType::kFp32:
      return FloatsFor(kind);
    case VectorType::kFp16:  // the order only, of results that stay as they are; others go through float
      return kind == Kind::kMax    ? Run<int16_t, Kind::kMax, HalfOrder>
             : kind == Kind::kMin  ? Run<int16_t, Kind::kMin, HalfOrder>
             : kind == Kind::kMaxs ? Run<int16_t, Kind::kMaxs, HalfOrder>
             : kind == Kind::kMins ? Run<int16_t, Kind::kMins, HalfOrder>
                                   : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(DirectFor);
HWY_EXPORT(ShiftFor);

using Kind = ElementwiseKind;
using Sources = ElementwiseSources;

ElementwiseRun FloatRun(Kind kind) { return HWY_DYNAMIC_DISPATCH(DirectFor)(kind, VectorType::kFp32); }

constexpr int64_t kChunk = 1024;  // elements of fp16 widened at a time
using Floats = std::array<float, kChunk>;

void Widen(const Half* src, Floats& to, size_t count) {
  ConvertElements(std::span<const Half>(src, count), std::span<float>(to.data(), count));
}

// fp16 * fp16 + fp32: the product is exact.
template <Kind kKind>
void HalfProductRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  constexpr bool kTwo = SourcesOf(kKind) == Sources::kTwo;
  Floats left;
  Floats right;
  if constexpr (!kTwo) {
    Widen(reinterpret_cast<const Half*>(src1), right, 1);
  }
  for (int64_t r = 0; r < run.repeats; ++r) {
    for (int64_t at = 0; at < run.count; at += kChunk) {
      const auto here = static_cast<size_t>(std::min(kChunk, run.count - at));
      Widen(reinterpret_cast<const Half*>(src0 + r * run.step_bytes[1]) + at, left, here);
      if constexpr (kTwo) {
        Widen(reinterpret_cast<const Half*>(src1 + r * run.step_bytes[2]) + at, right, here);
      }
      auto* const to = dst + r * run.step_bytes[0] + at * static_cast<int64_t>(sizeof(float));
      FloatRun(kKind)(reinterpret_cast<const std::byte*>(left.data()),
                      reinterpret_cast<const std::byte*>(right.data()), to,
                      {.count = static_cast<int64_t>(here)});
    }
  }
}

// A lane of `run`: sources of `S`, dst of `T`. Some at a time, apart from where they come from: that dst may
// be a source is nothing to the compiler then, which makes vectors of most.
template <class T, class S, class F>
void ForLanes(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run, bool two,
              const F& lane) {
  constexpr int64_t kTogether = 256;
  std::array<S, kTogether> a{};
  std::array<S, kTogether> b{};
  std::array<T, kTogether> results{};
  if (!two) {
    std::memcpy(b.data(), src1, sizeof(S));
    b.fill(b[0]);
  }
  for (int64_t r = 0; r < run.repeats; ++r) {
    for (int64_t at = 0; at < run.count; at += kTogether) {
      const auto here = static_cast<size_t>(std::min(kTogether, run.count - at));
      const int64_t src_bytes = at * static_cast<int64_t>(sizeof(S));
      std::memcpy(a.data(), src0 + r * run.step_bytes[1] + src_bytes, here * sizeof(S));
      if (two) {
        std::memcpy(b.data(), src1 + r * run.step_bytes[2] + src_bytes, here * sizeof(S));
      }
      for (size_t i = 0; i < here; ++i) {
        results[i] = lane(a[i], b[i]);
      }
      std::memcpy(dst + r * run.step_bytes[0] + at * static_cast<int64_t>(sizeof(T)), results.data(),
                  here * sizeof(T));
    }
  }
}

template <class T>
T Clamped(int64_t value) {
  return static_cast<T>(
      std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// Sums and products of whole numbers that do not wrap around.
template <class T, Kind kKind>
void SaturatedRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  ForLanes<T, T>(src0, src1, dst, run, SourcesOf(kKind) == Sources::kTwo, [](int64_t a, int64_t b) {
    const int64_t exact = kKind == Kind::kMul || kKind == Kind::kMuls      ? a * b
                          : kKind == Kind::kSub || kKind == Kind::kSubRelu ? a - b
                                                                           : a + b;
    const T result = Clamped<T>(exact);
    return kKind == Kind::kAddRelu || kKind == Kind::kSubRelu ? std::max<T>(result, 0) : result;
  });
}
template <class T>
ElementwiseRun SaturatedFor(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return SaturatedRun<T, Kind::kAdd>;
    case Kind::kSub:
      return SaturatedRun<T, Kind::kSub>;
    case Kind::kMul:
      return SaturatedRun<T, Kind::kMul>;
    case Kind::kAdds:
      return SaturatedRun<T, Kind::kAdds>;
    case Kind::kMuls:
      return SaturatedRun<T, Kind::kMuls>;
    case Kind::kAddRelu:
      return SaturatedRun<T, Kind::kAddRelu>;
    case Kind::kSubRelu:
      return SaturatedRun<T, Kind::kSubRelu>;
    default:
      return nullptr;
  }
}

// fp16 to whole numbers of 8 bits: nearest, ties to even; beyond them the nearest there is; NaN: 0.
template <class T>
T ToWhole(float value) {
  if (std::isnan(value)) {
    return 0;
  }
  const float most = std::numeric_limits<T>::max();
  const float least = std::numeric_limits<T>::min();
  return static_cast<T>(std::nearbyint(std::clamp(value, least, most)));
}
template <class T, Kind kKind, ResultRange kRange>
void NarrowHalfRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  constexpr Kind kFirst = kKind == Kind::kMulCast       ? Kind::kMul
                          : kKind == Kind::kSubReluCast ? Kind::kSub
                                                        : Kind::kAdd;
  ForLanes<T, Half>(src0, src1, dst, run, true, [](Half a, Half b) {
    const float exact = kFirst == Kind::kMul   ? float(a) * float(b)
                        : kFirst == Kind::kSub ? float(a) - float(b)
                                               : float(a) + float(b);
    const Half rounded = kRange == ResultRange::kSaturated ? ToHalfSaturating(exact) : Half(exact);
    const T whole = ToWhole<T>(float(rounded));
    return kFirst == Kind::kMul ? whole : std::max<T>(whole, 0);
  });
}
template <Kind kKind>
void NarrowWholeRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  ForLanes<int8_t, int16_t>(src0, src1, dst, run, true, [](int64_t a, int64_t b) {
    return static_cast<int8_t>(std::clamp<int64_t>(kKind == Kind::kSubReluCast ? a - b : a + b, 0, 127));
  });
}
template <Kind kKind, ResultRange kRange>
void NarrowFloatRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  ForLanes<Half, float>(src0, src1, dst, run, true, [](float a, float b) {
    const float sum = kKind == Kind::kSubReluCast ? a - b : a + b;
    const float positive = sum > 0 ? sum : 0.0F;  // NaN: 0, as is published
    return kRange == ResultRange::kSaturated ? ToHalfSaturating(positive) : Half(positive);
  });
}
template <Kind kKind, ResultRange kRange>
ElementwiseRun NarrowFor(VectorType dst, VectorType src) {
  if (dst == VectorType::kUint8) {
    return NarrowHalfRun<uint8_t, kKind, kRange>;
  }
  return src == VectorType::kFp16    ? NarrowHalfRun<int8_t, kKind, kRange>
         : src == VectorType::kInt16 ? NarrowWholeRun<kKind>
                                     : NarrowFloatRun<kKind, kRange>;
}

template <ResultRange kRange>
ElementwiseRun RunFor(Kind kind, VectorType dst, VectorType src) {
  switch (kind) {
    case Kind::kShiftLeft:
    case Kind::kShiftRight:
    case Kind::kShiftRightRound:
      return HWY_DYNAMIC_DISPATCH(ShiftFor)(kind, src);
    case Kind::kAddReluCast:
      return NarrowFor<Kind::kAddReluCast, kRange>(dst, src);
    case Kind::kSubReluCast:
      return NarrowFor<Kind::kSubReluCast, kRange>(dst, src);
    case Kind::kMulCast:
      return NarrowFor<Kind::kMulCast, kRange>(dst, src);
    default:
      break;
  }
  if (dst != src) {
    return kind == Kind::kAxpy ? HalfProductRun<Kind::kAxpy> : HalfProductRun<Kind::kMulAddDst>;
  }
  if (src == VectorType::kFp16) {
    const ElementwiseRun direct =
        kRange == ResultRange::kUnbounded ? HWY_DYNAMIC_DISPATCH(DirectFor)(kind, src) : nullptr;
    return direct != nullptr ? direct : HalfRunFor(kind, kRange);
  }
  if (kRange == ResultRange::kSaturated && (src == VectorType::kInt16 || src == VectorType::kInt32)) {
    const ElementwiseRun run =
        src == VectorType::kInt16 ? SaturatedFor<int16_t>(kind) : SaturatedFor<int32_t>(kind);
    if (run != nullptr) {
      return run;
    }
  }
  return HWY_DYNAMIC_DISPATCH(DirectFor)(kind, src);
}

}  // namespace

ElementwiseRun ElementwiseRunFor(ElementwiseKind kind, VectorType dst, VectorType src, ResultRange range) {
  const ElementwiseRun run = range == ResultRange::kSaturated
                                 ? RunFor<ResultRange::kSaturated>(kind, dst, src)
                                 : RunFor<ResultRange::kUnbounded>(kind, dst, src);
  if (run == nullptr) {
    throw std::logic_error("an elementwise instruction of types that its Check should have refused");
  }
  return run;
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
