// Conversions between element types with a rounding mode (the table of arch 2201). Knows no vectors.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "formats/half.h"
#include "sim/isa/cast_rule.h"

namespace tilesim::isa {

// The whole number next to `value` as `round` says; kOdd does not occur. Zero is +0, other than in IEEE 754.
inline double RoundToWhole(double value, Round round) {
  const double whole = round == Round::kFloor   ? std::floor(value)
                       : round == Round::kCeil  ? std::ceil(value)
                       : round == Round::kRound ? std::round(value)
                       : round == Round::kTrunc ? std::trunc(value)
                                                : std::nearbyint(value);
  return whole + 0.0;  // -0 + 0 is +0
}

// `whole` in type T; the nearest T where it is out of range, 0 for NaN.
template <class T>
T Saturated(double whole) {
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::min());
  constexpr auto kMost =
      static_cast<double>(std::numeric_limits<T>::max());  // of int64: one more than there is
  if (!(whole > kLeast)) {
    return whole != whole ? T{0} : std::numeric_limits<T>::min();
  }
  return whole >= kMost ? std::numeric_limits<T>::max() : static_cast<T>(whole);
}

// The low bits of `whole` as a T; 0 for infinity and NaN.
template <class T>
T LowBits(double whole) {
  if (!std::isfinite(whole)) {
    return 0;
  }
  const double rest = std::fmod(whole, 0x1p64);  // exact
  const auto magnitude = static_cast<uint64_t>(std::fabs(rest));
  return static_cast<T>(rest < 0 ? uint64_t{0} - magnitude : magnitude);
}

namespace cast_detail {

// Of a magnitude between two neighbours: the lower, or the upper one?
inline bool TakesUpper(Round round, bool negative, bool nearest_is_upper, bool at_least_half,
                       bool lower_odd) {
  return round == Round::kFloor   ? negative
         : round == Round::kCeil  ? !negative
         : round == Round::kRound ? at_least_half
         : round == Round::kTrunc ? false
         : round == Round::kOdd   ? !lower_odd
                                  : nearest_is_upper;
}

// What a 16-bit float of these bits counts as where infinity stands for the number after the largest one.
template <class T>
double Reach(uint16_t bits) {
  constexpr bool kHalf = std::is_same_v<T, Half>;
  constexpr uint16_t kInfinity = kHalf ? 0x7c00 : 0x7f80;
  return bits == kInfinity ? std::ldexp(1.0, kHalf ? 16 : 128)
                           : static_cast<double>(float(T::FromBits(bits)));
}

}  // namespace cast_detail

// `value` as Half or BFloat16. `saturate`: beyond the type becomes the largest finite value, NaN becomes 0.
template <class T>
T RoundTo16Bits(float value, Round round, bool saturate) {
  constexpr uint16_t kInfinity = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
  const T nearest(value);
  const auto near = static_cast<uint16_t>(nearest.bits & 0x7fffu);
  const bool negative = (nearest.bits & 0x8000u) != 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  uint16_t bits = near;
  if (std::isfinite(value) && (near == kInfinity || cast_detail::Reach<T>(near) != magnitude)) {
    const bool upper_is_near = near == kInfinity || cast_detail::Reach<T>(near) > magnitude;
    const auto lower = static_cast<uint16_t>(upper_is_near ? near - 1 : near);
    const auto upper = static_cast<uint16_t>(lower + 1);
    const double middle = (cast_detail::Reach<T>(lower) + cast_detail::Reach<T>(upper)) / 2;
    const bool up =
        cast_detail::TakesUpper(round, negative, upper_is_near, magnitude >= middle, (lower & 1) != 0);
    bits = up ? upper : lower;
  }
  if (saturate && bits >= kInfinity) {
    bits = static_cast<uint16_t>(bits == kInfinity ? kInfinity - 1 : 0);
    return T::FromBits(bits == 0 ? uint16_t{0} : static_cast<uint16_t>(bits | (negative ? 0x8000u : 0u)));
  }
  return T::FromBits(static_cast<uint16_t>(bits | (negative ? 0x8000u : 0u)));
}

inline float RoundToFloat(int64_t value, Round round) {
  const bool negative = value < 0;
  const uint64_t magnitude =
      negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  auto near = static_cast<float>(magnitude);
  const auto back = static_cast<uint64_t>(near);  // 2^63 at most
  if (back != magnitude) {
    const bool upper_is_near = back > magnitude;
    const uint32_t lower = std::bit_cast<uint32_t>(near) - (upper_is_near ? 1 : 0);
    const auto low = static_cast<uint64_t>(std::bit_cast<float>(lower));
    const auto high = static_cast<uint64_t>(std::bit_cast<float>(lower + 1));
    const bool up = cast_detail::TakesUpper(round, negative, upper_is_near,
                                            magnitude >= low + (high - low) / 2, (lower & 1) != 0);
    near = std::bit_cast<float>(lower + (up ? 1U : 0U));
  }
  return negative ? -near : near;
}

template <class To, class From>
To CastElement(From value, const CastRule& rule) {
  constexpr bool kFromWhole = std::is_integral_v<From>;
  if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, int32_t>) {
    constexpr double kShift = 131072.0;  // 2^17
    const double scaled = static_cast<double>(value) / kShift * static_cast<double>(rule.deq_scale) * kShift;
    return RoundTo16Bits<Half>(half_detail::NarrowToOdd(scaled), Round::kRint, rule.saturate);
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return RoundTo16Bits<To>(static_cast<float>(value), rule.round, rule.saturate);
  } else if constexpr (std::is_same_v<To, float> && kFromWhole) {
    return RoundToFloat(value, rule.round);
  } else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, float>) {
    return static_cast<float>(RoundToWhole(value, rule.round));
  } else if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(value);
  } else if constexpr (kFromWhole) {
    return static_cast<To>(rule.wrap ? value
                                     : std::clamp<int64_t>(value, std::numeric_limits<To>::min(),
                                                           std::numeric_limits<To>::max()));
  } else {
    const double whole = RoundToWhole(static_cast<double>(float(value)), rule.round);
    return rule.wrap ? LowBits<To>(whole) : Saturated<To>(whole);
  }
}

}  // namespace tilesim::isa
