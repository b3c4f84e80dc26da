// The bulk conversions against the scalar classes, on every instruction set this machine has.
#include "formats/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <stdexcept>
#include <vector>

#include "tests/formats/every_target.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

template <class T>
void ExpectDecodesLikeTheClass() {
  std::vector<T> src(0x10000);
  for (size_t i = 0; i < src.size(); ++i) {
    src[i] = T::FromBits(static_cast<uint16_t>(i));
  }
  std::vector<float> dst(src.size());
  ConvertElements(std::span<const T>(src), std::span(dst));
  for (size_t i = 0; i < src.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(dst[i]), std::bit_cast<uint32_t>(float(src[i]))) << i;
  }
}

// Floats `first`, `first + step`, ... of all 2^32.
template <class T>
void ExpectEncodesLikeTheClass(uint64_t first, uint64_t step, size_t count) {
  std::vector<float> src(count);
  for (size_t i = 0; i < count; ++i) {
    src[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i * step));
  }
  std::vector<T> dst(count);
  ConvertElements(std::span<const float>(src), std::span(dst));
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(dst[i].bits, T(src[i]).bits) << std::bit_cast<uint32_t>(src[i]);
  }
}

template <class T>
class Convert : public testing::Test {};
using SixteenBitTypes = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(Convert, SixteenBitTypes);

TYPED_TEST(Convert, DecodesAllLikeTheClassOnEveryTarget) {
  OnEveryTarget(ExpectDecodesLikeTheClass<TypeParam>);
}

TYPED_TEST(Convert, EncodesAroundEveryHalfwayPointLikeTheClassOnEveryTarget) {
  OnEveryTarget([] {
    // A tie of fp16 is a multiple of 2^12 in the bits of a normal float, one of bf16 a multiple of 2^15.
    for (const uint64_t low : {0x0000u, 0x0fffu, 0x1001u}) {
      ASSERT_NO_FATAL_FAILURE(ExpectEncodesLikeTheClass<TypeParam>(low, 0x1000, size_t{1} << 20));
    }
  });
}

TYPED_TEST(Convert, EncodesMillionsLikeTheClassOnEveryTarget) {
  OnEveryTarget([] {
    const uint64_t step = 1021 * TestPart() | 1;  // odd, so that every bit is met
    ASSERT_NO_FATAL_FAILURE(ExpectEncodesLikeTheClass<TypeParam>(0, step, (uint64_t{1} << 32) / step));
    ASSERT_NO_FATAL_FAILURE(
        ExpectEncodesLikeTheClass<TypeParam>(0x3300'0000, 17, 1 << 20));  // fp16's smallest
    ASSERT_NO_FATAL_FAILURE(ExpectEncodesLikeTheClass<TypeParam>(0x7f70'0000, 3, 1 << 20));  // infinity, NaN
  });
}

TYPED_TEST(Convert, KeepsToTheCountWhateverItsRemainder) {
  OnEveryTarget([] {
    for (size_t count = 0; count <= 70; ++count) {
      std::vector<float> src(count + 1, 3.0f);
      std::vector<TypeParam> narrow(count + 1, TypeParam(-9));
      std::vector<float> wide(count + 1, -9.0f);
      ConvertElements(std::span<const float>(src).first(count), std::span(narrow).first(count));
      ConvertElements(std::span<const TypeParam>(narrow).first(count), std::span(wide).first(count));
      for (size_t i = 0; i <= count; ++i) {
        ASSERT_EQ(float(narrow[i]), i < count ? 3.0f : -9.0f) << i << " of " << count;
        ASSERT_EQ(wide[i], i < count ? 3.0f : -9.0f) << i << " of " << count;
      }
    }
  });
}

TYPED_TEST(Convert, RefusesSpansOfDifferentLength) {
  std::vector<float> three(3);
  std::vector<TypeParam> two(2);
  EXPECT_THROW(ConvertElements(std::span<const float>(three), std::span(two)), std::logic_error);
  EXPECT_THROW(ConvertElements(std::span<const TypeParam>(two), std::span(three)), std::logic_error);
}

}  // namespace
}  // namespace tilesim
