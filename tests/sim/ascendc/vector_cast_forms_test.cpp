// Cast and Floor as kernels call them: every pair of types, every form, every way to round.
#include <array>
#include <limits>

#include "tests/sim/ascendc/vector_forms.h"

namespace tilesim {
namespace {

using namespace AscendC;

// A small whole number in another type; the nearest one where that has no such number.
template <class To, class From>
To Converted(From from, int factor = 1) {
  const double number = static_cast<double>(from) * factor;
  if constexpr (std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    return static_cast<To>(std::clamp(number, double(Limits::min()), double(Limits::max())));
  } else {
    return static_cast<To>(static_cast<float>(number));
  }
}

template <class To, class From>
void ExpectCast(RoundMode mode, int scale = 1) {
  ExpectForms<To, From>(
      "Cast", kAllForms,
      [&](auto& dst, auto& a, auto&, auto count) {
        SetDeqScale(half(static_cast<float>(scale)));
        Cast(dst, a, mode, static_cast<uint32_t>(count));
      },
      [&](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        SetDeqScale(half(static_cast<float>(scale)));
        Cast<To, From, decltype(sets)::value>(dst, a, mode, mask, repeats, OfOne(strides));
      },
      [&](From a, const auto&...) { return Converted<To>(a, scale); });
}

// All pairs but the two of int4, whose elements are no bytes: below.
TEST(VectorCastForms, CastWholeNumbers) {
  ExpectCast<half, int8_t>(RoundMode::CAST_NONE);
  ExpectCast<half, uint8_t>(RoundMode::CAST_NONE);
  ExpectCast<half, int16_t>(RoundMode::CAST_NONE);
  ExpectCast<float, int16_t>(RoundMode::CAST_NONE);
  ExpectCast<int16_t, int32_t>(RoundMode::CAST_NONE);
  ExpectCast<half, int32_t>(RoundMode::CAST_NONE, 3);
  ExpectCast<float, int32_t>(RoundMode::CAST_NONE);
  ExpectCast<int64_t, int32_t>(RoundMode::CAST_NONE);
  ExpectCast<int32_t, int64_t>(RoundMode::CAST_NONE);
  ExpectCast<float, int64_t>(RoundMode::CAST_RINT);
}

TEST(VectorCastForms, CastNumbersOf16BitFloats) {
  ExpectCast<int8_t, half>(RoundMode::CAST_NONE);
  ExpectCast<uint8_t, half>(RoundMode::CAST_NONE);
  ExpectCast<int16_t, half>(RoundMode::CAST_RINT);
  ExpectCast<int32_t, half>(RoundMode::CAST_CEIL);
  ExpectCast<float, half>(RoundMode::CAST_NONE);
  ExpectCast<int32_t, bfloat16_t>(RoundMode::CAST_TRUNC);
  ExpectCast<float, bfloat16_t>(RoundMode::CAST_NONE);
}

TEST(VectorCastForms, CastNumbersOfFp32) {
  ExpectCast<int16_t, float>(RoundMode::CAST_ROUND);
  ExpectCast<int32_t, float>(RoundMode::CAST_FLOOR);
  ExpectCast<int64_t, float>(RoundMode::CAST_RINT);
  ExpectCast<float, float>(RoundMode::CAST_FLOOR);
  ExpectCast<bfloat16_t, float>(RoundMode::CAST_RINT);
  ExpectCast<half, float>(RoundMode::CAST_ODD);
}

constexpr int kNumbers = 8;
using Row = std::array<double, kNumbers>;
struct Rounded {
  RoundMode mode;
  Row to;
};
constexpr Row kNumbersToRound = {-2.5, -1.5, -0.75, -0.5, 0.25, 0.5, 1.5, 2.5};
constexpr Rounded kToWhole[] = {
    {RoundMode::CAST_RINT, {-2, -2, -1, 0, 0, 0, 2, 2}},
    {RoundMode::CAST_FLOOR, {-3, -2, -1, -1, 0, 0, 1, 2}},
    {RoundMode::CAST_CEIL, {-2, -1, 0, 0, 1, 1, 2, 3}},
    {RoundMode::CAST_ROUND, {-3, -2, -1, -1, 0, 1, 2, 3}},
    {RoundMode::CAST_TRUNC, {-2, -1, 0, 0, 0, 0, 1, 2}},
};
// As steps of the narrower type, from a positive number of it whose last bit is 0.
constexpr Rounded kToSteps[] = {
    {RoundMode::CAST_RINT, {-2, -2, -1, 0, 0, 0, 2, 2}},
    {RoundMode::CAST_FLOOR, {-3, -2, -1, -1, 0, 0, 1, 2}},
    {RoundMode::CAST_CEIL, {-2, -1, 0, 0, 1, 1, 2, 3}},
    {RoundMode::CAST_ROUND, {-2, -1, -1, 0, 0, 1, 2, 3}},  // halves away from zero: up
    {RoundMode::CAST_TRUNC, {-3, -2, -1, -1, 0, 0, 1, 2}},
};
constexpr Row kToEven = {-2, -2, -1, 0, 0, 0, 2, 2};  // CAST_NONE
constexpr Row kToOdd = {-3, -1, -1, -1, 1, 1, 1, 3};

// Casts begin + step * each number, in a form with a count and in one with a mask.
template <class To, class From>
void ExpectRounded(const Rounded& rounded, double begin = 0, double step = 1) {
  EXPECT_EQ(FaultsOn([&] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 4096);
              const LocalTensor<From> from = buffer.Get<From>();
              const LocalTensor<To> counted = buffer.Get<To>()[1024 / sizeof(To)];
              const LocalTensor<To> masked = buffer.Get<To>()[2048 / sizeof(To)];
              for (uint32_t i = 0; i < kNumbers; ++i) {
                const double number = begin + step * kNumbersToRound[i];
                if constexpr (std::is_integral_v<From>) {
                  from.SetValue(i, static_cast<From>(number));
                } else {
                  from.SetValue(i, From(static_cast<float>(number)));
                }
              }
              Cast(counted, from, rounded.mode, kNumbers);
              Cast(masked, from, rounded.mode, uint64_t{kNumbers}, 1, UnaryRepeatParams());
              for (uint32_t i = 0; i < kNumbers; ++i) {
                const double expected = begin + step * rounded.to[i];
                EXPECT_EQ(static_cast<double>(counted.GetValue(i)), expected) << i;
                EXPECT_EQ(static_cast<double>(masked.GetValue(i)), expected) << i;
              }
            }),
            "")
      << "mode " << static_cast<int>(rounded.mode);
}

