// What elementwise instructions make of a register of lanes, once for each instruction set (Highway).
#if defined(TILESIM_SIM_ISA_ELEMENTWISE_FORMULA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_SIM_ISA_ELEMENTWISE_FORMULA_INL_H_
#undef TILESIM_SIM_ISA_ELEMENTWISE_FORMULA_INL_H_
#else
#define TILESIM_SIM_ISA_ELEMENTWISE_FORMULA_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "sim/isa/elementwise_values.h"
#include "sim/isa/vector_order-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

using Kind = ElementwiseKind;
using Sources = ElementwiseSources;

// One lane, whose steps are those of its type: `a` of src0, `b` of src1 or the scalar, `c` of dst.
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
      return Order::template Extreme<true>(d, a, b);
    } else if constexpr (kKind == Kind::kMin || kKind == Kind::kMins) {
      return Order::template Extreme<false>(d, a, b);
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
    } else if constexpr (kKind == Kind::kNot) {
      return hn::Not(a);
    } else {
      static_assert(kKind == Kind::kCopy);
      return a;
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

constexpr bool IsElementary(Kind kind) {
  return kind == Kind::kExp || kind == Kind::kLn || kind == Kind::kRsqrt;
}
// Are elements bits to it, whatever their type?
constexpr bool IsBitwise(Kind kind) {
  return kind == Kind::kAnd || kind == Kind::kOr || kind == Kind::kNot || kind == Kind::kCopy;
}
// Is the result of a lane one of its operands, as it is?
constexpr bool IsOrder(Kind kind) {
  return kind == Kind::kMax || kind == Kind::kMin || kind == Kind::kMaxs || kind == Kind::kMins;
}

// How Exp, Ln and Rsqrt, which take their steps in double, become floats: the nearest one; or, where they are
// to be rounded once more, to fp16, and lie between two floats, the one whose last bit is set.
enum class Narrowing : uint8_t { kNearest, kToOdd };

// Exponential and logarithm of doubles: additions, products and quotients only, each rounded by itself, so
// that every machine has the same bits. Wrong by less than 1e-12 of the result, so that what is rounded to
// float from it is the nearest float but for one case in millions.
inline constexpr double kLog2E = 0x1.71547652b82fep0;
inline constexpr double kLn2High = 0x1.62e42fefa0000p-1;  // its products with exponents are exact
inline constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
// Added to a whole number below 2^51, puts it into the low bits of the mantissa.
inline constexpr double kWholeBits = 0x1.8p52;

// c[0] + x * (c[1] + x * (...))
template <class D, class V, size_t kCount>
HWY_INLINE V Polynomial(D d, V x, const double (&c)[kCount]) {
  V sum = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) {
    sum = hn::Add(hn::Mul(sum, x), hn::Set(d, c[i]));
  }
  return sum;
}

// e^x as 2^k * e^r, |r| <= ln(2) / 2. Beyond what float holds: some value that float rounds to infinity or 0.
template <class D, class V>
HWY_INLINE V ExpOf(D d, V x) {
  // The polynomial of this degree with the least greatest error there, 1.4e-14 of the result.
  static constexpr double kLeastError[] = {
      0x1.0000000000039p+0,  0x1.ffffffffffc3ap-1, 0x1.ffffffffe8295p-2,  0x1.55555555bb64ap-3,
      0x1.555555879bacap-5,  0x1.1111105b5e01fp-7, 0x1.6c162d92724b8p-10, 0x1.a01bc27020813p-13,
      0x1.a17c026271bc8p-16, 0x1.70dc13e636c7dp-19};
  const hn::Rebind<int64_t, D> whole;
  const V within = hn::Max(hn::Min(x, hn::Set(d, 130.0)), hn::Set(d, -150.0));
  const V bits = hn::Add(hn::Mul(within, hn::Set(d, kLog2E)), hn::Set(d, kWholeBits));
  const V k = hn::Sub(bits, hn::Set(d, kWholeBits));
  const V r = hn::Sub(hn::Sub(within, hn::Mul(k, hn::Set(d, kLn2High))), hn::Mul(k, hn::Set(d, kLn2Low)));
  const V power = Polynomial(d, r, kLeastError);
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(whole, bits));
  const V result = hn::BitCast(d, hn::Add(hn::BitCast(whole, power), exponent));
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

