#include "sim/ascendc/lib/elementwise_call.h"

#include <algorithm>

#include "sim/ascendc/lib/formulas.h"
#include "sim/ascendc/lib/library_call.h"

namespace AscendC::simulator {

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
#define TILESIM_FORMULA(FUNCTION, NODES, TYPES, ...) {formulas::FUNCTION, TYPES},
    TILESIM_LIBRARY_FUNCTIONS(TILESIM_FORMULA)
#undef TILESIM_FORMULA
};

// dst = src; of fp32 with -0 and NaN as they are.
template <class T, class U>
void Pass(const VectorSteps& v, const LocalTensor<T>& dst, const LocalTensor<U>& src) {
  if constexpr (!std::is_same_v<T, U>) {
    v.Cast(dst, src, std::is_same_v<T, float> ? RoundMode::CAST_NONE : RoundMode::CAST_RINT);
  } else if constexpr (std::is_same_v<T, float>) {
    v.Muls(dst, src, 1.0F);
  } else {
    v.Or(dst, src, src);
  }
}
void LoadScalar(const VectorSteps& v, const LiveNodes& t, uint32_t node, VectorType type, double value) {
  if (type == VectorType::kInt32) {
    v.Duplicate(t.Int(node), static_cast<int32_t>(value));
  } else {
    v.Duplicate(t[node], static_cast<float>(value));
  }
}

}  // namespace

void LoadNode(const VectorSteps& v, const LiveNodes& t, uint32_t node, const LibraryOperand& src,
              uint32_t first) {
  switch (src.type) {
    case VectorType::kFp16:
      return Pass(v, t[node], PieceOf<half>(src, first));
    case VectorType::kBf16:
      return Pass(v, t[node], PieceOf<bfloat16_t>(src, first));
    case VectorType::kFp32:
      return Pass(v, t[node], PieceOf<float>(src, first));
    case VectorType::kInt32:
      return Pass(v, t.Int(node), PieceOf<int32_t>(src, first));
    default:
      return Pass(v, t[node].ReinterpretCast<uint16_t>(), PieceOf<uint16_t>(src, first));
  }
}

void StoreNode(const VectorSteps& v, const LibraryOperand& dst, uint32_t first, const LiveNodes& t,
               uint32_t node) {
  switch (dst.type) {
    case VectorType::kFp16:
      return Pass(v, PieceOf<half>(dst, first), t[node]);
    case VectorType::kBf16:
      return Pass(v, PieceOf<bfloat16_t>(dst, first), t[node]);
    case VectorType::kFp32:
      return Pass(v, PieceOf<float>(dst, first), t[node]);
    case VectorType::kInt32:
      return Pass(v, PieceOf<int32_t>(dst, first), t.Int(node));
    default:
      return Pass(v, PieceOf<uint16_t>(dst, first), t[node].ReinterpretCast<uint16_t>());
  }
}

LiveNodes NodesIn(Scratch& scratch, const tilesim::library::ScratchNeed& need, const char* host_name,
                  uint32_t elements, double scalar) {
  scratch.Require(need.MinBytes(), host_name);
  const uint32_t piece = std::min(need.PieceIn(scratch.left_bytes()), AlignUp(elements, need.piece));
  return {scratch.Take<float>(need.nodes * piece), piece, scalar};
}

StepsOn<float> Polynomial(const VectorSteps& v, const FloatNode& dst, const FloatNode& z,
                          std::initializer_list<float> coefficients) {
  const float* at = std::data(coefficients) + coefficients.size() - 2;
  v.Muls(dst, z, at[1]).Adds(at[0]);
  while (at != std::data(coefficients)) {
    v.Mul(dst, dst, z).Adds(*--at);
  }
  return {v, dst};
}

StepsOn<float> Head(const VectorSteps& v, const FloatNode& dst, const FloatNode& x) {
  const LocalTensor<uint32_t> bits = dst.ReinterpretCast<uint32_t>();
  v.ShiftRight(bits, x.ReinterpretCast<uint32_t>(), 12U).ShiftLeft(12U);
  return {v, dst};
}

void Run(const ElementwiseCall& call) {
  const tilesim::library::FunctionRow& row = tilesim::library::RowOf(call.function);
  const LibraryCall library(row.name, call.where);
  tilesim::Core* const core = library.core();
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
  Scratch scratch(
      *core, call.scratch,
      CallTensors()
          .Result("dst", call.dst, call.count)
          .Source(call.src[1].is == LibraryOperand::kTensor ? "src0" : "src", call.src[0], call.count)
          .Source("src1", call.src[1], call.count));
  const LiveNodes nodes = NodesIn(scratch, row.need, row.name, call.count, call.scalar);
  ForPieces(call.count, nodes.elements(), [&](uint32_t first, uint32_t elements) {
    const VectorSteps v(*core, elements, call.where);
    for (uint32_t i = 0; i < call.src.size(); ++i) {
      const LibraryOperand& src = call.src[i];
      if (src.is == LibraryOperand::kTensor) {
        LoadNode(v, nodes, i, src, first);
      } else if (src.is == LibraryOperand::kScalar) {
        LoadScalar(v, nodes, i, src.type, src.value);
      }
    }
    formula.formula(v, nodes);
    StoreNode(v, call.dst, first, nodes, 0);
  });
}

}  // namespace AscendC::simulator
