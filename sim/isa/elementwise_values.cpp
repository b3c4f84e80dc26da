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
#include "sim/isa/round_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/elementwise_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "sim/isa/elementary-inl.h"
#include "sim/isa/vector_order-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

using Kind = ElementwiseKind;
using Sources = ElementwiseSources;

// One lane of an instruction whose steps are those of its type: `a` of src0, `b` of src1 or the scalar, `c`
// of dst.
template <Kind kKind, class Order>
struct Formula {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V c) const {
    if constexpr (kKind == Kind::kAdd || kKind == Kind::kAdds) {
      return hn::Add(a, b);
    } else if constexpr (kKind == Kind::kSub) {
      return hn::Sub(a, b);
    } else if constexpr (kKind == Kind::kMul || kKind == Kind::kMuls) {
      return hn::Mul(a, b);
    } else if constexpr (kKind == Kind::kDiv) {
      return hn::Div(a, b);
    } else if constexpr (kKind == Kind::kMax || kKind == Kind::kMaxs) {
      return Order::Greatest(d, a, b);
    } else if constexpr (kKind == Kind::kMin || kKind == Kind::kMins) {
      return Order::Least(d, a, b);
    } else if constexpr (kKind == Kind::kAnd) {
      return hn::And(a, b);
    } else if constexpr (kKind == Kind::kOr) {
      return hn::Or(a, b);
    } else if constexpr (kKind == Kind::kAddRelu) {
      return Relu(d, hn::Add(a, b));
    } else if constexpr (kKind == Kind::kSubRelu) {
      return Relu(d, hn::Sub(a, b));
    } else if constexpr (kKind == Kind::kMulAddDst || kKind == Kind::kAxpy) {
      return hn::Add(hn::Mul(a, b), c);
    } else if constexpr (kKind == Kind::kFusedMulAdd) {
      return hn::Add(hn::Mul(a, c), b);
    } else if constexpr (kKind == Kind::kMulAddRelu) {
      return Relu(d, hn::Add(hn::Mul(a, c), b));
    } else if constexpr (kKind == Kind::kLeakyRelu) {
      const hn::RebindToSigned<D> whole;
      const auto negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(whole, a)));  // -0, too
      return hn::IfVecThenElse(negative, hn::Mul(a, b), a);
    } else if constexpr (kKind == Kind::kSqrt) {
      return hn::Sqrt(a);
    } else if constexpr (kKind == Kind::kAbs) {
      return hn::Abs(a);
    } else if constexpr (kKind == Kind::kReciprocal) {
      return hn::Div(hn::Set(d, 1.0F), a);
    } else if constexpr (kKind == Kind::kRelu) {
      return Relu(d, a);
    } else {
      static_assert(kKind == Kind::kNot);
      return hn::Not(a);
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE V Relu(D d, V a) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IfThenZeroElse(hn::Le(a, hn::Zero(d)), a);  // NaN stays
    } else {
      return hn::Max(a, hn::Zero(d));
    }
  }
};