TEST(VectorCastForms, RoundToWholeNumbersAsTold) {
  for (const Rounded& rounded : kToWhole) {
    ExpectRounded<int8_t, half>(rounded);
    ExpectRounded<int16_t, half>(rounded);
    ExpectRounded<int32_t, half>(rounded);
    ExpectRounded<int32_t, bfloat16_t>(rounded);
    ExpectRounded<int16_t, float>(rounded);
    ExpectRounded<int32_t, float>(rounded);
    ExpectRounded<int64_t, float>(rounded);
    ExpectRounded<float, float>(rounded);
  }
  ExpectRounded<int8_t, half>({RoundMode::CAST_NONE, kToEven});
}

TEST(VectorCastForms, RoundToFewerBitsAsTold) {
  std::vector<Rounded> modes(std::begin(kToSteps), std::end(kToSteps));
  for (const Rounded& rounded : modes) {
    ExpectRounded<bfloat16_t, float>(rounded, 640, 4);
    ExpectRounded<float, int64_t>(rounded, 0x1.01p40, 0x1p17);
  }
  modes.push_back({RoundMode::CAST_NONE, kToEven});
  for (const Rounded& rounded : modes) {
    ExpectRounded<uint8_t, half>(rounded, 40);
    ExpectRounded<half, int16_t>(rounded, 4352, 4);
    ExpectRounded<half, float>(rounded, 4352, 4);
    ExpectRounded<float, int32_t>(rounded, 0x1.1p25, 4);
  }
  ExpectRounded<half, float>({RoundMode::CAST_ODD, kToOdd}, 4352, 4);
}

