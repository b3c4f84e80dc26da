// What reductions make of the lanes of one repeat. Knows no masks of instructions and no addresses in UB.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/isa/elementwise_values.h"
#include "sim/isa/vector_type.h"
#include "sim/isa/vector_values.h"

namespace tilesim::isa {

enum class ReduceOp : uint8_t { kSum, kMax, kMin };  // ReduceType, in its order

inline constexpr int64_t kMostLanes = 128;  // of a repeat of fp16 or fp32

// The casts of sums of fp16: taken once an instruction, for all of its repeats.
struct HalfCasts {
  BulkCast widen = BulkCastFor(VectorType::kFp16, VectorType::kFp32, false);
  BulkCast narrow = BulkCastFor(VectorType::kFp32, VectorType::kFp16, false);
};
// The 256 bytes of a repeat as floats.
void WidenRepeat(VectorType type, const HalfCasts& casts, const std::byte* lanes, float* values);
// Element i becomes the sum of the elements [i * group, (i + 1) * group); `count` and `group` are powers of
// two. Neighbours are added, then neighbouring sums, and so on; of fp16 each sum is rounded, and where
// `range` says so saturated, before it is added. A lane that is not to take part holds -0.
void SumGroups(VectorType type, ResultRange range, float* values, int64_t count, int64_t group);
// `count` sums, at most half of kMostLanes, as elements. NaN has one pattern of bits, whatever it came from.
void PutSums(VectorType type, const HalfCasts& casts, const float* sums, int64_t count, std::byte* elements);

inline constexpr int32_t kNoRank = INT32_MIN;  // below every element's
// A whole number that grows with the element (kMax) or falls with it (kMin), most of all of NaN; +0 is above
// -0. `bits`: of fp32, or of fp16 in the upper half.
int32_t RankOf(VectorType type, ReduceOp op, uint32_t bits);
// Of each lane of a repeat.
void RankRepeat(VectorType type, ReduceOp op, const std::byte* lanes, int32_t* ranks);
// The first of the highest.
int64_t FirstOfBest(const int32_t* ranks, int64_t count);
// An element, saturated where `range` says so.
uint32_t BitsOfElement(VectorType type, ResultRange range, const std::byte* element);

}  // namespace tilesim::isa
