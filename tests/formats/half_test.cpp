// The 16-bit types against independent makers of the same bits: Imath for fp16; for bf16 a search among all
// of its values by distance, which shares no step with the class.
#include "formats/half.h"

#include <Imath/half.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

static_assert(std::is_trivially_copyable_v<Half> && std::is_standard_layout_v<Half> && sizeof(Half) == 2);
static_assert(std::is_trivially_copyable_v<BFloat16> && std::is_standard_layout_v<BFloat16> &&
              sizeof(BFloat16) == 2);
static_assert(std::is_trivially_default_constructible_v<Half>);
static_assert(Half(1.0f).bits == 0x3c00 && BFloat16(1.0f).bits == 0x3f80,
              "conversions are constant expressions");
static_assert(Half(1e-7).bits == 0x0002 && float(Half::FromBits(0x0001)) == 0x1p-24f);

// All values of a 16-bit type from 0 to the largest finite one, then the power of two that comes next, as
// doubles. The index is the magnitude's bits, the last one infinity's.
template <class T>
std::vector<double> Magnitudes(uint16_t infinity_bits, double beyond) {
  std::vector<double> values;
  for (uint16_t bits = 0; bits < infinity_bits; ++bits) {
    values.push_back(static_cast<double>(float(T::FromBits(bits))));
  }
  values.push_back(beyond);
  return values;
}

std::vector<double> BFloat16Magnitudes() {
  std::vector<double> values;
  for (int bits = 0; bits <= 0x7f80; ++bits) {  // exponent and mantissa by their definition, not by a shift
    const int exponent = bits / 128;
    const double mantissa = bits % 128;
    values.push_back(exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(128 + mantissa, exponent - 134));
  }
  return values;
}

// The bits of the value nearest to `value`, ties to the even index.
uint16_t NearestBits(const std::vector<double>& magnitudes, double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (magnitude >= magnitudes.back()) {
    return static_cast<uint16_t>(sign | (magnitudes.size() - 1));
  }
  const size_t above = static_cast<size_t>(std::upper_bound(magnitudes.begin(), magnitudes.end(), magnitude) -
                                           magnitudes.begin());
  const size_t below = above - 1;
  const double to_below = magnitude - magnitudes[below];
  const double to_above = magnitudes[above] - magnitude;
  const bool up = to_above < to_below || (to_above == to_below && above % 2 == 0);
  return static_cast<uint16_t>(sign | (up ? above : below));
}

TEST(Half, EveryDecodeEqualsImath) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    Imath::half independent;
    independent.setBits(static_cast<uint16_t>(bits));
    const float ours = Half::FromBits(static_cast<uint16_t>(bits));
    const float theirs = independent;
    if (std::isnan(theirs)) {
      const uint32_t wide = std::bit_cast<uint32_t>(ours);
      ASSERT_TRUE(std::isnan(ours)) << bits;
      ASSERT_TRUE((wide & 0x0040'0000u) != 0) << "NaN is not quiet: " << bits;
      ASSERT_EQ(wide >> 31, bits >> 15) << bits;
      ASSERT_EQ(wide >> 13 & 0x1ff, bits & 0x1ff) << "payload: " << bits;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(ours), std::bit_cast<uint32_t>(theirs)) << bits;
    }
  }
}

void ExpectEncodesAsImath(float value) {
  const Half ours(value);
  if (std::isnan(value)) {
    ASSERT_TRUE((ours.bits & 0x7c00) == 0x7c00 && (ours.bits & 0x0200) != 0)
        << std::bit_cast<uint32_t>(value);
    return;
  }
  ASSERT_EQ(ours.bits, Imath::half(value).bits()) << value << " = " << std::bit_cast<uint32_t>(value);
}

TEST(Half, EncodesEveryHalfAndEveryPointAroundHalfwayAsImath) {
  const std::vector<double> magnitudes = Magnitudes<Half>(0x7c00, 65536.0);
  for (size_t i = 0; i + 1 < magnitudes.size(); ++i) {
    const float middle =
        static_cast<float>((magnitudes[i] + magnitudes[i + 1]) / 2);  // 12 bits: exact in float
    for (const float near : {static_cast<float>(magnitudes[i]), middle}) {
      for (const float value : {near, std::nextafter(near, kInf), std::nextafter(near, -kInf)}) {
        ExpectEncodesAsImath(value);
        ExpectEncodesAsImath(-value);
        ASSERT_EQ(Half(value).bits, NearestBits(magnitudes, value)) << value;
      }
    }
  }
}

