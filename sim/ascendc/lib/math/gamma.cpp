// The logarithm of the gamma function, and its derivative.
#include "sim/ascendc/lib/formulas.h"

namespace AscendC::simulator {

namespace {

// r = x - the nearest whole number; z = r^2.
void Remainder(const VectorSteps& v, const FloatNode& r, const FloatNode& x, const FloatNode& z) {
  v.Cast(z, x, RoundMode::CAST_RINT);
  v.Sub(r, x, z);
  v.Mul(z, r, r);
}

// dst = sin(pi r), z = r^2, |r| <= 0.5
void SinePi(const VectorSteps& v, const FloatNode& dst, const FloatNode& r, const FloatNode& z) {
  Polynomial(v, dst, z,
             {3.14159265F, -5.16771276F, 2.55016324F, -0.59925133F, 0.0820464792F, -0.00702216417F})
      .Mul(r);
}

// t[4] = ln(gamma(a)) for a >= 0, which is overwritten. [1, 3): (a - 1) (a - 2) times a polynomial; below 1:
// that of a + 1, less ln(a); from 3 on Stirling's formula with a polynomial for its tail.
void LogGamma(const VectorSteps& v, const LiveNodes& t, const FloatNode& a) {
  const FloatNode y = t[2];
  const FloatNode spare = t[3];
  v.Compares(t.Bits(5), a, CMPMODE::LT, 1.0F);
  v.Adds(y, a, 1.0F);
  v.Select(y, t.Bits(5), y, a);
  v.Adds(spare, y, -2.0F);
  Polynomial(v, t[4], spare,
             {0.422784336F, -0.100317273F, 0.0329649466F, -0.0123849772F, 0.00499948449F, -0.00210204982F,
              0.000910488197F, -0.0004255984F, 0.0001958362F, -5.23922825e-5F, 2.02154253e-5F,
              -3.87441233e-5F, 1.93204289e-5F})
      .Mul(spare);
  v.Adds(y, y, -1.0F);
  v.Mul(t[4], t[4], y);
  v.Ln(y, a);
  v.Sub(spare, t[4], y);
  v.Select(t[4], t.Bits(5), spare, t[4]);
  v.Compares(t.Bits(5), a, CMPMODE::LT, 3.0F);
  v.Adds(y, y, -1.0F);  // (a - 0.5) (ln(a) - 1) + 0.5 ln(2 pi) - 0.5 + tail
  v.Adds(spare, a, -0.5F);
  v.Mul(y, y, spare).Adds(0.418938533F);
  v.Duplicate(t[6], 1.0F).Div(a);
  v.Mul(a, t[6], t[6]);
  Polynomial(v, spare, a, {0.0833333327F, -0.00277759409F, 0.000784911717F, -0.00045559742F}).Mul(t[6]);
  v.Add(y, y, spare);
  v.Select(t[4], t.Bits(5), t[4], y);
}

}  // namespace

namespace formulas {

// Of x < 0: ln(pi / |x sin(pi x)|) - ln(gamma(-x)); infinite at 0, -1, -2, ... Error at most 2e-6 times the
// larger of 1 and the result, for x < 0 of the larger of its two parts.
void Lgamma(const VectorSteps& v, const LiveNodes& t) {
  v.Abs(t[1], t[0]);
  LogGamma(v, t, t[1]);
  v.Abs(t[1], t[0]);
  Remainder(v, t[2], t[1], t[3]);
  SinePi(v, t[5], t[2], t[3]);
  v.Abs(t[5], t[5]).Mul(t[1]);
  v.Duplicate(t[2], 3.14159265F).Div(t[5]).Ln().Sub(t[4]);
  v.Compares(t.Bits(5), t[0], CMPMODE::LT, 0.0F);
  v.Select(t[0], t.Bits(5), t[2], t[4]);
}

// y = x, or 1 - x for x < 0: ln(y + 6) - 1 / (2 (y + 6)) - ... - the sum of 1 / (y + k), k = 0..5; less pi
// cot(pi x) for x < 0. Infinite at 0, -1, -2, ... Error at most 2e-6 times the largest of 1 and the parts.
void Digamma(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode y = t[1];
  const FloatNode sum = t[2];
  v.Muls(y, t[0], -1.0F).Adds(1.0F);
  v.Compares(t.Bits(5), t[0], CMPMODE::LT, 0.0F);
  v.Select(y, t.Bits(5), y, t[0]);
  v.Duplicate(sum, 1.0F).Div(y);
  for (int k = 1; k < 6; ++k) {
    v.Adds(y, y, 1.0F);
    v.Duplicate(t[3], 1.0F).Div(y);
    v.Add(sum, sum, t[3]);
  }
  v.Adds(y, y, 1.0F);
  v.Duplicate(t[3], 1.0F).Div(y);
  v.Ln(y, y).Sub(sum);
  v.Muls(sum, t[3], 0.5F);
  v.Sub(y, y, sum);
  v.Mul(t[3], t[3], t[3]);
  Polynomial(v, sum, t[3], {0.0833333333F, -0.00833333333F, 0.00396825397F}).Mul(t[3]);
  v.Sub(y, y, sum);
  Remainder(v, sum, t[0], t[3]);
  SinePi(v, t[4], sum, t[3]);
  Polynomial(v, sum, t[3], {1.0F, -4.93480214F, 4.05870916F, -1.33521206F, 0.234937559F, -0.0243967166F})
      .Div(t[4])
      .Muls(3.14159265F);
  v.Sub(sum, y, sum);
  v.Select(t[0], t.Bits(5), sum, y);
}

}  // namespace formulas
}  // namespace AscendC::simulator
