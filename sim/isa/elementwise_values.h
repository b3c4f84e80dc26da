// What elementwise instructions make of runs of contiguous elements. Knows no masks and no addresses in UB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/core/registers.h"
#include "sim/isa/vector_run.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

enum class ElementwiseKind : uint8_t {
  kAdd,  // of two sources
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kAnd,
  kOr,
  kAddRelu,
  kSubRelu,
  kAddReluCast,
  kSubReluCast,
  kMulCast,
  kMulAddDst,
  kFusedMulAdd,
  kMulAddRelu,
  kAdds,  // of a source and a scalar
  kMuls,
  kMaxs,
  kMins,
  kLeakyRelu,
  kShiftLeft,
  kShiftRight,
  kShiftRightRound,  // ShiftRight with roundEn
  kAxpy,
  kExp,  // of one source
  kLn,
  kSqrt,
  kAbs,
  kReciprocal,
  kRsqrt,
  kRelu,
  kNot,
  kCopy
};
inline constexpr size_t kNumElementwiseKinds = 34;

// What a lane of dst is made from.
enum class ElementwiseSources : uint8_t { kOne, kTwo, kScalar };
constexpr ElementwiseSources SourcesOf(ElementwiseKind kind) {
  return kind < ElementwiseKind::kAdds  ? ElementwiseSources::kTwo
         : kind < ElementwiseKind::kExp ? ElementwiseSources::kScalar
                                        : ElementwiseSources::kOne;
}
// Is it made from what was in dst, too?
constexpr bool ReadsDst(ElementwiseKind kind) {
  using enum ElementwiseKind;
  return kind == kMulAddDst || kind == kFusedMulAdd || kind == kMulAddRelu || kind == kAxpy;
}

constexpr bool IsShift(ElementwiseKind kind) {
  using enum ElementwiseKind;
  return kind == kShiftLeft || kind == kShiftRight || kind == kShiftRightRound;
}

// What becomes of results beyond their type. fp16, kSaturated: after each step of an instruction infinity is
// the largest finite value and NaN is 0; kUnbounded: both stay. Whole numbers, kSaturated: the nearest one of
// the type; kUnbounded: they wrap around. fp32 keeps infinity and NaN either way.
enum class ResultRange : uint8_t { kSaturated, kUnbounded };

inline ResultRange RangeOf(const CoreRegisters& registers, VectorType type) {
  const bool is_half = type == VectorType::kFp16;
  const bool saturates = is_half ? !registers.ieee : registers.vector.saturate_whole_numbers;
  return saturates ? ResultRange::kSaturated : ResultRange::kUnbounded;
}

// A scalar, and behind it as many bytes as are read with it.
struct ScalarBytes {
  explicit ScalarBytes(uint32_t bits) { std::memcpy(bytes, &bits, sizeof(bits)); }
  alignas(8) std::byte bytes[8] = {};
};

// dst[i] = src0[i] op src1[i]; with a scalar, that is in the first bytes of src1 for every i; with one source
// src1 is not read. Steps: of dst, src0, src1. dst may be a source. Every step rounds to nearest even:
// a product that is added is a number of its type first. The same bits on every machine: no step is left to
// a library or fused with another. fp16 is correctly rounded; fp32 Exp, Ln and Rsqrt are at most 1 ulp off.
//   Max, Min        NaN where either is NaN; +0 is above -0
//   Relu            NaN stays NaN, -0 is +0
//   LeakyRelu       src where its sign is positive, else scalar * src
//   ShiftLeft       the sign bit stays where the type has one; by its width or more: no other bit is left
//   ShiftRight      with the sign; kShiftRightRound: of int16 and int32 plus the last bit that is shifted out
//   MulAddDst       src0 * src1 + dst; FusedMulAdd: src0 * dst + src1; Axpy: src0 * scalar + dst
//   ...Cast         in the type of the sources, but int16 does not wrap; then to nearest even, within dst
using ElementwiseRun = void (*)(const std::byte* src0, const std::byte* src1, std::byte* dst,
                                const VectorRun& run);
ElementwiseRun ElementwiseRunFor(ElementwiseKind kind, VectorType dst, VectorType src, ResultRange range);
// Of fp16, in the steps of float; nullptr where a kind does not take it, or only orders values that stay.
ElementwiseRun HalfRunFor(ElementwiseKind kind, VectorType dst, ResultRange range);

}  // namespace tilesim::isa
