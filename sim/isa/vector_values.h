// What vector instructions make of runs of contiguous elements. Knows no masks and no addresses in UB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sim/isa/cast_rule.h"
#include "sim/isa/vector_run.h"
#include "sim/isa/vector_type.h"

namespace tilesim::isa {

enum class CompareKind : uint8_t { kLt, kGt, kEq, kLe, kGe, kNe };  // CMPMODE, in its order
inline constexpr size_t kNumCompareKinds = 6;

// dst[i] = the low bits of `bits`; elements of 2 or 4 bytes; steps: of dst.
void FillRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run);

// Bit i of `bits` = src0[i] op src1[i]; the count is a multiple of 8, and bits of repeats lie one behind the
// other. Steps: of src0, src1. Every comparison with a NaN is false, NE too. fp16, fp32, int32.
using CompareRun = void (*)(const std::byte* src0, const std::byte* src1, std::byte* bits,
                            const VectorRun& run);
using CompareRuns = std::array<CompareRun, kNumCompareKinds>;  // in the order of kinds
const CompareRuns& CompareRunsFor(VectorType type);

// Where the bits of a choice are: from bit `first` of `bytes` on, each repeat's `step` behind the last's.
struct ChoiceBits {
  const std::byte* bytes = nullptr;
  int64_t first = 0;
  int64_t step = 0;
};
// dst[i] = bit i ? src0[i] : src1[i], elements of 2 or 4 bytes; steps: of dst, src0, src1.
using SelectRun = void (*)(const ChoiceBits& bits, const std::byte* src0, const std::byte* src1,
                           std::byte* dst, const VectorRun& run);
// `scalar`: with the one element src1[0] for every src1[i].
SelectRun SelectRunFor(int64_t element_bytes, bool scalar);

// The casts that every kernel of 16-bit tensors makes, many elements at once; the same as CastElement of
// cast_values.h, element by element: dst[i] = src[i] in another type. Steps: of dst, src. Within 64
// elements dst may lie over src: they are read before any is written.
using BulkCast = void (*)(const std::byte* src, std::byte* dst, const VectorRun& run);
// To nearest even: fp16, bf16 and int32 to fp32; fp32 to fp16 and bf16. `saturate`, of the latter: what is
// beyond the type becomes its largest finite value, NaN becomes 0. A std::logic_error of any other pair.
BulkCast BulkCastFor(VectorType from, VectorType to, bool saturate);
// fp32 to whole numbers as fp32, or `to_int32`: beyond it its nearest number, and 0 of NaN. Each as
// RoundToWhole of cast_values.h has it; kOdd does not occur.
BulkCast RoundCastFor(Round round, bool to_int32);

// Sets every bit of `size_bytes`. Most often they are set already, which is seen faster.
void SetAllBits(std::byte* dst, int64_t size_bytes);

// Rows of data blocks, by how far behind a first byte they lie, and how far each repeat moves them.
struct TransposedRows {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::span<const uint64_t, 16> src;
  std::span<const uint64_t, 16> dst;
  int64_t repeats = 1;
  int64_t src_step_bytes = 0;
  int64_t dst_step_bytes = 0;

  // Of the first repeat. Distances may have begun anew at 0: a row may lie before the first byte.
  const std::byte* Src(size_t i) const { return from + static_cast<int64_t>(src[i]); }
  std::byte* Dst(size_t j) const { return to + static_cast<int64_t>(dst[j]); }
};
// Element i of dst row j becomes element j of source row i. 8- and 16-bit elements: 16 rows of 16. 32-bit
// elements: rows 2j and 2j+1 of dst take sources 0..7 and 8..15. dst rows may be source rows.
void TransposeRows(int64_t element_bytes, const TransposedRows& rows);

}  // namespace tilesim::isa