TEST(VectorCastForms, ScaleInt32ByWhatSetDeqScaleSetLast) {
  const auto kernel = [](bool set) {
    return [set] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      const LocalTensor<int32_t> numbers = Part<int32_t>(buffer, 0);
      const LocalTensor<half> scaled = Part<half>(buffer, 2);
      ArithProgression(numbers, -3, 2, 64);
      if (set) {
        SetDeqScale(half(8.0F));
        SetDeqScale(half(0.5F));
      }
      Cast(scaled, numbers, RoundMode::CAST_NONE, 64);
      EXPECT_EQ(float(scaled.GetValue(0)), -1.5F);
      EXPECT_EQ(float(scaled.GetValue(63)), 61.5F);
    };
  };
  EXPECT_EQ(FaultsOn(kernel(true)), "");
  ExpectSays(FaultsOn(kernel(false)), "int32 to fp16 needs a scale; call SetDeqScale first");
}

// Two numbers a byte, the first in the low bits; 128 a repeat, which are two data blocks of them.
TEST(VectorCastForms, CastFourBitNumbers) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 8192);
              const LocalTensor<uint8_t> bytes = Part<uint8_t>(buffer, 0);
              const LocalTensor<int4b_t> fours = bytes.ReinterpretCast<int4b_t>();
              const LocalTensor<half> numbers = Part<half>(buffer, 2);
              const UnaryRepeatParams widen(1, 1, 8, 2);
              const UnaryRepeatParams narrow(1, 1, 2, 8);
              Duplicate(bytes.ReinterpretCast<uint16_t>(), uint16_t{0xF37A}, 128);
              Duplicate(numbers, half(9.0F), 512);
              Cast(numbers, fours, RoundMode::CAST_NONE, 16);
              const float expected[] = {-6.0F, 7.0F, 3.0F, -1.0F};
              for (uint32_t i = 0; i < 17; ++i) {
                EXPECT_EQ(float(numbers.GetValue(i)), i < 16 ? expected[i % 4] : 9.0F) << i;
              }
              uint64_t bits[2] = {0xFFF, 0};
              Cast(numbers[128], fours, RoundMode::CAST_NONE, bits, 2, widen);
              for (uint32_t i = 128; i < 384; ++i) {
                EXPECT_EQ(float(numbers.GetValue(i)), i % 128 < 12 ? expected[i % 4] : 9.0F) << i;
              }
              Duplicate(numbers, half(-2.5F), 256);
              Cast(fours, numbers, RoundMode::CAST_FLOOR, 4);
              EXPECT_EQ(bytes.GetValue(1), 0xDD);
              EXPECT_EQ(bytes.GetValue(2), 0x7A);
              Cast(fours, numbers, RoundMode::CAST_TRUNC, uint64_t{2}, 2, narrow);
              EXPECT_EQ(bytes.GetValue(0), 0xEE);
              EXPECT_EQ(bytes.GetValue(1), 0xDD);
              EXPECT_EQ(bytes.GetValue(64), 0xEE);
              EXPECT_EQ(bytes.GetValue(65), 0xF3);
              Cast(fours, numbers, RoundMode::CAST_ROUND, bits, 1, narrow);
              EXPECT_EQ(bytes.GetValue(5), 0xDD);
              EXPECT_EQ(bytes.GetValue(6), 0x7A);
            }),
            "");
}

template <class T>
void ExpectFloor() {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 8192);
              const LocalTensor<T> numbers = Part<T>(buffer, 0);
              const LocalTensor<T> floors = Part<T>(buffer, 1);
              const LocalTensor<uint8_t> scratch = Part<uint8_t>(buffer, 15);
              ArithProgression(numbers, T(-2.5F), T(0.25F), 100);
              for (const bool with_scratch : {false, true}) {
                Duplicate(floors, T(9.0F), 128);
                if (with_scratch) {
                  Floor<T, false>(floors, numbers, scratch, 100);
                } else {
                  Floor(floors, numbers, 100);
                }
                const float expected[] = {-3, -3, -2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1};
                for (uint32_t i = 0; i < std::size(expected); ++i) {
                  EXPECT_EQ(float(floors.GetValue(i)), expected[i]) << with_scratch << " " << i;
                }
                EXPECT_EQ(float(floors.GetValue(99)), 22.0F);
                EXPECT_EQ(float(floors.GetValue(100)), 9.0F);
              }
            }),
            "");
}

TEST(VectorCastForms, FloorIsTheSameWithScratchAndWithout) {
  ExpectFloor<float>();
  ExpectFloor<half>();
}

}  // namespace
}  // namespace tilesim