// ln(x) as k * ln(2) + ln(m), m in [sqrt(1/2), sqrt(2)): with f = (m - 1) / (m + 1), ln(m) = 2 atanh(f).
template <class D, class V>
HWY_INLINE V LnOf(D d, V x) {
  static constexpr double kSeries[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                                       2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19};
  const hn::Rebind<int64_t, D> whole;
  const auto bits = hn::BitCast(whole, x);
  const auto above = hn::Sub(bits, hn::Set(whole, int64_t{0x3fe6a09e667f3bcd}));  // sqrt(1/2)
  const auto k = hn::ShiftRight<52>(above);
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(k)));
  const V exponent =
      hn::Sub(hn::BitCast(d, hn::Add(k, hn::BitCast(whole, hn::Set(d, kWholeBits)))), hn::Set(d, kWholeBits));
  const V one = hn::Set(d, 1.0);
  const V f = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V of_m = hn::Mul(f, Polynomial(d, hn::Mul(f, f), kSeries));
  const V finite =
      hn::Add(hn::Mul(exponent, hn::Set(d, kLn2High)), hn::Add(hn::Mul(exponent, hn::Set(d, kLn2Low)), of_m));
  const V zero = hn::Zero(d);
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  const V no_greater = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), nan);
  return hn::IfThenElse(hn::Gt(x, zero), hn::IfThenElse(hn::Eq(x, infinity), x, finite), no_greater);
}

// One step of Newton's in double from float's result: an error below 2^-44. Zeros, infinities, NaN: float's.
template <class D, class V>
HWY_INLINE auto RsqrtOf(D d, V value) {
  const hn::Rebind<float, D> narrow;
  const auto x = hn::PromoteTo(d, value);
  const auto near = hn::PromoteTo(d, hn::Div(hn::Set(narrow, 1.0F), hn::Sqrt(value)));
  const auto half = hn::Mul(hn::Mul(hn::Set(d, 0.5), x), hn::Mul(near, near));
  const auto nearer = hn::Mul(near, hn::Sub(hn::Set(d, 1.5), half));
  return hn::IfThenElse(hn::IsNaN(nearer), near, nearer);
}

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

template <Kind kKind, Narrowing kNarrowing, class D, class V>
HWY_INLINE V Elementary(D /*floats*/, V value) {
  const hn::Rebind<double, D> d;
  const auto x = hn::PromoteTo(d, value);
  if constexpr (kKind == Kind::kExp) {
    return Narrowed<kNarrowing>(d, ExpOf(d, x));
  } else if constexpr (kKind == Kind::kLn) {
    return Narrowed<kNarrowing>(d, LnOf(d, x));
  } else {
    static_assert(kKind == Kind::kRsqrt);
    return Narrowed<kNarrowing>(d, RsqrtOf(d, value));
  }
}

// How elements of memory become registers of `D`, and back.
template <class T, class Tag = hn::ScalableTag<T>>
struct PlainLanes {
  using Source = T;   // an element of the sources
  using Element = T;  // and of dst
  using D = Tag;
  // Formulas are short: half a vector, and whole repeats, are compiled by themselves.
  static constexpr bool kShort = std::is_same_v<D, hn::ScalableTag<T>>;

  template <class Part>
  static HWY_INLINE auto Load(Part d, const T* from) {
    return hn::LoadU(d, from);
  }
  static HWY_INLINE auto All(D d, T value) { return hn::Set(d, value); }
  template <class Part, class V>
  static HWY_INLINE void Store(Part d, V value, T* to) {
    hn::StoreU(value, d, to);
  }
};

