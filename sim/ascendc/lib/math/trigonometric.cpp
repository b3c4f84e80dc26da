// Trigonometric functions and their inverses.
#include "sim/ascendc/lib/formulas.h"

namespace AscendC::simulator {

namespace {

constexpr float kHalfPi = 1.57079633F;
constexpr float kPi = 3.14159265F;

// Of t[0] = x: t[0] = cos(r), t[3] = sin(r), x = q pi / 2 + r, |r| <= pi / 4, t[1] = q. pi / 2 is taken off
// in four parts, the first three of 8 bits: up to |x| = 65504 the products are exact.
void ReduceAngle(const VectorSteps& v, const LiveNodes& t) {
  v.Muls(t[1], t[0], 0.636619772F).Cast(RoundMode::CAST_RINT);
  for (const float part : {1.5703125F, 253.0F / (1 << 19), 170.0F / (1 << 27), 9.92093581e-10F}) {
    v.Muls(t[2], t[1], part);
    v.Sub(t[0], t[0], t[2]);
  }
  v.Mul(t[2], t[0], t[0]);
  Polynomial(v, t[3], t[2], {1.0F, -0.166666666F, 0.00833332868F, -0.000198391742F, 2.71711429e-6F})
      .Mul(t[0]);
  Polynomial(v, t[0], t[2], {1.0F, -0.499999996F, 0.0416666131F, -0.00138865244F, 2.43722463e-5F});
}

// half = floor(q / 2), q = 1 where that is odd and 0 where it is even.
void Parity(const VectorSteps& v, const FloatNode& q, const FloatNode& half, const FloatNode& spare) {
  v.Muls(half, q, 0.5F).Cast(RoundMode::CAST_FLOOR);
  v.Muls(spare, half, 2.0F);
  v.Sub(q, q, spare);
}

// sin(x + quarters pi / 2)
void SineOf(const VectorSteps& v, const LiveNodes& t, float quarters) {
  ReduceAngle(v, t);
  v.Adds(t[1], t[1], quarters);
  Parity(v, t[1], t[2], t[4]);
  v.Compares(t.Bits(4), t[1], CMPMODE::EQ, 1.0F);
  v.Select(t[3], t.Bits(4), t[0], t[3]);
  Parity(v, t[2], t[1], t[4]);
  v.Muls(t[2], t[2], -2.0F).Adds(1.0F);  // from 0 and 1 a sign
  v.Mul(t[0], t[3], t[2]);
}

// Of a = t[1] = |x|: t[1] = asin(a) for a < 0.5, asin(sqrt((1 - a) / 2)) else; bit of t[4]: a < 0.5. NaN for
// a above 1.
void ArcSineOf(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode z = t[2];
  v.Compares(t.Bits(4), t[1], CMPMODE::LT, 0.5F);
  v.Muls(z, t[1], -0.5F).Adds(0.5F);
  v.Mul(t[3], t[1], t[1]);
  v.Sqrt(t[5], z);
  v.Select(z, t.Bits(4), t[3], z);
  v.Select(t[1], t.Bits(4), t[1], t[5]);
  Polynomial(v, t[3], z,
             {0.1666666F, 0.0750050536F, 0.0445167126F, 0.031809881F, 0.0144299413F, 0.0375292548F})
      .Mul(z)
      .Mul(t[1]);
  v.Add(t[1], t[1], t[3]);
}

// t[0] = magnitude with the sign of t[0]; bits, and magnitude, are overwritten.
void CopySign(const VectorSteps& v, const LiveNodes& t, uint32_t magnitude, uint32_t spare, uint32_t bits) {
  v.Muls(t[spare], t[magnitude], -1.0F);
  v.Compares(t.Bits(bits), t[0], CMPMODE::LT, 0.0F);
  v.Select(t[0], t.Bits(bits), t[spare], t[magnitude]);
}

}  // namespace

namespace formulas {

// Relative error at most 4e-7 for |x| <= 65504, absolute 1e-9 near zeros; beyond, errors grow with |x|. NaN
// of infinity.
void Sin(const VectorSteps& v, const LiveNodes& t) { SineOf(v, t, 0.0F); }
void Cos(const VectorSteps& v, const LiveNodes& t) { SineOf(v, t, 1.0F); }

// sin(r) / cos(r), or -cos(r) / sin(r). As Sin.
void Tan(const VectorSteps& v, const LiveNodes& t) {
  ReduceAngle(v, t);
  Parity(v, t[1], t[2], t[4]);
  v.Compares(t.Bits(4), t[1], CMPMODE::EQ, 1.0F);
  v.Select(t[2], t.Bits(4), t[0], t[3]);
  v.Select(t[3], t.Bits(4), t[3], t[0]);
  v.Div(t[2], t[2], t[3]);
  v.Muls(t[1], t[1], -2.0F).Adds(1.0F);
  v.Mul(t[0], t[2], t[1]);
}

// NaN beyond 1. Relative error at most 4e-7.
void Asin(const VectorSteps& v, const LiveNodes& t) {
  v.Abs(t[1], t[0]);
  ArcSineOf(v, t);
  v.Muls(t[2], t[1], -2.0F).Adds(kHalfPi);
  v.Select(t[1], t.Bits(4), t[1], t[2]);
  CopySign(v, t, 1, 2, 4);
}

// NaN beyond 1. Relative error at most 6e-7.
void Acos(const VectorSteps& v, const LiveNodes& t) {
  v.Abs(t[1], t[0]);
  ArcSineOf(v, t);
  v.Muls(t[2], t[1], -1.0F).Adds(kHalfPi);
  v.Muls(t[1], t[1], 2.0F);
  v.Select(t[1], t.Bits(4), t[2], t[1]);
  v.Muls(t[2], t[1], -1.0F).Adds(kPi);
  v.Compares(t.Bits(4), t[0], CMPMODE::LT, 0.0F);
  v.Select(t[0], t.Bits(4), t[2], t[1]);
}

// base + atan(w), a = |x|: w = a and 0 up to tan(pi / 8), (a - 1) / (a + 1) and pi / 4 up to tan(3 pi / 8),
// -1 / a and pi / 2 beyond. Relative error at most 4e-7.
void Atan(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode w = t[1];
  const FloatNode base = t[2];
  v.Abs(w, t[0]);
  v.Compares(t.Bits(4), w, CMPMODE::GT, 2.41421356F);
  v.Duplicate(base, -1.0F);
  v.Div(t[3], base, w);
  v.Compares(t.Bits(5), w, CMPMODE::LE, 0.414213562F);
  v.Duplicate(base, 0.0F);
  v.Select(base, t.Bits(5), base, 0.785398163F);
  v.Adds(t[6], w, 1.0F);
  v.Adds(t[7], w, -1.0F);
  v.Div(t[6], t[7], t[6]);
  v.Select(w, t.Bits(5), w, t[6]);
  v.Select(w, t.Bits(4), t[3], w);
  v.Duplicate(t[3], kHalfPi);
  v.Select(base, t.Bits(4), t[3], base);
  v.Mul(t[3], w, w);
  Polynomial(v, t[6], t[3], {-0.333333151F, 0.19998466F, -0.14243422F, 0.105929445F, -0.0607591132F})
      .Mul(t[3])
      .Mul(w);
  v.Add(w, w, t[6]).Add(base);
  CopySign(v, t, 1, 2, 4);
}

}  // namespace formulas
}  // namespace AscendC::simulator
