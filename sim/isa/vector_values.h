// What vector instructions make of contiguous elements. Knows no masks, repeats or addresses in UB.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/isa/vector_type.h"

namespace tilesim::isa {

enum class BinaryKind : uint8_t { kAdd, kSub, kMul, kMax, kMin, kAnd, kOr };
enum class CompareKind : uint8_t { kLt, kGt, kEq, kLe, kGe, kNe };  // CMPMODE, in its order

// dst[i] = src0[i] op src1[i]. dst may be a source. `saturate`: fp16 results beyond the type become its
// largest finite value and NaN becomes 0 (the hardware's default). Max and Min give src1 where it is greater
// (less) or a NaN, src0 otherwise: a NaN in either wins. Integers wrap around.
using BinaryRun = void (*)(const std::byte* src0, const std::byte* src1, std::byte* dst, int64_t count);
BinaryRun BinaryRunFor(BinaryKind kind, VectorType type, bool saturate);

// The same with the scalar in the first bytes of `scalar` for every src1[i].
BinaryRun ScalarRunFor(BinaryKind kind, VectorType type, bool saturate);

// dst[i] = ~src[i], `count` elements of 16 bits.
void NotRun(const std::byte* src, std::byte* dst, int64_t count);

// Bit i of `bits` = src0[i] op src1[i]; `count` is a multiple of 8. Comparisons with a NaN are false, NE
// true. fp16, fp32, int32.
using CompareRun = void (*)(const std::byte* src0, const std::byte* src1, std::byte* bits, int64_t count);
CompareRun CompareRunFor(CompareKind kind, VectorType type);

// dst[i] = bit `first_bit` + i of `bits` ? src0[i] : src1[i], elements of 2 or 4 bytes.
using SelectRun = void (*)(const std::byte* bits, int64_t first_bit, const std::byte* src0,
                           const std::byte* src1, std::byte* dst, int64_t count);
SelectRun SelectRunFor(int64_t element_bytes);
// The same with the one element src1[0] for every src1[i].
SelectRun SelectScalarRunFor(int64_t element_bytes);

// Rows of data blocks, and how far each repeat moves them.
struct TransposedRows {
  const std::byte* src[16];
  std::byte* dst[16];
  int64_t repeats = 1;
  int64_t src_step_bytes = 0;
  int64_t dst_step_bytes = 0;
};
// Element i of dst row j becomes element j of source row i. 16-bit elements: 16 rows of 16. 32-bit elements:
// rows 2j and 2j+1 of dst take sources 0..7 and 8..15. dst rows may be source rows.
void TransposeRows(int64_t element_bytes, const TransposedRows& rows);

}  // namespace tilesim::isa
