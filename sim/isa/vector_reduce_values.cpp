#include "sim/isa/vector_reduce_values.h"

#include <bit>
#include <cstring>

#include "formats/half.h"
#include "sim/isa/vector_cast_values.h"

namespace tilesim::isa {
namespace {

constexpr uint32_t kMagnitude = 0x7fff'ffff;
constexpr uint32_t kInfinity = 0x7f80'0000;
constexpr uint32_t kNan = 0x7fc0'0000;

// The sum of two numbers of fp16 as the nearest one. It is exact where it is subnormal.
template <bool kSaturate>
float RoundToHalf(float sum) {
  constexpr uint32_t kBeyond = 0x4780'0000;  // 65536
  constexpr uint32_t kMost = 0x477f'e000;    // 65504
  const auto bits = std::bit_cast<uint32_t>(sum);
  const uint32_t exact = bits & kMagnitude;
  const uint32_t near = (exact + 0xfff + (exact >> 13 & 1)) & ~uint32_t{0x1fff};  // ties to even
  const uint32_t finite = near < kBeyond ? near : kSaturate ? kMost : kInfinity;
  const uint32_t number = finite | (bits & ~kMagnitude);
  return std::bit_cast<float>(exact <= kInfinity ? number : kSaturate ? 0 : kNan);
}

template <class Round>
void SumGroupsWith(const Round& round, float* values, int64_t count, int64_t group) {
  for (; group > 1; group /= 2) {
    count /= 2;
    for (int64_t i = 0; i < count; ++i) {
      values[i] = round(values[2 * i] + values[2 * i + 1]);
    }
  }
}

template <ReduceOp kOp, VectorType kType>
int32_t Rank(uint32_t bits) {
  constexpr uint32_t kBeyond = kType == VectorType::kFp16 ? 0x7c00'0000 : kInfinity;
  const auto signed_bits = static_cast<int32_t>(bits);
  const int32_t rank = signed_bits ^ (signed_bits >> 31 & INT32_MAX);
  return (bits & kMagnitude) > kBeyond ? INT32_MAX : kOp == ReduceOp::kMax ? rank : ~rank;
}

template <ReduceOp kOp>
void RankRepeatBy(VectorType type, const std::byte* lanes, int32_t* ranks) {
  if (type == VectorType::kFp32) {
    uint32_t bits[kMostLanes / 2];
    std::memcpy(bits, lanes, sizeof(bits));
    for (int64_t i = 0; i < kMostLanes / 2; ++i) {
      ranks[i] = Rank<kOp, VectorType::kFp32>(bits[i]);
    }
    return;
  }
  uint16_t bits[kMostLanes];
  std::memcpy(bits, lanes, sizeof(bits));
  for (int64_t i = 0; i < kMostLanes; ++i) {
    ranks[i] = Rank<kOp, VectorType::kFp16>(uint32_t{bits[i]} << 16);
  }
}

}  // namespace

void WidenRepeat(VectorType type, const std::byte* lanes, float* values) {
  if (type == VectorType::kFp32) {
    std::memcpy(values, lanes, kMostLanes / 2 * sizeof(float));
  } else {
    WidenRun(reinterpret_cast<const Half*>(lanes), values, {.count = kMostLanes});
  }
}

void SumGroups(VectorType type, ResultRange range, float* values, int64_t count, int64_t group) {
  if (type == VectorType::kFp32) {
    SumGroupsWith([](float sum) { return sum; }, values, count, group);
  } else if (range == ResultRange::kSaturated) {
    SumGroupsWith(RoundToHalf<true>, values, count, group);
  } else {
    SumGroupsWith(RoundToHalf<false>, values, count, group);
  }
}

uint32_t BitsOfSum(VectorType type, float sum) {
  const uint32_t bits = sum == sum ? std::bit_cast<uint32_t>(sum) : kNan;
  return type == VectorType::kFp32 ? bits : Half(std::bit_cast<float>(bits)).bits;
}

int32_t RankOf(VectorType type, ReduceOp op, uint32_t bits) {
  const bool is_max = op == ReduceOp::kMax;
  if (type == VectorType::kFp32) {
    return is_max ? Rank<ReduceOp::kMax, VectorType::kFp32>(bits)
                  : Rank<ReduceOp::kMin, VectorType::kFp32>(bits);
  }
  return is_max ? Rank<ReduceOp::kMax, VectorType::kFp16>(bits)
                : Rank<ReduceOp::kMin, VectorType::kFp16>(bits);
}

void RankRepeat(VectorType type, ReduceOp op, const std::byte* lanes, int32_t* ranks) {
  op == ReduceOp::kMax ? RankRepeatBy<ReduceOp::kMax>(type, lanes, ranks)
                       : RankRepeatBy<ReduceOp::kMin>(type, lanes, ranks);
}

uint32_t BitsOfElement(VectorType type, ResultRange range, const std::byte* element) {
  uint32_t bits = 0;
  if (type == VectorType::kFp32) {
    std::memcpy(&bits, element, sizeof(bits));
    return bits;
  }
  Half half;
  std::memcpy(&half.bits, element, sizeof(half.bits));
  return range == ResultRange::kSaturated ? ToHalfSaturating(float(half)).bits : half.bits;
}

}  // namespace tilesim::isa
