// Functions of a few steps.
#include <limits>

#include "sim/ascendc/lib/formulas.h"

namespace AscendC::simulator::formulas {

// Relative error at most 4e-7.
void Log2(const VectorSteps& v, const LiveNodes& t) { v.Ln(t[0], t[0]).Muls(1.44269504F); }

// -1, 0 (of -0 too), 1, NaN. Exact: the smallest fp32 comes beyond 1 in two steps.
void Sign(const VectorSteps& v, const LiveNodes& t) {
  v.Muls(t[0], t[0], 8.50705917e37F).Muls(8.50705917e37F).Mins(1.0F).Maxs(-1.0F).Adds(0.0F);
}

// Exact; +0 where the result is zero.
void Ceil(const VectorSteps& v, const LiveNodes& t) { v.Cast(t[0], t[0], RoundMode::CAST_CEIL); }
void Trunc(const VectorSteps& v, const LiveNodes& t) { v.Cast(t[0], t[0], RoundMode::CAST_TRUNC); }
// To the nearest whole number, of two the even one.
void Round(const VectorSteps& v, const LiveNodes& t) { v.Cast(t[0], t[0], RoundMode::CAST_RINT); }
// x - trunc(x); NaN of infinity.
void Frac(const VectorSteps& v, const LiveNodes& t) {
  v.Cast(t[1], t[0], RoundMode::CAST_TRUNC);
  v.Sub(t[0], t[0], t[1]);
}

// Relative error at most 1.2e-7.
void ExpPlain(const VectorSteps& v, const LiveNodes& t) { v.Exp(t[0], t[0]); }

// exp(k) times the Taylor polynomial of exp(f), x = k + f, k whole, 0 <= f < 1, of the degree t.scalar().
// From degree 9 on the relative error is at most 6e-7, below it that of the polynomial.
void ExpTaylor(const VectorSteps& v, const LiveNodes& t) {
  v.Mins(t[0], t[0], 1000.0F).Maxs(-1000.0F);  // so that infinity has a remainder
  v.Cast(t[1], t[0], RoundMode::CAST_FLOOR);
  v.Sub(t[2], t[0], t[1]);
  v.Exp(t[1], t[1]);
  v.Duplicate(t[3], 1.0F);
  for (auto term = static_cast<int>(t.scalar()); term > 0; --term) {
    v.Mul(t[3], t[3], t[2]).Muls(1.0F / static_cast<float>(term)).Adds(1.0F);
  }
  v.Mul(t[0], t[1], t[3]);
}

// dst (source 0) + src (source 1) times the scalar, rounded twice in fp32.
void Axpy(const VectorSteps& v, const LiveNodes& t) {
  v.Muls(t[1], t[1], static_cast<float>(t.scalar()));
  v.Add(t[0], t[0], t[1]);
}

// (a | b) & ~(a & b), of 16-bit numbers.
void Xor(const VectorSteps& v, const LiveNodes& t) {
  const auto node = [&](uint32_t index) { return t[index].ReinterpretCast<uint16_t>(); };
  v.Or(node(2), node(0), node(1));
  v.And(node(0), node(0), node(1));
  v.Not(node(0), node(0));
  v.And(node(0), node(0), node(2));
}

// |a| is reduced twice by its quotient's 12 leading bits times |b|, exactly, then put between 0 and |b|, and
// has the sign of a. Exact where |a / b| is below 2^22. NaN where b is 0, a infinite, or a / b beyond fp32.
void Fmod(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode b = t[1];
  const FloatNode a = t[2];
  const FloatNode q = t[3];
  const FloatNode product = t[6];
  v.Abs(a, t[0]);
  v.Abs(b, b).Mins(std::numeric_limits<float>::max());
  Head(v, t[4], b);
  v.Sub(t[5], b, t[4]);  // b = t[4] + t[5]
  for (int round = 0; round < 2; ++round) {
    v.Div(q, a, b).Cast(RoundMode::CAST_TRUNC);
    Head(v, q, q);
    for (const uint32_t part : {4U, 5U}) {
      v.Mul(product, q, t[part]);
      v.Sub(a, a, product);
    }
  }
  v.Add(product, a, b);
  v.Compares(t.Bits(3), a, CMPMODE::LT, 0.0F);
  v.Select(a, t.Bits(3), product, a);
  v.Sub(product, a, b);
  v.Compare(t.Bits(3), a, CMPMODE::GE, b);
  v.Select(a, t.Bits(3), product, a);
  v.Compares(t.Bits(3), t[0], CMPMODE::LT, 0.0F);
  v.Muls(product, a, -1.0F);
  v.Select(t[0], t.Bits(3), product, a);
}

}  // namespace AscendC::simulator::formulas
