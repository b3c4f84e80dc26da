// Bits of whole numbers, by the scalar unit. The time is that of the program around them: none.
#pragma once

#include <bit>
#include <cstdint>

namespace AscendC {

// How many bits of the value are `countValue`.
template <int countValue>
constexpr int64_t GetBitCount(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "a bit is 0 or 1");
  return std::popcount(countValue == 1 ? valueIn : ~valueIn);
}
// Zeros above the highest 1; of 0 all 64.
constexpr int64_t CountLeadingZero(uint64_t valueIn) { return std::countl_zero(valueIn); }
// How many bits behind the sign are as the sign, in a row. Of 0 and -1: -1.
constexpr int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  const uint64_t differing = static_cast<uint64_t>(valueIn < 0 ? ~valueIn : valueIn);
  return differing == 0 ? -1 : std::countl_zero(differing) - 1;
}
// The number of the lowest bit that is `countValue`; -1 where there is none.
template <int countValue>
constexpr int64_t GetSFFValue(uint64_t valueIn) {
  static_assert(countValue == 0 || countValue == 1, "a bit is 0 or 1");
  const uint64_t bits = countValue == 1 ? valueIn : ~valueIn;
  return bits == 0 ? -1 : std::countr_zero(bits);
}

// Their old names.
template <int countValue>
constexpr int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  return GetBitCount<countValue>(valueIn);
}
constexpr int64_t ScalarCountLeadingZero(uint64_t valueIn) { return CountLeadingZero(valueIn); }
template <int countValue>
constexpr int64_t ScalarGetSFFValue(uint64_t valueIn) {
  return GetSFFValue<countValue>(valueIn);
}

}  // namespace AscendC
