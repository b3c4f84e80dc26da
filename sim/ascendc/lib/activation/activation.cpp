// Activation functions.
#include "sim/ascendc/lib/activation/activation.h"

#include "sim/ascendc/lib/formulas.h"
#include "sim/ascendc/lib/library_call.h"

namespace AscendC::simulator {

namespace {

// x = x / (1 + exp(y)), and y is overwritten.
void Gate(const VectorSteps& v, const FloatNode& x, const FloatNode& y) {
  v.Exp(y, y).Adds(1.0F);
  v.Div(x, x, y);
}

// x = x / (1 + exp(-beta x)), y is overwritten.
void Swish(const VectorSteps& v, const FloatNode& x, const FloatNode& y, float beta) {
  v.Muls(y, x, -beta);
  Gate(v, x, y);
}

// x = x / (1 + exp(-1.5957691 (x + 0.044715 x^3))), which is 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715
// x^3))); y is overwritten. Below -10000 x is taken as that, so that -infinity gives -0.
void TanhGelu(const VectorSteps& v, const FloatNode& x, const FloatNode& y) {
  v.Maxs(x, x, -10000.0F);
  v.Mul(y, x, x).Muls(0.0713548163F).Adds(1.59576912F).Mul(x).Muls(-1.0F);
  Gate(v, x, y);
}

}  // namespace

namespace formulas {

// 1 / (1 + exp(-x)): relative error at most 4e-7; 0 below -88.7, where exp(-x) has no fp32.
void Sigmoid(const VectorSteps& v, const LiveNodes& t) {
  v.Muls(t[0], t[0], -1.0F).Exp().Adds(1.0F);
  v.Duplicate(t[1], 1.0F);
  v.Div(t[0], t[1], t[0]);
}

// Relative error at most 1e-6 (1 + |y|), y the argument of the exponential function.
void Gelu(const VectorSteps& v, const LiveNodes& t) { TanhGelu(v, t[0], t[1]); }

// x / (1 + exp(-1.702 x))
void FasterGelu(const VectorSteps& v, const LiveNodes& t) {
  v.Maxs(t[0], t[0], -10000.0F);
  Swish(v, t[0], t[1], 1.702F);
}

// x (s (a (min(|c x|, -b) + b)^2 + 0.5) + 0.5), s the sign of x + 1e-12, a = -0.1444, b = -1.769, c = 0.7071.
void FasterGeluV2(const VectorSteps& v, const LiveNodes& t) {
  v.Muls(t[1], t[0], 0.7071F).Abs().Mins(1.769F).Adds(-1.769F).Mul(t[1]).Muls(-0.1444F).Adds(0.5F);
  v.Adds(t[2], t[0], 1e-12F).Muls(1e30F).Mins(1.0F).Maxs(-1.0F);
  v.Mul(t[1], t[1], t[2]).Adds(0.5F);
  v.Mul(t[0], t[0], t[1]);
}

// src0 Gelu(src1)
void GeGLU(const VectorSteps& v, const LiveNodes& t) {
  TanhGelu(v, t[1], t[2]);
  v.Mul(t[0], t[0], t[1]);
}

// src0 Swish(src1)
void SwiGLU(const VectorSteps& v, const LiveNodes& t) {
  Swish(v, t[1], t[2], static_cast<float>(t.scalar()));
  v.Mul(t[0], t[0], t[1]);
}

// src0 max(src1, 0)
void ReGlu(const VectorSteps& v, const LiveNodes& t) {
  v.Relu(t[1], t[1]);
  v.Mul(t[0], t[0], t[1]);
}

}  // namespace formulas

namespace {

template <class T>
void SwishInPlace(const VectorSteps& v, const LibraryOperand& dst, const LibraryOperand& src, float beta) {
  const LocalTensor<T> to = dst.bytes.ReinterpretCast<T>();
  const LocalTensor<T> from = src.bytes.ReinterpretCast<T>();
  v.Muls(to, from, T(-beta)).Exp().Adds(T(1.0F));
  v.Div(to, from, to);
}

}  // namespace

void RunSwish(const char* name, const LibraryOperand& dst, const LibraryOperand& src, float beta,
              uint32_t count, SourceLine where) {
  using enum tilesim::isa::VectorType;
  const LibraryCall library(name, where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return;
  }
  tilesim::isa::RequireType(*core, dst.type, {kFp16, kFp32});
  core->Require(dst.bytes.GetPhyAddr() != src.bytes.GetPhyAddr(), tilesim::FaultKind::kMisuse, "dst",
                "is src, which is needed to the end; use another buffer");
  CallTensors().ResultApart("dst", dst, count).Source("src", src, count).RequireApart(*core);
  const int64_t before = core->statistics().instructions[static_cast<size_t>(tilesim::Pipe::kV)];
  const VectorSteps v(*core, count, where);
  dst.type == kFp16 ? SwishInPlace<half>(v, dst, src, beta) : SwishInPlace<float>(v, dst, src, beta);
  core->CountAsLibrary(before);
}
}  // namespace AscendC::simulator
