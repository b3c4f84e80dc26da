#include "sim/ascendc/lib/formulas.h"

namespace AscendC::internal {

// 1 / (1 + exp(-x)): at most 3 units in the last place off. Below -88.7, where exp(-x) has no fp32, 0.
void Sigmoid(const VectorSteps& v, const LiveNodes& t, const Scalars& /*scalars*/) {
  v.Muls(t[0], t[0], -1.0F);
  v.Exp(t[0], t[0]);
  v.Adds(t[0], t[0], 1.0F);
  v.Duplicate(t[1], 1.0F);
  v.Div(t[0], t[1], t[0]);
}

// |x| < 0.65: x times a polynomial in x^2, whose own error is 6e-9. Else 1 - 2 / (exp(2 x) + 1).
void Tanh(const VectorSteps& v, const LiveNodes& t, const Scalars& /*scalars*/) {
  const FloatNode z = t[1];
  const FloatNode near = t[2];
  v.Mul(z, t[0], t[0]);
  Polynomial(v, near, z, {1.0F, -0.333332293F, 0.133304152F, -0.0536652818F, 0.0204151953F, -0.00546826867F});
  v.Mul(near, near, t[0]);
  const BitNode bits = t.Bits(3);
  v.Compares(bits, z, CMPMODE::LT, 0.4225F);
  v.Muls(t[0], t[0], 2.0F);
  v.Exp(t[0], t[0]);
  v.Adds(t[0], t[0], 1.0F);
  v.Duplicate(z, -2.0F);
  v.Div(t[0], z, t[0]);
  v.Adds(t[0], t[0], 1.0F);
  v.Select(t[0], bits, near, t[0]);
}

}  // namespace AscendC::internal
