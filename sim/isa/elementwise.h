// Vector instructions that make each lane of dst from the same lane of their sources. To add one: its kind
// and its row here, its formula in elementwise_formula-inl.h, its forms in ascendc/elementwise.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/core/core.h"
#include "sim/isa/elementwise_values.h"
#include "sim/isa/given.h"
#include "sim/isa/vector_work.h"
#include "sim/isa/whole_run.h"

namespace tilesim::isa {

struct ElementwiseTypes {
  VectorType dst;
  VectorType src;
  int64_t cycles;  // a repeat, where no bank conflicts
};

struct ElementwiseRow {
  const char* name;
  const char* instruction;  // the hardware's own name, as tables of measurements have it
  bool gathers;             // repeats may gather into dst == src1 with a repeat stride of 0; int16: no
  std::span<const ElementwiseTypes> types;

  [[nodiscard]] constexpr const ElementwiseTypes* Find(VectorType dst, VectorType src) const {
    for (const ElementwiseTypes& pair : types) {
      if (pair.dst == dst && pair.src == src) {
        return &pair;
      }
    }
    return nullptr;
  }
  [[nodiscard]] constexpr bool Takes(VectorType dst, VectorType src) const {
    return Find(dst, src) != nullptr;
  }
};

namespace elementwise {

using enum VectorType;

// Measured: KPP 910B1, cycles of a repeat in a row of the same instruction, less conflicts of banks.
inline constexpr ElementwiseTypes kNumbers[] = {
    {kFp16, kFp16, 1}, {kFp32, kFp32, 1}, {kInt16, kInt16, 1}, {kInt32, kInt32, 1}};
inline constexpr ElementwiseTypes kFloats[] = {{kFp16, kFp16, 1}, {kFp32, kFp32, 1}};
inline constexpr ElementwiseTypes kQuotients[] = {{kFp16, kFp16, 4}, {kFp32, kFp32, 4}};
inline constexpr ElementwiseTypes kElementary[] = {{kFp16, kFp16, 4}, {kFp32, kFp32, 2}};
inline constexpr ElementwiseTypes kBits[] = {{kInt16, kInt16, 1}, {kUint16, kUint16, 1}};
inline constexpr ElementwiseTypes kShifted[] = {
    {kInt16, kInt16, 1}, {kUint16, kUint16, 1}, {kInt32, kInt32, 1}, {kUint32, kUint32, 1}};
inline constexpr ElementwiseTypes kRelus[] = {{kFp16, kFp16, 1}, {kFp32, kFp32, 1}, {kInt32, kInt32, 1}};
inline constexpr ElementwiseTypes kSumRelus[] = {{kFp16, kFp16, 1}, {kFp32, kFp32, 1}, {kInt16, kInt16, 1}};
inline constexpr ElementwiseTypes kProductSums[] = {{kFp16, kFp16, 6}, {kFp32, kFp32, 6}, {kFp32, kFp16, 5}};
inline constexpr ElementwiseTypes kScaledSums[] = {{kFp16, kFp16, 2}, {kFp32, kFp32, 2}, {kFp32, kFp16, 2}};
inline constexpr ElementwiseTypes kNarrowSums[] = {{kFp16, kFp32, 1}, {kInt8, kFp16, 1}, {kInt8, kInt16, 1}};
inline constexpr ElementwiseTypes kNarrowProducts[] = {{kInt8, kFp16, 1}, {kUint8, kFp16, 1}};

inline constexpr ElementwiseTypes kCopied[] = {
    {kInt16, kInt16, 1}, {kUint16, kUint16, 1}, {kFp16, kFp16, 1}, {kBf16, kBf16, 1},
    {kInt32, kInt32, 1}, {kUint32, kUint32, 1}, {kFp32, kFp32, 1}};

// In the order of ElementwiseKind.
inline constexpr ElementwiseRow kRows[] = {{"Add", "VADD", true, kNumbers},
                                           {"Sub", "VSUB", true, kNumbers},
                                           {"Mul", "VMUL", true, kNumbers},
                                           {"Div", "VDIV", false, kQuotients},
                                           {"Max", "VMAX", true, kNumbers},
                                           {"Min", "VMIN", true, kNumbers},
                                           {"And", "VAND", false, kBits},
                                           {"Or", "VOR", false, kBits},
                                           {"AddRelu", "VADDRELU", true, kSumRelus},
                                           {"SubRelu", "VSUBRELU", true, kSumRelus},
                                           {"AddReluCast", "VADDRELUCONV", false, kNarrowSums},
                                           {"SubReluCast", "VSUBRELUCONV", false, kNarrowSums},
                                           {"MulCast", "VMULCONV", false, kNarrowProducts},
                                           {"MulAddDst", "VMLA", false, kProductSums},
                                           {"FusedMulAdd", "VMADD", false, {kProductSums, 2}},
                                           {"MulAddRelu", "VMADDRELU", false, {kProductSums, 2}},
                                           {"Adds", "VADDS", false, kNumbers},
                                           {"Muls", "VMULS", false, kNumbers},
                                           {"Maxs", "VMAXS", false, kNumbers},
                                           {"Mins", "VMINS", false, kNumbers},
                                           {"LeakyRelu", "VLRELU", false, kFloats},
                                           {"ShiftLeft", "VSHL", false, kShifted},
                                           {"ShiftRight", "VSHR", false, kShifted},
                                           {"ShiftRight", "VSHR", false, kShifted},
                                           {"Axpy", "VAXPY", false, kScaledSums},
                                           {"Exp", "VEXP", false, kElementary},
                                           {"Ln", "VLN", false, kElementary},
                                           {"Sqrt", "VSQRT", false, kElementary},
                                           {"Abs", "VABS", false, kFloats},
                                           {"Reciprocal", "VREC", false, kFloats},
                                           {"Rsqrt", "VRSQRT", false, kFloats},
                                           {"Relu", "VRELU", false, kRelus},
                                           {"Not", "VNOT", false, kBits},
                                           {"Copy", "VCOPY", false, kCopied}};
static_assert(std::size(kRows) == kNumElementwiseKinds);

}  // namespace elementwise

constexpr const ElementwiseRow& RowOf(ElementwiseKind kind) {
  return elementwise::kRows[static_cast<size_t>(kind)];
}

// Refuses types that the row does not have.
void RequireTypes(Core& core, const ElementwiseRow& row, VectorType dst, VectorType src);

// Which operands there are: dst; src0; src1 of kTwo; scalar_bits, in the type of the sources, of kScalar.
struct VectorElementwise {
  Given<ElementwiseKind> kind;
  VectorOperand dst{};
  VectorOperand src0{};
  VectorOperand src1{};
  uint32_t scalar_bits = 0;
  VectorType dst_type = VectorType::kFp32;
  VectorType src_type = VectorType::kFp32;
  VectorWork work{};

  [[nodiscard]] const char* name() const { return RowOf(kind).name; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// The same at once (Core::at_once), of one type: false, with nothing computed, where it has to be issued.
template <ElementwiseKind kKind, VectorType kType, size_t kOperands>
[[gnu::always_inline]] inline bool ElementwiseAtOnce(Core& core,
                                                     const WholeRun<ElementBits(kType) / 8, kOperands>& whole,
                                                     uint32_t scalar_bits) {
  if (!whole) {
    return false;
  }
  static const ElementwiseRun kRuns[] = {ElementwiseRunFor(kKind, kType, kType, ResultRange::kSaturated),
                                         ElementwiseRunFor(kKind, kType, kType, ResultRange::kUnbounded)};
  std::byte* const ub = core.ub();
  const ElementwiseRun run = kRuns[static_cast<size_t>(RangeOf(core.registers(), kType))];
  if constexpr (kOperands == 3) {
    run(ub + whole.at[1], ub + whole.at[2], ub + whole.at[0], whole.run);
  } else {
    const ScalarBytes scalar(scalar_bits);
    run(ub + whole.at[1], scalar.bytes, ub + whole.at[0], whole.run);
  }
  return true;
}

}  // namespace tilesim::isa
