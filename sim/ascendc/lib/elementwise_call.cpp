#include "sim/ascendc/lib/elementwise_call.h"

#include "sim/ascendc/lib/formulas.h"
#include "sim/ascendc/lib/scratch.h"

namespace AscendC::internal {

namespace {

using tilesim::isa::TypeSet;
using tilesim::isa::VectorType;

struct FormulaRow {
  Formula formula;
  TypeSet types;
};

constexpr TypeSet kFloats = {VectorType::kFp16, VectorType::kFp32};
constexpr TypeSet kWithBf16 = {VectorType::kFp16, VectorType::kBf16, VectorType::kFp32};
constexpr TypeSet kWhole = {VectorType::kInt32};
constexpr TypeSet k16Bits = {VectorType::kInt16, VectorType::kUint16};

// In the order of Function.
constexpr FormulaRow kFormulas[] = {
    {formulas::Sigmoid, kFloats},    {formulas::Tanh, kFloats},         {formulas::Power, kFloats},
    {formulas::PowerInt, kWhole},    {formulas::Log2, kFloats},         {formulas::Sign, kFloats},
    {formulas::Ceil, kFloats},       {formulas::Trunc, kFloats},        {formulas::Round, kFloats},
    {formulas::Frac, kFloats},       {formulas::ExpPlain, kFloats},     {formulas::ExpTaylor, kFloats},
    {formulas::Erf, kFloats},        {formulas::Erfc, kFloats},         {formulas::Gelu, kFloats},
    {formulas::FasterGelu, kFloats}, {formulas::FasterGeluV2, kFloats}, {formulas::GeGLU, kFloats},
    {formulas::SwiGLU, kFloats},     {formulas::ReGlu, kWithBf16},      {formulas::Axpy, kFloats},
    {formulas::Xor, k16Bits},        {formulas::Fmod, kFloats},         {formulas::Sin, kFloats},
    {formulas::Cos, kFloats},        {formulas::Tan, kFloats},          {formulas::Asin, kFloats},
    {formulas::Acos, kFloats},       {formulas::Atan, kFloats},         {formulas::Sinh, kFloats},
    {formulas::Cosh, kFloats},       {formulas::Asinh, kFloats},        {formulas::Acosh, kFloats},
    {formulas::Atanh, kFloats},      {formulas::Digamma, kFloats},      {formulas::Lgamma, kFloats},
};
static_assert(std::size(kFormulas) == std::size(tilesim::library::kFunctions));

// Elements [first, first + v.count()) of an operand.
template <class T>
LocalTensor<T> PieceOf(const LibraryOperand& operand, uint32_t first) {
  return operand.bytes.ReinterpretCast<T>()[first];
}

// Floating-point numbers as fp32, others as they are; a scalar as the source is.
void Load(const VectorSteps& v, const LiveNodes& t, uint32_t node, const LibraryOperand& src,
          uint32_t first) {
  switch (src.type) {
    case VectorType::kFp16:
      return v.Cast(t[node], PieceOf<half>(src, first), RoundMode::CAST_NONE);
    case VectorType::kBf16:
      return v.Cast(t[node], PieceOf<bfloat16_t>(src, first), RoundMode::CAST_NONE);
    case VectorType::kFp32:  // keeps -0 and NaN
      return v.Muls(t[node], PieceOf<float>(src, first), 1.0F);
    case VectorType::kInt32:
      return v.Or(t.Int(node), PieceOf<int32_t>(src, first), PieceOf<int32_t>(src, first));
    default:
      return v.Or(t[node].ReinterpretCast<uint16_t>(), PieceOf<uint16_t>(src, first),
                  PieceOf<uint16_t>(src, first));
  }
}

void LoadScalar(const VectorSteps& v, const LiveNodes& t, uint32_t node, VectorType type, double value) {
  if (type == VectorType::kInt32) {
    v.Duplicate(t.Int(node), static_cast<int32_t>(value));
  } else {
    v.Duplicate(t[node], static_cast<float>(value));
  }
}

void Store(const VectorSteps& v, const LibraryOperand& dst, const LiveNodes& t, uint32_t first) {
  switch (dst.type) {
    case VectorType::kFp16:
      return v.Cast(PieceOf<half>(dst, first), t[0], RoundMode::CAST_RINT);
    case VectorType::kBf16:
      return v.Cast(PieceOf<bfloat16_t>(dst, first), t[0], RoundMode::CAST_RINT);
    case VectorType::kFp32:
      return v.Muls(PieceOf<float>(dst, first), t[0], 1.0F);
    case VectorType::kInt32:
      return v.Or(PieceOf<int32_t>(dst, first), t.Int(0), t.Int(0));
    default:
      return v.Or(PieceOf<uint16_t>(dst, first), t[0].ReinterpretCast<uint16_t>(),
                  t[0].ReinterpretCast<uint16_t>());
  }
}

}  // namespace

void Polynomial(const VectorSteps& v, const FloatNode& dst, const FloatNode& z,
                std::initializer_list<float> coefficients) {
  const float* at = std::data(coefficients) + coefficients.size() - 1;
  v.Muls(dst, z, *at--);
  v.Adds(dst, dst, *at);
  while (at != std::data(coefficients)) {
    v.Mul(dst, dst, z);
    v.Adds(dst, dst, *--at);
  }
}

void Head(const VectorSteps& v, const FloatNode& dst, const FloatNode& x) {
  const LocalTensor<uint32_t> bits = dst.ReinterpretCast<uint32_t>();
  v.ShiftRight(bits, x.ReinterpretCast<uint32_t>(), 12U);
  v.ShiftLeft(bits, bits, 12U);
}

void Run(const ElementwiseCall& call) {
  const tilesim::library::FunctionRow& row = tilesim::library::RowOf(call.function);
  tilesim::Core* const core = VectorCore(row.name, call.where);
  if (core == nullptr || call.count == 0) {
    return;
  }
  const FormulaRow& formula = kFormulas[static_cast<size_t>(call.function)];
  tilesim::isa::RequireType(*core, call.dst.type, formula.types);
  for (const LibraryOperand& src : call.src) {
    if (src.is == LibraryOperand::kTensor) {
      tilesim::isa::RequireType(*core, src.type, formula.types);
    }
  }
  Scratch scratch(*core, call.scratch);
  scratch.Require(row.need.MinBytes(), row.name);
  const uint32_t most = row.need.PieceIn(scratch.left_bytes());
  const uint32_t all = AlignUp(call.count, tilesim::library::ScratchNeed::kRepeat);
  const uint32_t piece = all < most ? all : most;
  const LiveNodes nodes(scratch.Take<float>(row.need.nodes * piece), piece);
  ForPieces(call.count, piece, [&](uint32_t first, uint32_t elements) {
    const VectorSteps v(*core, elements, call.where);
    for (uint32_t i = 0; i < call.src.size(); ++i) {
      const LibraryOperand& src = call.src[i];
      if (src.is == LibraryOperand::kTensor) {
        Load(v, nodes, i, src, first);
      } else if (src.is == LibraryOperand::kScalar) {
        LoadScalar(v, nodes, i, src.type, src.value);
      }
    }
    formula.formula(v, nodes, call.scalars);
    Store(v, call.dst, nodes, first);
  });
}

}  // namespace AscendC::internal
