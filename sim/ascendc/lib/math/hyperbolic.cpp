// Hyperbolic functions and their inverses.
#include "sim/ascendc/lib/formulas.h"

namespace AscendC::simulator {

namespace {

// dst = exp(a) / 2 for a >= 0, finite where its true value is: exp(a - 1) times e / 2.
void HalfExp(const VectorSteps& v, const FloatNode& dst, const FloatNode& a) {
  v.Adds(dst, a, -1.0F).Exp().Muls(1.35914091F);
}

// dst = asinh(s) for |s| <= 0.5; z is overwritten, dst is not s. The polynomial's own error is 5e-11.
void NearAsinh(const VectorSteps& v, const FloatNode& dst, const FloatNode& s, const FloatNode& z) {
  v.Mul(z, s, s);
  Polynomial(v, dst, z,
             {1.0F, -0.166666647F, 0.0749986909F, -0.044610412F, 0.02999369F, -0.0199174788F, 0.00908988826F})
      .Mul(s);
}

// a = ln(a) + ln(1 + sqrt(1 + sign / a^2)), which has no overflow; z is overwritten.
void FarArea(const VectorSteps& v, const FloatNode& a, const FloatNode& z, float sign) {
  v.Duplicate(z, 1.0F).Div(a).Mul(z).Muls(sign).Adds(1.0F).Sqrt().Adds(1.0F).Ln();
  v.Ln(a, a).Add(z);
}

}  // namespace

namespace formulas {

// |x| < 0.65: x times a polynomial in x^2, whose own error is 6e-9. Else 1 - 2 / (exp(2 x) + 1). Relative
// error at most 4e-7.
void Tanh(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode z = t[1];
  const FloatNode near = t[2];
  v.Mul(z, t[0], t[0]);
  Polynomial(v, near, z, {1.0F, -0.333332293F, 0.133304152F, -0.0536652818F, 0.0204151953F, -0.00546826867F})
      .Mul(t[0]);
  v.Compares(t.Bits(3), z, CMPMODE::LT, 0.4225F);
  v.Muls(t[0], t[0], 2.0F).Exp().Adds(1.0F);
  v.Duplicate(z, -2.0F);
  v.Div(t[0], z, t[0]).Adds(1.0F);
  v.Select(t[0], t.Bits(3), near, t[0]);
}

// |x| < 1: x times a polynomial in x^2. Else E - 1 / (4 E), E = exp(|x|) / 2. Relative error at most 4e-7.
void Sinh(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode near = t[2];
  v.Mul(t[1], t[0], t[0]);
  v.Compares(t.Bits(3), t[1], CMPMODE::LT, 1.0F);
  Polynomial(v, near, t[1], {1.0F, 0.166666664F, 0.00833335259F, 0.000198358125F, 2.81852395e-6F}).Mul(t[0]);
  v.Abs(t[1], t[0]);
  HalfExp(v, t[4], t[1]);
  v.Duplicate(t[1], 0.25F).Div(t[4]);
  v.Sub(t[4], t[4], t[1]);
  v.Mins(t[0], t[0], 1.0F).Maxs(-1.0F);
  v.Mul(t[4], t[4], t[0]);
  v.Select(t[0], t.Bits(3), near, t[4]);
}

// E + 1 / (4 E), E = exp(|x|) / 2. Relative error at most 4e-7.
void Cosh(const VectorSteps& v, const LiveNodes& t) {
  v.Abs(t[0], t[0]);
  HalfExp(v, t[1], t[0]);
  v.Duplicate(t[0], 0.25F).Div(t[1]).Add(t[1]);
}

// |x| < 0.5: x times a polynomial in x^2. Else as the logarithm, of |x|. Relative error at most 6e-7.
void Asinh(const VectorSteps& v, const LiveNodes& t) {
  v.Abs(t[1], t[0]);
  v.Compares(t.Bits(4), t[1], CMPMODE::LT, 0.5F);
  NearAsinh(v, t[2], t[1], t[3]);
  FarArea(v, t[1], t[3], 1.0F);
  v.Select(t[1], t.Bits(4), t[2], t[1]);
  v.Muls(t[2], t[1], -1.0F);
  v.Compares(t.Bits(4), t[0], CMPMODE::LT, 0.0F);
  v.Select(t[0], t.Bits(4), t[2], t[1]);
}

// asinh(s), s = sqrt((x - 1) (x + 1)), for s < 0.5; else as the logarithm. NaN below 1. Relative error at
// most 6e-7.
void Acosh(const VectorSteps& v, const LiveNodes& t) {
  v.Adds(t[1], t[0], -1.0F);
  v.Adds(t[2], t[0], 1.0F);
  v.Mul(t[1], t[1], t[2]).Sqrt();
  v.Compares(t.Bits(4), t[1], CMPMODE::LT, 0.5F);
  NearAsinh(v, t[2], t[1], t[3]);
  FarArea(v, t[0], t[3], -1.0F);
  v.Select(t[0], t.Bits(4), t[2], t[0]);
}

// |x| < 0.5: x times a polynomial in x^2. Else 0.5 ln((1 + x) / (1 - x)): infinite at 1 and -1, NaN beyond.
// Relative error at most 6e-7.
void Atanh(const VectorSteps& v, const LiveNodes& t) {
  v.Mul(t[1], t[0], t[0]);
  Polynomial(v, t[2], t[1],
             {1.0F, 0.333333374F, 0.199996695F, 0.142959832F, 0.109559622F, 0.103421498F, 0.0229201398F,
              0.177666507F})
      .Mul(t[0]);
  v.Compares(t.Bits(3), t[1], CMPMODE::LT, 0.25F);
  v.Adds(t[1], t[0], 1.0F);
  v.Muls(t[0], t[0], -1.0F).Adds(1.0F);
  v.Div(t[0], t[1], t[0]).Ln().Muls(0.5F);
  v.Select(t[0], t.Bits(3), t[2], t[0]);
}

}  // namespace formulas
}  // namespace AscendC::simulator
