#ifndef TILESIM_FORMATS_HALF_H_
#define TILESIM_FORMATS_HALF_H_

// The two 16-bit floating types, as plain classes without compiler extensions.
// Every conversion to 16 bits rounds once, to nearest even; subnormals, infinities and signed zeros are kept,
// a value beyond the largest finite one becomes an infinity, and a NaN stays a (quiet) NaN with the top bits
// of its payload, as the F16C instructions do. Arithmetic happens in float: of two Halves the result is
// rounded to a Half, as the scalar code of kernels has it; of BFloat16, and of a Half and a number of another
// type, it is a float, and storing it back rounds. Bulk conversions with the same bits are in
// formats/convert.h.

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tilesim {

namespace half_detail {

// float from double, rounded to odd: an inexact result has its last bit set, so rounding it again to at most
// 22 bits gives what rounding the double at once would.
constexpr float NarrowToOdd(double wide) {
  constexpr double kLargest = 3.4028234663852886e38;  // largest finite float
  if (!(wide <= kLargest && wide >= -kLargest)) {
    if (wide != wide) {
      const auto bits = std::bit_cast<uint64_t>(wide);
      return std::bit_cast<float>(static_cast<uint32_t>(bits >> 32 & 0x8000'0000u) | 0x7fc0'0000u |
                                  static_cast<uint32_t>(bits >> 29 & 0x003f'ffffu));
    }
    return std::bit_cast<float>(wide > 0 ? 0x7f80'0000u : 0xff80'0000u);
  }
  const auto near = static_cast<float>(wide);
  const double back = near;
  if (back == wide) {
    return near;
  }
  const auto bits = std::bit_cast<uint32_t>(near);
  const bool went_out = wide < 0 ? back < wide : back > wide;
  return std::bit_cast<float>((went_out ? bits - 1 : bits) | 1u);
}

// double from a whole number, rounded to odd (only numbers of 54 bits and more are inexact).
template <std::integral T>
constexpr double WidenToOdd(T whole) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(whole);
  } else {
    const bool negative = std::is_signed_v<T> && whole < T{};
    uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(whole) : static_cast<uint64_t>(whole);
    if (magnitude >> 53 != 0) {
      magnitude = (magnitude & ~uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800u : 0u);
    }
    const auto wide = static_cast<double>(magnitude);
    return negative ? -wide : wide;
  }
}

constexpr uint16_t HalfBits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fff'ffffu;
  if (magnitude >= 0x4780'0000u) {  // 65536 and beyond, infinity, NaN
    const bool is_nan = magnitude > 0x7f80'0000u;
    return static_cast<uint16_t>(sign | (is_nan ? 0x7e00u | (magnitude >> 13 & 0x1ffu) : 0x7c00u));
  }
  if (magnitude < 0x3880'0000u) {  // below 2^-14: adding 0.5 leaves the multiple of 2^-24 in the low bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f00'0000u));
  }
  const uint32_t odd = magnitude >> 13 & 1u;  // ties go to even: add just under half an ulp, or half of it
  return static_cast<uint16_t>(sign | (magnitude - 0x3800'0000u + 0xfffu + odd) >> 13);
}

constexpr float HalfValue(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t shifted = static_cast<uint32_t>(bits & 0x7fffu) << 13;
  if (shifted >= 0x0f80'0000u) {  // infinity, NaN
    return std::bit_cast<float>(sign | shifted | 0x7f80'0000u | (shifted > 0x0f80'0000u ? 0x0040'0000u : 0u));
  }
  if (shifted < 0x0080'0000u) {  // zero, subnormal: 2^-14 * (1 + m) - 2^-14
    const float value = std::bit_cast<float>(shifted + 0x3880'0000u) - 0x1p-14f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  return std::bit_cast<float>(sign | (shifted + 0x3800'0000u));
}

constexpr uint16_t BFloat16Bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fff'ffffu) > 0x7f80'0000u) {
    return static_cast<uint16_t>(bits >> 16 | 0x40u);
  }
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

constexpr float BFloat16Value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  return std::bit_cast<float>((wide & 0x7fff'ffffu) > 0x7f80'0000u ? wide | 0x0040'0000u : wide);
}

}  // namespace half_detail

// A number beside one of type T: a whole one beside a floating one is a float first.
template <class T, class U>
constexpr auto Beside(const U& value) {
  if constexpr (std::is_integral_v<U> && !std::is_integral_v<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

// IEEE 754 binary16: 1 sign, 5 exponent, 10 mantissa bits. Largest finite value 65504.
struct Half {
  uint16_t bits;

  constexpr Half() = default;
  constexpr Half(float value) : bits(half_detail::HalfBits(value)) {}
  constexpr Half(double value) : bits(half_detail::HalfBits(half_detail::NarrowToOdd(value))) {}
  template <std::integral T>
  constexpr Half(T value) : Half(half_detail::WidenToOdd(value)) {}

  constexpr operator float() const { return half_detail::HalfValue(bits); }

  static constexpr Half FromBits(uint16_t bits) {
    Half value{};
    value.bits = bits;
    return value;
  }

  constexpr Half& operator+=(Half other) { return *this = Half(float(*this) + float(other)); }
  constexpr Half& operator-=(Half other) { return *this = Half(float(*this) - float(other)); }
  constexpr Half& operator*=(Half other) { return *this = Half(float(*this) * float(other)); }
  constexpr Half& operator/=(Half other) { return *this = Half(float(*this) / float(other)); }
  // A number of another type is not rounded before.
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Half& operator+=(T other) { return *this = Half(float(*this) + Beside<float>(other)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Half& operator-=(T other) { return *this = Half(float(*this) - Beside<float>(other)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Half& operator*=(T other) { return *this = Half(float(*this) * Beside<float>(other)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Half& operator/=(T other) { return *this = Half(float(*this) / Beside<float>(other)); }
};

// Templates, so that no number of another type becomes a Half for them.
template <std::same_as<Half> T>
constexpr Half operator+(T x, T y) {
  return x += y;
}
template <std::same_as<Half> T>
constexpr Half operator-(T x, T y) {
  return x -= y;
}
template <std::same_as<Half> T>
constexpr Half operator*(T x, T y) {
  return x *= y;
}
template <std::same_as<Half> T>
constexpr Half operator/(T x, T y) {
  return x /= y;
}
template <std::same_as<Half> T>
constexpr Half operator-(T x) {
  return Half::FromBits(x.bits ^ 0x8000u);
}

// bfloat16: the upper half of a float. 1 sign, 8 exponent, 7 mantissa bits.
struct BFloat16 {
  uint16_t bits;

  constexpr BFloat16() = default;
  constexpr BFloat16(float value) : bits(half_detail::BFloat16Bits(value)) {}
  constexpr BFloat16(double value) : bits(half_detail::BFloat16Bits(half_detail::NarrowToOdd(value))) {}
  template <std::integral T>
  constexpr BFloat16(T value) : BFloat16(half_detail::WidenToOdd(value)) {}

  constexpr operator float() const { return half_detail::BFloat16Value(bits); }

  static constexpr BFloat16 FromBits(uint16_t bits) {
    BFloat16 value{};
    value.bits = bits;
    return value;
  }

  constexpr BFloat16& operator+=(BFloat16 other) { return *this = BFloat16(float(*this) + float(other)); }
  constexpr BFloat16& operator-=(BFloat16 other) { return *this = BFloat16(float(*this) - float(other)); }
  constexpr BFloat16& operator*=(BFloat16 other) { return *this = BFloat16(float(*this) * float(other)); }
  constexpr BFloat16& operator/=(BFloat16 other) { return *this = BFloat16(float(*this) / float(other)); }
};

inline constexpr Half kHalfMax = Half::FromBits(0x7bff);              // 65504
inline constexpr BFloat16 kBFloat16Max = BFloat16::FromBits(0x7f7f);  // 0x1.fep127

// The hardware's default (CTRL[48] = 0): what would become an infinity, or is one, becomes the largest finite
// value of that sign; a NaN becomes 0.
constexpr Half ToHalfSaturating(float value) {
  const Half near(value);
  const uint16_t magnitude = near.bits & 0x7fffu;
  if (magnitude > 0x7c00u) {
    return Half::FromBits(0);
  }
  return magnitude == 0x7c00u ? Half::FromBits(static_cast<uint16_t>((near.bits & 0x8000u) | kHalfMax.bits))
                              : near;
}

constexpr BFloat16 ToBFloat16Saturating(float value) {
  const BFloat16 near(value);
  const uint16_t magnitude = near.bits & 0x7fffu;
  if (magnitude > 0x7f80u) {
    return BFloat16::FromBits(0);
  }
  return magnitude == 0x7f80u
             ? BFloat16::FromBits(static_cast<uint16_t>((near.bits & 0x8000u) | kBFloat16Max.bits))
             : near;
}

template <class T>
inline constexpr bool kIs16Bit = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

}  // namespace tilesim

#endif  // TILESIM_FORMATS_HALF_H_