// Of `count` elements: whole vectors, half a one where formulas are short, then the rest through one that is
// copied in and out. formula(d, a, b, c) is one of Formula's form.
template <class Lanes, Sources kSources, bool kReadsDst, class F, class S = typename Lanes::Source,
          class T = typename Lanes::Element>
HWY_INLINE void RunOnce(const F& formula, const S* a, const S* b, T* c, int64_t count) {
  constexpr bool kTwo = kSources == Sources::kTwo;
  using D = typename Lanes::D;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scalar = kSources == Sources::kScalar ? Lanes::All(d, b[0]) : hn::Zero(d);
  const auto compute = [&](auto tag, const S* left, const S* right, T* to) HWY_ATTR {
    const auto first = Lanes::Load(tag, left);
    const auto third = kReadsDst ? Lanes::Load(tag, to) : first;
    if constexpr (kTwo) {
      Lanes::Store(tag, formula(tag, first, Lanes::Load(tag, right), third), to);
    } else if constexpr (std::is_same_v<decltype(tag), D>) {
      Lanes::Store(tag, formula(tag, first, scalar, third), to);
    } else {
      Lanes::Store(tag, formula(tag, first, hn::LowerHalf(tag, scalar), third), to);
    }
  };
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    compute(D(), a + i, b + (kTwo ? i : 0), c + i);
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Lanes::kShort) {
    if (i + lanes / 2 <= count) {
      compute(hn::Half<D>(), a + i, b + (kTwo ? i : 0), c + i);
      i += lanes / 2;
    }
  }
#endif
  if (i < count) {
    const auto left = static_cast<size_t>(count - i);
    HWY_ALIGN S sources[2][hn::MaxLanes(D())] = {};
    HWY_ALIGN T results[hn::MaxLanes(D())] = {};
    std::memcpy(sources[0], a + i, left * sizeof(S));
    if constexpr (kTwo) {
      std::memcpy(sources[1], b + i, left * sizeof(S));
    }
    if constexpr (kReadsDst) {
      std::memcpy(results, c + i, left * sizeof(T));
    }
    compute(D(), sources[0], sources[1], results);
    std::memcpy(c + i, results, left * sizeof(T));
  }
}

template <class Lanes, Sources kSources, bool kReadsDst, class F>
HWY_INLINE void RunAll(const F& formula, const std::byte* src0, const std::byte* src1, std::byte* dst,
                       const VectorRun& given) {
  using S = typename Lanes::Source;
  using T = typename Lanes::Element;
  const VectorRun run = std::is_same_v<S, T> ? InWholeRepeats<T>(given) : given;
  const int64_t src1_step = kSources == Sources::kTwo ? run.step_bytes[2] : 0;
  const auto go = [&](auto count) HWY_ATTR {
    for (int64_t r = 0; r < run.repeats; ++r) {
      RunOnce<Lanes, kSources, kReadsDst>(formula, reinterpret_cast<const S*>(src0 + r * run.step_bytes[1]),
                                          reinterpret_cast<const S*>(src1 + r * src1_step),
                                          reinterpret_cast<T*>(dst + r * run.step_bytes[0]), count);
    }
  };
  GoOver<T, (Lanes::kShort && HWY_MAX_BYTES >= 32)>(run.count, go);
}

// Runs::Of<kind>(): each kind's run, nullptr where it has none.
template <class Runs, size_t... kKinds>
ElementwiseRun RunOfKind(Kind kind, std::index_sequence<kKinds...> /*all*/) {
  static constexpr ElementwiseRun kRuns[] = {Runs::template Of<static_cast<Kind>(kKinds)>()...};
  return kRuns[static_cast<size_t>(kind)];
}
template <class Runs>
ElementwiseRun RunOfKind(Kind kind) {
  return RunOfKind<Runs>(kind, std::make_index_sequence<kNumElementwiseKinds>());
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