TEST(Half, EncodesSeventyMillionFloatsAsImath) {
  constexpr uint64_t kStep = 61;  // odd and prime: meets every pattern of low bits in every exponent
  for (uint64_t bits = 0; bits <= 0xffff'ffffu; bits += kStep) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const Half ours(value);
    if (ours.bits != Imath::half(value).bits()) {
      ASSERT_NO_FATAL_FAILURE(ExpectEncodesAsImath(value));
    }
  }
}

TEST(Half, RoundsADoubleOnceWhereGoingThroughFloatWouldRoundTwice) {
  const std::vector<double> magnitudes = Magnitudes<Half>(0x7c00, 65536.0);
  for (size_t i = 0; i + 1 < magnitudes.size(); ++i) {
    const double middle = (magnitudes[i] + magnitudes[i + 1]) / 2;
    for (const double value : {middle, std::nextafter(middle, 1e9), std::nextafter(middle, 0.0)}) {
      ASSERT_EQ(Half(value).bits, NearestBits(magnitudes, value)) << i;
      ASSERT_EQ(Half(-value).bits, NearestBits(magnitudes, -value)) << i;
    }
  }
  EXPECT_EQ(Half(1e300).bits, 0x7c00);
  EXPECT_EQ(Half(-1e300).bits, 0xfc00);
  EXPECT_EQ(Half(1e-300).bits, 0x0000);
  EXPECT_EQ(Half(-1e-300).bits, 0x8000);
  EXPECT_EQ(Half(std::numeric_limits<double>::quiet_NaN()).bits & 0x7e00, 0x7e00);
}

TEST(Half, TakesWholeNumbersOfEveryWidth) {
  EXPECT_EQ(Half(0).bits, 0x0000);
  EXPECT_EQ(float(Half(-7)), -7.0f);
  EXPECT_EQ(float(Half(uint8_t{255})), 255.0f);
  EXPECT_EQ(float(Half(2049)), 2048.0f);
  EXPECT_EQ(float(Half(2051)), 2052.0f);
  EXPECT_EQ(float(Half(std::numeric_limits<int64_t>::min())), -kInf);
  EXPECT_EQ(float(Half(std::numeric_limits<uint64_t>::max())), kInf);
}

TEST(Half, ConvertsAsTheKernelsUseIt) {
  Half x = 1.0f;
  const Half y(0);
  float f = x;
  EXPECT_EQ(f, 1.0f);
  EXPECT_FALSE(x == y);
  EXPECT_TRUE(x > y);
  EXPECT_EQ(x + y, 1.0f);
  EXPECT_EQ(-x, -1.0f);
  EXPECT_EQ(x * 3, 3.0f);
  x += 0.0004f;  // below half an ulp of 1
  EXPECT_EQ(x.bits, 0x3c00);
  x += Half(0.0005);
  EXPECT_EQ(x.bits, 0x3c01);
  x -= 1;
  x *= Half(1024);
  x /= 2;
  EXPECT_EQ(float(x), 0.5f);
  EXPECT_EQ(static_cast<int>(Half(3.75)), 3);
  EXPECT_EQ(static_cast<double>(BFloat16(Half(0.5))), 0.5);
}

TEST(BFloat16, EveryDecodeIsItsDefinition) {
  const std::vector<double> magnitudes = BFloat16Magnitudes();
  for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
    ASSERT_EQ(float(BFloat16::FromBits(static_cast<uint16_t>(bits))), magnitudes[bits]) << bits;
    ASSERT_EQ(float(BFloat16::FromBits(static_cast<uint16_t>(bits | 0x8000))), -magnitudes[bits]) << bits;
  }
  EXPECT_EQ(float(BFloat16::FromBits(0x7f80)), kInf);
  EXPECT_EQ(float(BFloat16::FromBits(0xff80)), -kInf);
  for (uint32_t bits = 0x7f81; bits <= 0x7fff; ++bits) {
    const uint32_t wide = std::bit_cast<uint32_t>(float(BFloat16::FromBits(static_cast<uint16_t>(bits))));
    ASSERT_GE(wide, 0x7fc0'0000u) << "NaN is not quiet: " << bits;
    ASSERT_EQ(wide >> 16 & 0x3f, bits & 0x3f) << "payload: " << bits;
  }
}

