// The error function and its complement.
#include "sim/ascendc/lib/formulas.h"

namespace AscendC::simulator {

namespace {

// dst = erf(x) for |x| < 1, z = x^2; the polynomial's own error is 1e-9.
void NearErf(const VectorSteps& v, const FloatNode& dst, const FloatNode& x, const FloatNode& z) {
  Polynomial(v, dst, z,
             {1.12837917F, -0.376126258F, 0.112835851F, -0.0268538117F, 0.00518832733F, -0.000801019055F,
              7.85385137e-5F})
      .Mul(x);
}

}  // namespace

namespace formulas {

// |x| < 1: x times a polynomial in x^2. Else 1 - exp(a polynomial in |x|), |x| at most 4, with x's sign.
// Relative error at most 4e-7.
void Erf(const VectorSteps& v, const LiveNodes& t) {
  v.Mul(t[1], t[0], t[0]);
  NearErf(v, t[2], t[0], t[1]);
  v.Compares(t.Bits(4), t[1], CMPMODE::LT, 1.0F);
  v.Abs(t[1], t[0]).Mins(4.0F);
  Polynomial(v, t[3], t[1],
             {-0.000256461521F, -1.12742602F, -0.637600159F, -0.103566782F, 0.0220519414F, -0.00299952585F,
              0.000191502533F})
      .Exp()
      .Muls(-1.0F)
      .Adds(1.0F);
  v.Mins(t[0], t[0], 1.0F).Maxs(-1.0F);
  v.Mul(t[3], t[3], t[0]);
  v.Select(t[0], t.Bits(4), t[2], t[3]);
}

// |x| < 0.5: 1 - erf(x). Else, of a = |x|, exp(-a^2) times u times a polynomial in u = 1 / (1 + a / 2), which
// is good up to where fp32 has nothing but 0; 2 minus that for x < 0. a^2 is h^2 + (a - h) (a + h), h the
// leading bits of a. Relative error at most 1.5e-6, where the result is no subnormal.
void Erfc(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode a = t[1];
  v.Mul(t[2], t[0], t[0]);
  NearErf(v, t[3], t[0], t[2]);
  v.Muls(t[3], t[3], -1.0F).Adds(1.0F);
  v.Compares(t.Bits(7), t[2], CMPMODE::LT, 0.25F);
  v.Abs(a, t[0]).Mins(11.0F);
  v.Muls(t[2], a, 0.5F).Adds(1.0F);
  v.Duplicate(t[4], 1.0F);
  v.Div(t[2], t[4], t[2]);
  Polynomial(v, t[4], t[2],
             {0.282085357F, 0.282348149F, 0.243926157F, 0.194926076F, 0.0110817507F, 0.170881036F,
              -0.302034748F, 0.0931801952F, 0.0497870856F, -0.0262022851F})
      .Mul(t[2]);
  Head(v, t[5], a);
  v.Sub(t[2], t[5], a);
  v.Add(a, a, t[5]);
  v.Mul(t[2], t[2], a).Exp();
  v.Mul(t[4], t[4], t[2]);
  v.Mul(t[5], t[5], t[5]).Muls(-1.0F).Exp();
  v.Mul(t[4], t[4], t[5]);
  v.Muls(t[5], t[4], -1.0F).Adds(2.0F);
  v.Compares(t.Bits(6), t[0], CMPMODE::LT, 0.0F);
  v.Select(t[4], t.Bits(6), t[5], t[4]);
  v.Select(t[0], t.Bits(7), t[3], t[4]);
}

}  // namespace formulas
}  // namespace AscendC::simulator
