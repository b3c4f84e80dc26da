// Exponential and logarithm of doubles, once for each instruction set (Highway): additions, products and
// quotients only, each rounded by itself, so that every machine has the same bits. Wrong by less than 1e-12
// of the result, so that what is rounded to float from it is the nearest float but for one case in millions.
#if defined(TILESIM_SIM_ISA_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESIM_SIM_ISA_ELEMENTARY_INL_H_
#undef TILESIM_SIM_ISA_ELEMENTARY_INL_H_
#else
#define TILESIM_SIM_ISA_ELEMENTARY_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
  static constexpr double kTaylor[] = {1.0,           1.0,          1.0 / 2,      1.0 / 6,
                                       1.0 / 24,      1.0 / 120,    1.0 / 720,    1.0 / 5040,
                                       1.0 / 40320.0, 1.0 / 362880, 1.0 / 3628800};
  const hn::Rebind<int64_t, D> whole;
  const V within = hn::Max(hn::Min(x, hn::Set(d, 130.0)), hn::Set(d, -150.0));
  const V bits = hn::Add(hn::Mul(within, hn::Set(d, kLog2E)), hn::Set(d, kWholeBits));
  const V k = hn::Sub(bits, hn::Set(d, kWholeBits));
  const V r = hn::Sub(hn::Sub(within, hn::Mul(k, hn::Set(d, kLn2High))), hn::Mul(k, hn::Set(d, kLn2Low)));
  const V power = Polynomial(d, r, kTaylor);
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

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