// Of `count` elements: whole vectors, half a one, then the rest through one that is copied in and out.
template <class T, Kind kKind, class Order>
HWY_INLINE void RunOnce(const T* a, const T* b, T* c, int64_t count) {
  constexpr bool kTwo = SourcesOf(kKind) == Sources::kTwo;
  constexpr Formula<kKind, Order> kFormula;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scalar = SourcesOf(kKind) == Sources::kScalar ? hn::Set(d, b[0]) : hn::Zero(d);
  const auto compute = [&](auto tag, const T* left, const T* right, T* to) HWY_ATTR {
    const auto first = hn::LoadU(tag, left);
    const auto third = ReadsDst(kKind) ? hn::LoadU(tag, to) : first;
    if constexpr (kTwo) {
      hn::StoreU(kFormula(tag, first, hn::LoadU(tag, right), third), tag, to);
    } else if constexpr (std::is_same_v<decltype(tag), std::remove_const_t<decltype(d)>>) {
      hn::StoreU(kFormula(tag, first, scalar, third), tag, to);
    } else {
      hn::StoreU(kFormula(tag, first, hn::LowerHalf(tag, scalar), third), tag, to);
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
    if constexpr (ReadsDst(kKind)) {
      std::memcpy(rest[2], c + i, bytes);
    }
    compute(hn::ScalableTag<T>(), rest[0], rest[1], rest[2]);
    std::memcpy(c + i, rest[2], bytes);
  }
}

template <class T, Kind kKind, class Order = NumberOrder>
void Run(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& given) {
  const VectorRun run = InWholeRepeats<T>(given);
  const int64_t src1_step = SourcesOf(kKind) == Sources::kTwo ? run.step_bytes[2] : 0;
  const auto go = [&](int64_t count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      RunOnce<T, kKind, Order>(reinterpret_cast<const T*>(src0 + r * run.step_bytes[1]),
                               reinterpret_cast<const T*>(src1 + r * src1_step),
                               reinterpret_cast<T*>(dst + r * run.step_bytes[0]), count);
    }
  };
  // most repeats: known to the compiler, where there are vectors
  constexpr int64_t kWhole = HWY_TARGET == HWY_SCALAR ? 0 : 256 / sizeof(T);
  run.count == kWhole ? go(kWhole) : go(run.count);
}

// Exp, Ln and Rsqrt, which take their steps in double. How they become floats: the nearest one; or, where
// they are to be rounded once more, to fp16, the one before or behind them whose last bit is set, if they are
// between two.
enum class Narrowing : uint8_t { kNearest, kToOdd };

template <Narrowing kNarrowing, class D, class V>
HWY_INLINE auto Narrowed(D d, V value) {
  const hn::Rebind<float, D> narrow;
  if constexpr (kNarrowing == Narrowing::kToOdd) {
    const hn::Rebind<uint64_t, D> whole;
    const auto lost = hn::Set(whole, (uint64_t{1} << 29) - 1);  // 52 - 23 bits of the mantissa
    const auto bits = hn::BitCast(whole, value);
    const auto exact = hn::Eq(hn::And(bits, lost), hn::Zero(whole));
    const auto odd = hn::Or(hn::AndNot(lost, bits), hn::Set(whole, uint64_t{1} << 29));
    const auto rounded = hn::BitCast(d, hn::IfThenElse(exact, bits, odd));
    value = hn::IfThenElse(hn::IsNaN(value), value, rounded);
  }
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(narrow, static_cast<float>(hn::GetLane(value)));  // Highway's own gives no infinity
#else
  return hn::DemoteTo(narrow, value);
#endif
}

template <Kind kKind, Narrowing kNarrowing>
HWY_INLINE void ElementaryOnce(const float* a, float* c, int64_t count) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto compute = [&](const float* from, float* to) HWY_ATTR {
    const auto x = hn::PromoteTo(d, hn::LoadU(narrow, from));
    if constexpr (kKind == Kind::kExp) {
      hn::StoreU(Narrowed<kNarrowing>(d, ExpOf(d, x)), narrow, to);
    } else if constexpr (kKind == Kind::kLn) {
      hn::StoreU(Narrowed<kNarrowing>(d, LnOf(d, x)), narrow, to);
    } else {
      hn::StoreU(Narrowed<kNarrowing>(d, hn::Div(hn::Set(d, 1.0), hn::Sqrt(x))), narrow, to);
    }
  };
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    compute(a + i, c + i);
  }
  if (i < count) {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    std::memcpy(rest, a + i, static_cast<size_t>(count - i) * sizeof(float));
    compute(rest, rest);
    std::memcpy(c + i, rest, static_cast<size_t>(count - i) * sizeof(float));
  }
}

