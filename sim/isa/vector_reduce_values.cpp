#include "sim/isa/vector_reduce_values.h"

#include <bit>
#include <cstring>

#include "formats/half.h"

namespace tilesim::isa {
namespace {

constexpr uint32_t kMagnitudeOfFloat = 0x7fff'ffff;
constexpr uint32_t kInfinityOfFloat = 0x7f80'0000;
constexpr uint32_t kNanOfFloat = 0x7fc0'0000;

// The sum of two numbers of fp16 as the nearest one. It is exact where it is subnormal.
template <bool kSaturate>
float RoundToHalf(float sum) {
  constexpr uint32_t kBeyond = 0x4780'0000;  // 65536
  constexpr uint32_t kMost = 0x477f'e000;    // 65504
  const auto bits = std::bit_cast<uint32_t>(sum);
  const uint32_t exact = bits & kMagnitudeOfFloat;
  const uint32_t near = (exact + 0xfff + (exact >> 13 & 1)) & ~uint32_t{0x1fff};  // ties to even
  const uint32_t finite = near < kBeyond ? near : kSaturate ? kMost : kInfinityOfFloat;
  const uint32_t number = finite | (bits & ~kMagnitudeOfFloat);
  return std::bit_cast<float>(exact <= kInfinityOfFloat ? number : kSaturate ? 0 : kNanOfFloat);
}

// to[i] = from[2 * i] + from[2 * i + 1]; they lie apart, so that the compiler makes vectors of them.
template <class Round>
void SumPairs(const Round& round, const float* __restrict from, float* __restrict to, int64_t sums) {
  for (int64_t i = 0; i < sums; ++i) {
    to[i] = round(from[2 * i] + from[2 * i + 1]);
  }
}
template <class Round>
void SumGroupsWith(const Round& round, float* values, int64_t count, int64_t group) {
  float half_way[kMostLanes / 2];
  for (; group > 2; group /= 4, count /= 4) {
    SumPairs(round, values, half_way, count / 2);
    SumPairs(round, half_way, values, count / 4);
  }
  if (group == 2) {
    SumPairs(round, values, half_way, count / 2);
    std::memcpy(values, half_way, static_cast<size_t>(count / 2) * sizeof(float));
  }
}

// Ranks as RankOf has them.
struct Ranking {
  Ranking(VectorType type, ReduceOp op)
      : infinity(type == VectorType::kFp16 ? 0x7c00'0000 : kInfinityOfFloat),
        flipped(op == ReduceOp::kMax ? 0 : -1) {}
  [[nodiscard]] int32_t Of(uint32_t bits) const {
    const auto signed_bits = static_cast<int32_t>(bits);
    const int32_t rank = signed_bits ^ (signed_bits >> 31 & INT32_MAX);
    return (bits & kMagnitudeOfFloat) > infinity ? INT32_MAX : rank ^ flipped;
  }
  uint32_t infinity;
  int32_t flipped;  // bits
};

}  // namespace

void WidenRepeat(VectorType type, const HalfCasts& casts, const std::byte* lanes, float* values) {
  if (type == VectorType::kFp32) {
    std::memcpy(values, lanes, kMostLanes / 2 * sizeof(float));
  } else {
    casts.widen(lanes, reinterpret_cast<std::byte*>(values), {.count = kMostLanes});
  }
}

void SumGroups(VectorType type, ResultRange range, float* values, int64_t count, int64_t group) {
  if (type == VectorType::kFp32) {
    SumGroupsWith([](float sum) { return sum; }, values, count, group);
  } else if (range == ResultRange::kSaturated) {
    SumGroupsWith([](float sum) { return RoundToHalf<true>(sum); }, values, count, group);
  } else {
    SumGroupsWith([](float sum) { return RoundToHalf<false>(sum); }, values, count, group);
  }
}

void PutSums(VectorType type, const HalfCasts& casts, const float* sums, int64_t count, std::byte* elements) {
  uint32_t bits[kMostLanes / 2];
  std::memcpy(bits, sums, static_cast<size_t>(count) * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    bits[i] = (bits[i] & kMagnitudeOfFloat) > kInfinityOfFloat ? kNanOfFloat : bits[i];
  }
  if (type == VectorType::kFp32) {
    std::memcpy(elements, bits, static_cast<size_t>(count) * sizeof(float));
    return;
  }
  float numbers[kMostLanes / 2];
  std::memcpy(numbers, bits, static_cast<size_t>(count) * sizeof(float));
  casts.narrow(reinterpret_cast<const std::byte*>(numbers), elements, {.count = count});
}

int32_t RankOf(VectorType type, ReduceOp op, uint32_t bits) { return Ranking(type, op).Of(bits); }

void RankRepeat(VectorType type, ReduceOp op, const std::byte* lanes, int32_t* ranks) {
  const Ranking ranking(type, op);
  if (type == VectorType::kFp32) {
    uint32_t bits[kMostLanes / 2];
    std::memcpy(bits, lanes, sizeof(bits));
    for (int64_t i = 0; i < kMostLanes / 2; ++i) {
      ranks[i] = ranking.Of(bits[i]);
    }
    return;
  }
  uint16_t bits[kMostLanes];
  std::memcpy(bits, lanes, sizeof(bits));
  for (int64_t i = 0; i < kMostLanes; ++i) {
    ranks[i] = ranking.Of(uint32_t{bits[i]} << 16);
  }
}

int64_t FirstOfBest(const int32_t* ranks, int64_t count) {
  int32_t best = ranks[0];
  for (int64_t i = 1; i < count; ++i) {
    best = ranks[i] > best ? ranks[i] : best;
  }
  int64_t first = 0;
  while (ranks[first] != best) {
    ++first;
  }
  return first;
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