TEST(BFloat16, EncodesEveryPointAroundHalfwayToTheNearest) {
  const std::vector<double> magnitudes = BFloat16Magnitudes();
  for (size_t i = 0; i + 1 < magnitudes.size(); ++i) {
    const double middle = (magnitudes[i] + magnitudes[i + 1]) / 2;
    for (const double near : {magnitudes[i], middle}) {
      const float narrow = static_cast<float>(near);  // 9 bits: exact
      for (const float value : {narrow, std::nextafter(narrow, kInf), std::nextafter(narrow, -kInf)}) {
        ASSERT_EQ(BFloat16(value).bits, NearestBits(magnitudes, value)) << value;
        ASSERT_EQ(BFloat16(-value).bits, NearestBits(magnitudes, -value)) << value;
      }
      for (const double value : {std::nextafter(near, 1e300), std::nextafter(near, 0.0)}) {
        ASSERT_EQ(BFloat16(value).bits, NearestBits(magnitudes, value)) << value;
      }
    }
  }
}

TEST(BFloat16, EncodesTenMillionFloatsToTheNearest) {
  const std::vector<double> magnitudes = BFloat16Magnitudes();
  const uint64_t step = 419 * TestPart() | 1;  // odd, so that every bit is met
  for (uint64_t bits = 0; bits <= 0xffff'ffffu; bits += step) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(value)) {
      ASSERT_GE(BFloat16(value).bits & 0x7fff, 0x7fc0) << bits;
    } else {
      ASSERT_EQ(BFloat16(value).bits, NearestBits(magnitudes, value)) << bits;
    }
  }
}

TEST(Half, OfTwoArithmeticIsRoundedAndOfAnotherNumberItIsAFloat) {
  const Half x(-11);
  const Half y(6);
  static_assert(std::is_same_v<decltype(x / y), Half> && std::is_same_v<decltype(-x), Half>);
  static_assert(std::is_same_v<decltype(x * 2.0f), float> && std::is_same_v<decltype(2 - x), float>);
  EXPECT_EQ((x / y).bits, Half(-11.0f / 6.0f).bits);
  EXPECT_NE(float(x / y), -11.0f / 6.0f);
  EXPECT_EQ(x * float(y), -66.0f);
  EXPECT_EQ(float(x + y), -5.0f);
  EXPECT_EQ(float(x - y), -17.0f);
  EXPECT_EQ(float(Half(2049) * Half(3)), float(Half(6144)));  // 2049 is 2048 as a Half
  EXPECT_EQ((-Half::FromBits(0x0000)).bits, 0x8000);
  Half product = Half(0.881348f);
  product *= 1.06291819f;  // rounded once
  EXPECT_EQ(product.bits, Half(Half(0.881348f) * 1.06291819f).bits);
  EXPECT_NE(product.bits, (Half(0.881348f) * Half(1.06291819f)).bits);
}

TEST(BFloat16, RoundsLargeWholeNumbersOnce) {
  const int64_t tie = (int64_t{1} << 60) + (int64_t{1} << 52);  // half way between neighbours 2^53 apart
  EXPECT_EQ(float(BFloat16(tie)), 0x1p60f);
  EXPECT_EQ(float(BFloat16(tie + 1)), 0x1.02p60f);
  EXPECT_EQ(float(BFloat16(-tie - 1)), -0x1.02p60f);
  EXPECT_EQ(float(BFloat16(tie - 1)), 0x1p60f);
  EXPECT_EQ(float(BFloat16(std::numeric_limits<uint64_t>::max())), 0x1p64f);
}

TEST(Saturating, GivesTheLargestFiniteValueForInfinityAndZeroForNan) {
  EXPECT_EQ(ToHalfSaturating(65519.0f).bits, 0x7bff);
  EXPECT_EQ(ToHalfSaturating(65520.0f).bits, 0x7bff);
  EXPECT_EQ(ToHalfSaturating(-1e10f).bits, 0xfbff);
  EXPECT_EQ(ToHalfSaturating(-kInf).bits, 0xfbff);
  EXPECT_EQ(ToHalfSaturating(kNan).bits, 0x0000);
  EXPECT_EQ(ToHalfSaturating(-kNan).bits, 0x0000);
  EXPECT_EQ(ToHalfSaturating(1.5f).bits, Half(1.5f).bits);
  EXPECT_EQ(ToBFloat16Saturating(kInf).bits, 0x7f7f);
  EXPECT_EQ(ToBFloat16Saturating(-std::numeric_limits<float>::max()).bits, 0xff7f);
  EXPECT_EQ(ToBFloat16Saturating(kNan).bits, 0x0000);
  EXPECT_EQ(ToBFloat16Saturating(-2.0f).bits, BFloat16(-2.0f).bits);
}

}  // namespace
}  // namespace tilesim