template <Kind kKind, Narrowing kNarrowing>
void RunElementary(const std::byte* src0, const std::byte* /*src1*/, std::byte* dst, const VectorRun& run) {
  for (int64_t r = 0; r < run.repeats; ++r) {
    ElementaryOnce<kKind, kNarrowing>(reinterpret_cast<const float*>(src0 + r * run.step_bytes[1]),
                                      reinterpret_cast<float*>(dst + r * run.step_bytes[0]), run.count);
  }
}
// nullptr for others.
template <Narrowing kNarrowing>
ElementwiseRun ElementaryFor(Kind kind) {
  return kind == Kind::kExp     ? RunElementary<Kind::kExp, kNarrowing>
         : kind == Kind::kLn    ? RunElementary<Kind::kLn, kNarrowing>
         : kind == Kind::kRsqrt ? RunElementary<Kind::kRsqrt, kNarrowing>
                                : nullptr;
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
    case Kind::kLn:
    case Kind::kRsqrt:
      return ElementaryFor<Narrowing::kNearest>(kind);
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

// Of floats that are to be rounded to fp16 yet.
ElementwiseRun BeforeHalfFor(Kind kind) {
  const ElementwiseRun elementary = ElementaryFor<Narrowing::kToOdd>(kind);
  return elementary != nullptr ? elementary : FloatsFor(kind);
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
    case VectorType::kFp16:  // the order only: other steps go through float
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

HWY_EXPORT(BeforeHalfFor);
HWY_EXPORT(DirectFor);

using Kind = ElementwiseKind;
using Sources = ElementwiseSources;

ElementwiseRun FloatRun(Kind kind) { return HWY_DYNAMIC_DISPATCH(DirectFor)(kind, VectorType::kFp32); }

constexpr int64_t kChunk = 1024;  // elements of fp16 widened at a time
using Floats = std::array<float, kChunk>;

void Widen(const Half* src, Floats& to, size_t count) {
  ConvertElements(std::span<const Half>(src, count), std::span<float>(to.data(), count));
}
void Narrow(Floats& values, size_t count, ResultRange range, Half* dst) {
  if (range == ResultRange::kSaturated) {
    ClampFloats(float(kHalfMax), values.data(), values.data(), static_cast<int64_t>(count));
  }
  ConvertElements(std::span<const float>(values.data(), count), std::span<Half>(dst, count));
}
void Apply(Kind kind, const Floats& a, const Floats& b, Floats& to, size_t count) {
  HWY_DYNAMIC_DISPATCH(BeforeHalfFor)
  (kind)(reinterpret_cast<const std::byte*>(a.data()), reinterpret_cast<const std::byte*>(b.data()),
         reinterpret_cast<std::byte*>(to.data()), {.count = static_cast<int64_t>(count)});
}

// The steps of an instruction, each rounded by itself: with what, if anything, the result so far is combined.
enum class With : uint8_t { kSrc1, kDst, kNothing };
struct Step {
  Kind kind;
  With with;
};
struct Steps {
  std::array<Step, 3> steps;
  size_t count;
};
constexpr Steps StepsOf(Kind kind) {
  switch (kind) {
    case Kind::kAddRelu:
    case Kind::kAddReluCast:
      return {{{{Kind::kAdd, With::kSrc1}, {Kind::kRelu, With::kNothing}}}, 2};
    case Kind::kSubRelu:
    case Kind::kSubReluCast:
      return {{{{Kind::kSub, With::kSrc1}, {Kind::kRelu, With::kNothing}}}, 2};
    case Kind::kMulCast:
      return {{{{Kind::kMul, With::kSrc1}}}, 1};
    case Kind::kMulAddDst:
      return {{{{Kind::kMul, With::kSrc1}, {Kind::kAdd, With::kDst}}}, 2};
    case Kind::kAxpy:
      return {{{{Kind::kMuls, With::kSrc1}, {Kind::kAdd, With::kDst}}}, 2};
    case Kind::kFusedMulAdd:
      return {{{{Kind::kMul, With::kDst}, {Kind::kAdd, With::kSrc1}}}, 2};
    case Kind::kMulAddRelu:
      return {{{{Kind::kMul, With::kDst}, {Kind::kAdd, With::kSrc1}, {Kind::kRelu, With::kNothing}}}, 3};
    default:
      return {{{{kind, With::kSrc1}}}, 1};
  }
}

// Sums, products, quotients and roots of fp16 are correctly rounded where they are rounded to float before:
// float has 24 >= 2 * 11 + 2 bits. Of others see Narrowing.
template <Kind kKind, ResultRange kRange>
void HalfRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  constexpr Steps kSteps = StepsOf(kKind);
  constexpr bool kTwo = SourcesOf(kKind) == Sources::kTwo;
  Floats left;
  Floats right;
  Floats third;
  if constexpr (SourcesOf(kKind) == Sources::kScalar) {
    Widen(reinterpret_cast<const Half*>(src1), right, 1);
  }
  for (int64_t r = 0; r < run.repeats; ++r) {
    const auto* const a = reinterpret_cast<const Half*>(src0 + r * run.step_bytes[1]);
    const auto* const b = reinterpret_cast<const Half*>(src1 + (kTwo ? r * run.step_bytes[2] : 0));
    auto* const c = reinterpret_cast<Half*>(dst + r * run.step_bytes[0]);
    for (int64_t at = 0; at < run.count; at += kChunk) {
      const auto here = static_cast<size_t>(std::min(kChunk, run.count - at));
      Widen(a + at, left, here);
      if constexpr (kTwo) {
        Widen(b + at, right, here);
      }
      if constexpr (ReadsDst(kKind)) {
        Widen(c + at, third, here);
      }
      for (size_t i = 0; i < kSteps.count; ++i) {
        if (i > 0) {
          std::array<Half, kChunk> rounded;
          Narrow(left, here, kRange, rounded.data());
          Widen(rounded.data(), left, here);
        }
        Apply(kSteps.steps[i].kind, left, kSteps.steps[i].with == With::kDst ? third : right, left, here);
      }
      Narrow(left, here, kRange, c + at);
    }
  }
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

template <class T, Kind kKind>
void ShiftRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  constexpr int kBits = 8 * sizeof(T);
  using Bits = std::make_unsigned_t<T>;
  T count = 0;
  std::memcpy(&count, src1, sizeof(T));
  const auto shift = static_cast<int>(count);  // 0 .. kBits; by all bits, which no machine shifts by: apart
  const bool all = shift >= kBits;
  const int less = all ? kBits - 1 : shift;
  const Bits kept =
      all && (kKind == Kind::kShiftLeft || !std::is_signed_v<T>) ? Bits{0} : static_cast<Bits>(~Bits{0});
  const int last = shift == 0 ? 0 : shift - 1;  // the bit that is shifted out last
  const T rounds = shift == 0 ? 0 : 1;
  ForLanes<T, T>(src0, src1, dst, run, false, [=](T value, T) {
    if constexpr (kKind == Kind::kShiftLeft) {
      const Bits sign = std::is_signed_v<T> ? Bits{1} << (kBits - 1) : Bits{0};
      const auto shifted = static_cast<Bits>(static_cast<Bits>(static_cast<Bits>(value) << less) & kept);
      return static_cast<T>((static_cast<Bits>(value) & sign) | (shifted & static_cast<Bits>(~sign)));
    } else if constexpr (kKind == Kind::kShiftRightRound && std::is_signed_v<T>) {
      return static_cast<T>((value >> less) + ((value >> last) & rounds));
    } else {
      return static_cast<T>(static_cast<Bits>(value >> less) & kept);
    }
  });
}
template <class T>
ElementwiseRun ShiftFor(Kind kind) {
  return kind == Kind::kShiftLeft    ? ShiftRun<T, Kind::kShiftLeft>
         : kind == Kind::kShiftRight ? ShiftRun<T, Kind::kShiftRight>
                                     : ShiftRun<T, Kind::kShiftRightRound>;
}
ElementwiseRun ShiftFor(Kind kind, VectorType type) {
  switch (type) {
    case VectorType::kInt16:
      return ShiftFor<int16_t>(kind);
    case VectorType::kUint16:
      return ShiftFor<uint16_t>(kind);
    case VectorType::kInt32:
      return ShiftFor<int32_t>(kind);
    case VectorType::kUint32:
      return ShiftFor<uint32_t>(kind);
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
  constexpr Kind kFirst = StepsOf(kKind).steps[0].kind;
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

// Max and Min of fp16 where what is infinite or NaN does not stay so: repeat by repeat, for one may read what
// the one before has written.
template <Kind kKind>
void SaturatedOrderRun(const std::byte* src0, const std::byte* src1, std::byte* dst, const VectorRun& run) {
  const ElementwiseRun order = HWY_DYNAMIC_DISPATCH(DirectFor)(kKind, VectorType::kFp16);
  const int64_t src1_step = SourcesOf(kKind) == Sources::kTwo ? run.step_bytes[2] : 0;
  const int64_t count = run.count;
  for (int64_t r = 0; r < run.repeats; ++r) {
    std::byte* const to = dst + r * run.step_bytes[0];
    order(src0 + r * run.step_bytes[1], src1 + r * src1_step, to, {.count = count});
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, to + 2 * i, 2);
      const uint16_t magnitude = bits & 0x7fff;
      bits = static_cast<uint16_t>(magnitude > 0x7c00 ? 0 : magnitude == 0x7c00 ? bits - 1 : bits);
      std::memcpy(to + 2 * i, &bits, 2);
    }
  }
}

template <ResultRange kRange>
ElementwiseRun HalfRunFor(Kind kind) {
  constexpr bool kSaturates = kRange == ResultRange::kSaturated;
  switch (kind) {
    case Kind::kMax:
      return kSaturates ? SaturatedOrderRun<Kind::kMax>
                        : HWY_DYNAMIC_DISPATCH(DirectFor)(kind, VectorType::kFp16);
    case Kind::kMin:
      return kSaturates ? SaturatedOrderRun<Kind::kMin>
                        : HWY_DYNAMIC_DISPATCH(DirectFor)(kind, VectorType::kFp16);
    case Kind::kMaxs:
      return kSaturates ? SaturatedOrderRun<Kind::kMaxs>
                        : HWY_DYNAMIC_DISPATCH(DirectFor)(kind, VectorType::kFp16);
    case Kind::kMins:
      return kSaturates ? SaturatedOrderRun<Kind::kMins>
                        : HWY_DYNAMIC_DISPATCH(DirectFor)(kind, VectorType::kFp16);
    case Kind::kAdd:
      return HalfRun<Kind::kAdd, kRange>;
    case Kind::kSub:
      return HalfRun<Kind::kSub, kRange>;
    case Kind::kMul:
      return HalfRun<Kind::kMul, kRange>;
    case Kind::kDiv:
      return HalfRun<Kind::kDiv, kRange>;
    case Kind::kAddRelu:
      return HalfRun<Kind::kAddRelu, kRange>;
    case Kind::kSubRelu:
      return HalfRun<Kind::kSubRelu, kRange>;
    case Kind::kMulAddDst:
      return HalfRun<Kind::kMulAddDst, kRange>;
    case Kind::kFusedMulAdd:
      return HalfRun<Kind::kFusedMulAdd, kRange>;
    case Kind::kMulAddRelu:
      return HalfRun<Kind::kMulAddRelu, kRange>;
    case Kind::kAdds:
      return HalfRun<Kind::kAdds, kRange>;
    case Kind::kMuls:
      return HalfRun<Kind::kMuls, kRange>;
    case Kind::kLeakyRelu:
      return HalfRun<Kind::kLeakyRelu, kRange>;
    case Kind::kAxpy:
      return HalfRun<Kind::kAxpy, kRange>;
    case Kind::kExp:
      return HalfRun<Kind::kExp, kRange>;
    case Kind::kLn:
      return HalfRun<Kind::kLn, kRange>;
    case Kind::kSqrt:
      return HalfRun<Kind::kSqrt, kRange>;
    case Kind::kAbs:
      return HalfRun<Kind::kAbs, kRange>;
    case Kind::kReciprocal:
      return HalfRun<Kind::kReciprocal, kRange>;
    case Kind::kRsqrt:
      return HalfRun<Kind::kRsqrt, kRange>;
    case Kind::kRelu:
      return HalfRun<Kind::kRelu, kRange>;
    default:
      return nullptr;
  }
}

template <ResultRange kRange>
ElementwiseRun RunFor(Kind kind, VectorType dst, VectorType src) {
  switch (kind) {
    case Kind::kShiftLeft:
    case Kind::kShiftRight:
    case Kind::kShiftRightRound:
      return ShiftFor(kind, src);
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
    return HalfRunFor<kRange>(kind);
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
