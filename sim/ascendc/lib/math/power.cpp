// Power of floating-point and of whole numbers.
#include <limits>

#include "sim/ascendc/lib/formulas.h"

namespace AscendC::simulator {

namespace {

// log = t[4] + t[5] = ln(a), to some 40 bits, of positive finite a = t[2], which is left; t[6] to t[10] are
// overwritten. a = m 2^e, m from sqrt(0.5) to sqrt(2); ln(m) = 2 (s + s^3 / 3 + ...), s = (m - 1) / (m + 1).
void LongLog(const VectorSteps& v, const LiveNodes& t) {
  const FloatNode e = t[4];
  const FloatNode m = t[5];
  v.Compares(t.Bits(6), t[2], CMPMODE::LT, 1.17549435e-38F);  // of subnormals, 2^24 a
  v.Muls(m, t[2], 16777216.0F);
  v.Select(m, t.Bits(6), m, t[2]);
  v.Duplicate(t[7], -24.0F);
  v.Select(t[7], t.Bits(6), t[7], 0.0F);
  constexpr int32_t kSqrtHalf = 0x3F3504F3;
  v.Adds(t.Int(5), t.Int(5), 0x3F800000 - kSqrtHalf);
  v.ShiftRight(t.Int(4), t.Int(5), 23).Adds(-127);
  v.Cast(e, t.Int(4), RoundMode::CAST_NONE);
  v.Add(e, e, t[7]);
  v.ShiftLeft(t.Uint(5), t.Uint(5), 9U).ShiftRight(9U);
  v.Adds(t.Int(5), t.Int(5), kSqrtHalf);

  const FloatNode d = t[7];  // m + 1 = d + t[9] to the last bit
  v.Adds(d, m, 1.0F);
  v.Adds(t[9], d, -1.0F);
  v.Sub(t[9], m, t[9]);
  const FloatNode f = t[5];
  v.Adds(f, m, -1.0F);
  const FloatNode s = t[6];
  v.Div(s, f, d);
  const FloatNode head = t[8];  // s = head + t[5]
  Head(v, head, s);
  Head(v, t[10], d);
  v.Sub(t[3], d, t[10]).Add(t[9]);
  v.Mul(t[9], head, t[10]);
  v.Sub(f, f, t[9]);
  v.Mul(t[9], head, t[3]);
  v.Sub(f, f, t[9]);
  v.Div(t[5], f, d);
  v.Mul(t[7], s, s);
  Polynomial(v, t[9], t[7], {0.666666656F, 0.400003356F, 0.285372782F, 0.235827664F}).Mul(t[7]).Mul(s);
  v.Muls(t[5], t[5], 2.0F).Add(t[9]);  // ln(m) = 2 head + t[5]
  v.Muls(head, head, 2.0F);
  v.Muls(t[6], e, 1.42860682e-6F);
  v.Add(t[5], t[5], t[6]);
  v.Muls(t[6], e, 0.693145752F);  // ln(2) to 16 bits, and the rest above
  v.Add(t[4], t[6], head);
  v.Sub(t[6], t[4], t[6]);
  v.Sub(head, head, t[6]);
  v.Add(t[5], t[5], head);
}

// t[4] = exp(b (t[4] + t[5])), b = t[1].
void ExpOfProduct(const VectorSteps& v, const LiveNodes& t) {
  Head(v, t[6], t[4]);  // log = t[6] + t[5]
  v.Sub(t[4], t[4], t[6]);
  v.Add(t[5], t[5], t[4]);
  Head(v, t[7], t[1]);  // b = t[7] + t[8]
  v.Sub(t[8], t[1], t[7]);
  v.Mul(t[8], t[8], t[6]);
  v.Mul(t[5], t[5], t[1]).Add(t[8]);
  v.Mul(t[6], t[6], t[7]);
  v.Add(t[4], t[6], t[5]);
  v.Sub(t[6], t[4], t[6]);
  v.Sub(t[5], t[5], t[6]);
  v.Exp(t[4], t[4]);
  v.Adds(t[5], t[5], 1.0F);
  v.Mul(t[4], t[4], t[5]);
}

// t[4] = -t[4] where a = t[0] < 0 and b = t[1] is odd, NaN where a < 0 and b is no whole number.
void SignOfBase(const VectorSteps& v, const LiveNodes& t) {
  v.Muls(t[3], t[1], 0.5F);
  v.Cast(t[5], t[3], RoundMode::CAST_FLOOR);
  v.Sub(t[5], t[3], t[5]);  // 0.5 where b is odd
  v.Compares(t.Bits(7), t[5], CMPMODE::EQ, 0.5F);
  v.Muls(t[3], t[4], -1.0F);
  v.Select(t[3], t.Bits(7), t[3], t[4]);
  v.Cast(t[5], t[1], RoundMode::CAST_FLOOR);
  v.Compare(t.Bits(7), t[5], CMPMODE::EQ, t[1]);
  v.Select(t[3], t.Bits(7), t[3], std::numeric_limits<float>::quiet_NaN());
  v.Compares(t.Bits(7), t[0], CMPMODE::LT, 0.0F);
  v.Select(t[4], t.Bits(7), t[3], t[4]);
}

}  // namespace

namespace formulas {

// exp(b ln|a|), the logarithm and the product in two fp32, with the sign for a < 0. Relative error at most
// 6e-7 where the result is no subnormal. 1 for b = 0 and for |a| = 1 with infinite b; NaN for a < 0 and a
// broken b; -0 is taken as 0.
void Power(const VectorSteps& v, const LiveNodes& t) {
  v.Abs(t[2], t[0]);
  LongLog(v, t);
  ExpOfProduct(v, t);
  v.Ln(t[3], t[2]).Mul(t[1]);
  v.Abs(t[5], t[3]);
  v.Compares(t.Bits(6), t[5], CMPMODE::LT, 128.0F);
  v.Exp(t[3], t[3]);  // 0, infinity, NaN
  v.Select(t[4], t.Bits(6), t[4], t[3]);
  v.Duplicate(t[3], 1.0F);
  v.Compares(t.Bits(6), t[2], CMPMODE::EQ, 1.0F);
  v.Select(t[4], t.Bits(6), t[3], t[4]);
  SignOfBase(v, t);
  v.Duplicate(t[3], 1.0F);
  v.Compares(t.Bits(6), t[1], CMPMODE::EQ, 0.0F);
  v.Select(t[0], t.Bits(6), t[3], t[4]);
}

// By squares, modulo 2^32. b < 0: 0, but for a = 1 and a = -1.
void PowerInt(const VectorSteps& v, const LiveNodes& t) {
  const LocalTensor<int32_t> a = t.Int(0);
  const LocalTensor<int32_t> b = t.Int(1);
  const LocalTensor<int32_t> power = t.Int(2);
  const LocalTensor<int32_t> spare = t.Int(3);
  const LocalTensor<int32_t> counts = t.Int(4);  // 0 where the result is 0 whatever a's powers are
  v.ShiftRight(spare, b, 31);                    // -1 where b < 0
  v.Adds(counts, spare, 1);
  for (const int32_t unit : {1, -1}) {
    v.Compares(t.Bits(5), a, CMPMODE::EQ, unit);
    v.Duplicate(power, 1);
    v.Select(t[4], t.Bits(5), t[2], t[4]);
  }
  v.Muls(spare, spare, 2).Adds(1);
  v.Mul(b, b, spare);
  v.Duplicate(power, 1);
  for (uint32_t bit = 0; bit < 31; ++bit) {
    v.ShiftLeft(t.Uint(3), t.Uint(1), 31 - bit).ShiftRight(31U);
    v.Adds(t.Int(5), a, -1);
    v.Mul(spare, spare, t.Int(5)).Adds(1);  // a, or 1
    v.Mul(power, power, spare);
    v.Mul(a, a, a);
  }
  v.Mul(a, power, counts);
}

}  // namespace formulas
}  // namespace AscendC::simulator
