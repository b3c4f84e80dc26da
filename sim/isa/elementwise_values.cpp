// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
// It is compiled with -ffp-contract=off: no product and sum become one step.
#include "sim/isa/elementwise_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "formats/half.h"
#include "sim/isa/cast_values.h"
#include "sim/isa/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/elementwise_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/elementwise_formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

template <class T, Kind kKind, class Order = NumberOrder>
void Run(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  RunAll<PlainLanes<T>, SourcesOf(kKind), ReadsDst(kKind)>(Formula<kKind, Order>(), src0, src1, dst, run);
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
  RunAll<PlainLanes<T>, Sources::kOne, false>(Shift<T, kKind>(static_cast<int>(count)), src0, src1, dst, run);
}

template <Kind kKind>
void RunElementary(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  using D = hn::Rebind<float, hn::ScalableTag<double>>;
  const auto formula = [](D d, auto a, auto /*b*/, auto /*c*/)
                           HWY_ATTR { return Elementary<kKind, Narrowing::kNearest>(d, a); };
  RunAll<PlainLanes<float, D>, Sources::kOne, false>(formula, src0, src1, dst, run);
}

// What holds a lane of a type to a kind; bits of a width are alike. Types that it cannot be do not compile.
template <VectorType kType, Kind kKind>
constexpr auto AnyLane() {
  using enum VectorType;
  if constexpr (IsBitwise(kKind)) {
    static_assert(k16And32BitTypes.Has(kType), "bits are those of lanes of 16 or 32 bits");
    return std::conditional_t<ElementBits(kType) == 16, uint16_t, uint32_t>{};
  } else if constexpr (kType == kUint16) {
    return uint16_t{};
  } else if constexpr (kType == kInt32) {
    return int32_t{};
  } else if constexpr (kType == kUint32) {
    return uint32_t{};
  } else if constexpr (kType == kFp32) {
    return float{};
  } else {
    static_assert(kType == kInt16 || kType == kFp16, "no lane computes with numbers of this type");
    return int16_t{};  // fp16: as HalfOrder has it
  }
}
template <VectorType kType, Kind kKind>
using LaneOf = decltype(AnyLane<kType, kKind>());

// Of one type, in one step. Of fp16 bits, and the order of values that stay; others go through float.
template <VectorType kType>
struct DirectRuns {
  template <Kind kKind>
  static constexpr ElementwiseRun Of() {
    if constexpr (!RowOf(kKind).Takes(kType, kType)) {
      return nullptr;
    } else if constexpr (kType == VectorType::kFp16 && !IsBitwise(kKind)) {
      if constexpr (IsOrder(kKind)) {
        return Run<LaneOf<kType, kKind>, kKind, HalfOrder>;
      } else {
        return nullptr;
      }
    } else if constexpr (IsShift(kKind)) {
      return RunShift<LaneOf<kType, kKind>, kKind>;
    } else if constexpr (IsElementary(kKind)) {
      static_assert(kType == VectorType::kFp32, "its steps are those of floats");
      return RunElementary<kKind>;
    } else {
      return Run<LaneOf<kType, kKind>, kKind>;
    }
  }
};

template <size_t... kTypes>
ElementwiseRun DirectFor(Kind kind, VectorType type, std::index_sequence<kTypes...> /*all*/) {
  static constexpr ElementwiseRun (*kOfType[])(Kind) = {
      RunOfKind<DirectRuns<static_cast<VectorType>(kTypes)>>...};
  return kOfType[static_cast<size_t>(type)](kind);
}
ElementwiseRun DirectRunOf(Kind kind, VectorType type) {
  return DirectFor(kind, type, std::make_index_sequence<kNumVectorTypes>());
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(DirectRunOf);

using Kind = ElementwiseKind;
using Sources = ElementwiseSources;

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
struct SaturatedRuns {
  template <Kind kKind>
  static constexpr ElementwiseRun Of() {
    constexpr Kind kSaturating[] = {Kind::kAdd,  Kind::kSub,     Kind::kMul,    Kind::kAdds,
                                    Kind::kMuls, Kind::kAddRelu, Kind::kSubRelu};
    if constexpr (std::ranges::find(kSaturating, kKind) != std::end(kSaturating)) {
      return SaturatedRun<T, kKind>;
    } else {
      return nullptr;
    }
  }
};

// fp16 to whole numbers of 8 bits: nearest, ties to even; beyond them the nearest there is; NaN: 0.
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
    const T whole = Saturated<T>(std::nearbyint(float(rounded)));
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
ElementwiseRun NarrowRunFor(Kind kind, VectorType dst, VectorType src) {
  return kind == Kind::kAddReluCast   ? NarrowFor<Kind::kAddReluCast, kRange>(dst, src)
         : kind == Kind::kSubReluCast ? NarrowFor<Kind::kSubReluCast, kRange>(dst, src)
                                      : NarrowFor<Kind::kMulCast, kRange>(dst, src);
}

ElementwiseRun RunFor(Kind kind, VectorType dst, VectorType src, ResultRange range) {
  const bool saturates = range == ResultRange::kSaturated;
  if (src == VectorType::kFp16 && dst == VectorType::kFp32) {
    return HalfRunFor(kind, dst, range);
  }
  if (dst != src) {
    return saturates ? NarrowRunFor<ResultRange::kSaturated>(kind, dst, src)
                     : NarrowRunFor<ResultRange::kUnbounded>(kind, dst, src);
  }
  ElementwiseRun run = nullptr;
  if (saturates && src == VectorType::kInt16) {
    run = HWY_NAMESPACE::RunOfKind<SaturatedRuns<int16_t>>(kind);
  } else if (saturates && src == VectorType::kInt32) {
    run = HWY_NAMESPACE::RunOfKind<SaturatedRuns<int32_t>>(kind);
  } else if (src == VectorType::kFp16) {
    run = HalfRunFor(kind, dst, range);
  }
  return run != nullptr ? run : HWY_DYNAMIC_DISPATCH(DirectRunOf)(kind, src);
}

}  // namespace

ElementwiseRun ElementwiseRunFor(ElementwiseKind kind, VectorType dst, VectorType src, ResultRange range) {
  const ElementwiseRun run = RunFor(kind, dst, src, range);
  if (run == nullptr) {
    throw std::logic_error("an elementwise instruction of types that its Check should have refused");
  }
  return run;
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE
