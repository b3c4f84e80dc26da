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

// In the order of Function.
constexpr FormulaRow kFormulas[] = {
    {Sigmoid, kFloats},
    {Tanh, kFloats},
};
static_assert(std::size(kFormulas) == std::size(tilesim::library::kFunctions));

// Elements [first, first + v.count()) of an operand.
template <class T>
LocalTensor<T> PieceOf(const LibraryOperand& operand, uint32_t first) {
  return operand.bytes.ReinterpretCast<T>()[first];
}

void Load(const VectorSteps& v, const FloatNode& node, const LibraryOperand& src, uint32_t first) {
  if (src.type == VectorType::kFp16) {
    v.Cast(node, PieceOf<half>(src, first), RoundMode::CAST_NONE);
  } else {
    v.Muls(node, PieceOf<float>(src, first), 1.0F);  // keeps -0 and NaN
  }
}

void Store(const VectorSteps& v, const LibraryOperand& dst, const FloatNode& node, uint32_t first) {
  if (dst.type == VectorType::kFp16) {
    v.Cast(PieceOf<half>(dst, first), node, RoundMode::CAST_RINT);
  } else {
    v.Muls(PieceOf<float>(dst, first), node, 1.0F);
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

void Run(const ElementwiseCall& call) {
  const tilesim::library::FunctionRow& row = tilesim::library::RowOf(call.function);
  tilesim::Core* const core = VectorCore(row.name, call.where);
  if (core == nullptr || call.count == 0) {
    return;
  }
  const FormulaRow& formula = kFormulas[static_cast<size_t>(call.function)];
  tilesim::isa::RequireType(*core, call.dst.type, formula.types);
  Scratch scratch(*core, call.scratch);
  scratch.Require(row.need.MinBytes(), row.host_name);
  const uint32_t most = row.need.PieceIn(scratch.left_bytes());
  const uint32_t all = AlignUp(call.count, tilesim::library::ScratchNeed::kRepeat);
  const uint32_t piece = all < most ? all : most;
  const LiveNodes nodes(scratch.Take<float>(row.need.nodes * piece), piece);
  ForPieces(call.count, piece, [&](uint32_t first, uint32_t elements) {
    const VectorSteps v(*core, elements, call.where);
    for (uint32_t i = 0; i < call.sources; ++i) {
      Load(v, nodes[i], call.src[i], first);
    }
    formula.formula(v, nodes, call.scalars);
    Store(v, call.dst, nodes[0], first);
  });
}

}  // namespace AscendC::internal
