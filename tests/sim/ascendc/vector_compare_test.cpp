// How much Compare compares, and where to, as kernels call it.
#include <array>
#include <cstring>
#include <limits>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

template <class T>
class VectorCompare : public ::testing::Test {};
using Floats = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorCompare, Floats);

// Elements that do not fill a repeat are left out: their bits stay as they were.
TYPED_TEST(VectorCompare, OfACountTakesWholeRepeatsOnly) {
  using T = TypeParam;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  const auto bytes_written = [](uint32_t count) {
    uint32_t written = 0;
    EXPECT_EQ(FaultsOn([&] {
                TPipe pipe;
                TBuf<TPosition::VECCALC> buffer;
                pipe.InitBuffer(buffer, 8192);
                const LocalTensor<T> a = Part<T>(buffer, 0);
                const LocalTensor<uint8_t> bits = Part<uint8_t>(buffer, 8);
                Duplicate(a, T(1.0F), 4 * kLanes);
                Duplicate(bits.ReinterpretCast<uint16_t>(), uint16_t{0}, 64);
                Compare(bits, a, a, CMPMODE::EQ, count);
                while (bits.GetValue(written) == 0xFF) {
                  ++written;
                }
                for (uint32_t i = written; i < 128; ++i) {
                  EXPECT_EQ(bits.GetValue(i), 0) << i;
                }
              }),
              "");
    return written;
  };
  EXPECT_EQ(bytes_written(kLanes - 1), 0U);
  EXPECT_EQ(bytes_written(kLanes), kLanes / 8);
  EXPECT_EQ(bytes_written(kLanes + 36), kLanes / 8);  // fp32: 100
  EXPECT_EQ(bytes_written(3 * kLanes + kLanes - 1), 3 * kLanes / 8);
}

std::array<uint64_t, 2> ComparedBits() {
  return AscendC::simulator::ThisCore().registers().vector.compare_mask;
}
using Bits = std::array<uint64_t, 2>;

// The bits of the lanes of [begin, end).
Bits LanesFrom(int64_t begin, int64_t end) {
  Bits bits{};
  for (int64_t lane = begin; lane < end; ++lane) {
    bits[static_cast<size_t>(lane / 64)] |= uint64_t{1} << (lane % 64);
  }
  return bits;
}

TYPED_TEST(VectorCompare, IntoTheRegisterKeepsTheOrderOfItsOperands) {
  using T = TypeParam;
  constexpr int32_t kLanes = 256 / sizeof(T);
  constexpr int32_t kMiddle = kLanes - 20;
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 8192);
              const LocalTensor<T> rising = Part<T>(buffer, 0);
              const LocalTensor<T> middle = Part<T>(buffer, 2);
              ArithProgression(rising, T(0.0F), T(1.0F), 2 * kLanes);
              Duplicate(middle, T(static_cast<float>(kMiddle)), 2 * kLanes);
              const BinaryRepeatParams plain;
              Compare(rising, middle, CMPMODE::GT, uint64_t{kLanes}, plain);
              EXPECT_EQ(ComparedBits(), LanesFrom(kMiddle + 1, kLanes));
              Compare(rising, middle, CMPMODE::LE, uint64_t{kLanes}, plain);
              EXPECT_EQ(ComparedBits(), LanesFrom(0, kMiddle + 1));
              Compare(middle, rising, CMPMODE::GE, uint64_t{kLanes}, plain);
              EXPECT_EQ(ComparedBits(), LanesFrom(0, kMiddle + 1));
              // the bit of a lane that the mask leaves out stays
              Compare(rising, middle, CMPMODE::GT, uint64_t{kMiddle - 10}, plain);
              EXPECT_EQ(ComparedBits(), LanesFrom(kMiddle - 10, kMiddle + 1));
              uint64_t mask[2] = {0x00F0, 0x0F00};
              Compare(rising, middle, CMPMODE::LT, mask, plain);
              Bits expected = LanesFrom(kMiddle - 10, kMiddle + 1);
              expected[0] |= 0x00F0;
              expected[1] |= kLanes > 64 ? uint64_t{0x0F00} : 0;
              EXPECT_EQ(ComparedBits(), expected);
              SetVectorMask<T>(3);
              Compare<T, false>(rising, middle, CMPMODE::LT, MASK_PLACEHOLDER, plain);
              expected[0] |= 7;
              EXPECT_EQ(ComparedBits(), expected);
            }),
            "");
}

TYPED_TEST(VectorCompare, IntoTheRegisterStridesEachOperandAsTold) {
  using T = TypeParam;
  constexpr uint64_t kLanes = 256 / sizeof(T);
  constexpr int64_t kBlock = 32 / sizeof(T);
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 8192);
              const LocalTensor<T> rising = Part<T>(buffer, 0);
              const LocalTensor<T> twice = Part<T>(buffer, 2);
              ArithProgression(rising, T(0.0F), T(1.0F), 2 * kLanes);
              ArithProgression(twice, T(static_cast<float>(kBlock)), T(1.0F), 2 * kLanes);
              // equal where two blocks on of the one meet one block on of the other: in the second block
              Compare(rising, twice, CMPMODE::EQ, kLanes, BinaryRepeatParams(1, 2, 1, 8, 8, 8));
              EXPECT_EQ(ComparedBits(), LanesFrom(kBlock, 2 * kBlock));
              Compare(twice, rising, CMPMODE::EQ, kLanes, BinaryRepeatParams(1, 1, 2, 8, 8, 8));
              EXPECT_EQ(ComparedBits(), LanesFrom(kBlock, 2 * kBlock));
            }),
            "");
}

TYPED_TEST(VectorCompare, MovesTheRegisterToAndFromUb) {
  using T = TypeParam;
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 8192);
              const LocalTensor<uint32_t> words = Part<uint32_t>(buffer, 0);
              for (uint32_t i = 0; i < 4; ++i) {
                words.SetValue(8 + i, 0x1111 * (i + 1));
              }
              SetCmpMask(words[8]);
              EXPECT_EQ(ComparedBits(), (Bits{0x2222'0000'1111, 0x4444'0000'3333}));
              GetCmpMask(words[4].ReinterpretCast<uint8_t>());  // 16 bytes are enough to align to
              for (uint32_t i = 0; i < 4; ++i) {
                EXPECT_EQ(words.GetValue(4 + i), 0x1111 * (i + 1));
              }
            }),
            "");
  ExpectSays(FaultsOn([] {
               TPipe pipe;
               TBuf<TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 8192);
               SetCmpMask(buffer.Get<T>()[8 / sizeof(T)]);
             }),
             "src: its address 8 in UB must be a multiple of 16");
}

// What each way of Select leaves in CMPMASK is what its form without a mask begins with.
TYPED_TEST(VectorCompare, SelectGoesOnFromTheRegister) {
  using T = TypeParam;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  EXPECT_EQ(
      FaultsOn([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 16384);
        const LocalTensor<T> rising = Part<T>(buffer, 0);
        const LocalTensor<T> minus = Part<T>(buffer, 1);
        const LocalTensor<T> first = Part<T>(buffer, 2);
        const LocalTensor<T> second = Part<T>(buffer, 3);
        const LocalTensor<uint8_t> bits = buffer.template Get<uint8_t>()[12288];
        ArithProgression(rising, T(1.0F), T(1.0F), 2 * kLanes);
        Muls(minus, rising, T(-1.0F), 2 * kLanes);
        const BinaryRepeatParams plain;
        Compares(bits, rising, T(kLanes + 9.0F), CMPMODE::GE, 2 * kLanes);
        const auto expect_alike = [&](T below, T below_in_first_repeat) {
          for (uint32_t i = 0; i < 2 * kLanes; ++i) {
            const float number = static_cast<float>(i + 1);
            const float other = static_cast<float>(i < kLanes ? below_in_first_repeat : below);
            EXPECT_EQ(static_cast<float>(first.GetValue(i)), i + 1 >= kLanes + 9 ? number
                                                             : other == 0        ? -number
                                                                                 : other)
                << i;
            EXPECT_EQ(static_cast<float>(second.GetValue(i)), static_cast<float>(first.GetValue(i)));
          }
        };
        Select(first, bits, rising, minus, SELMODE::VSEL_TENSOR_TENSOR_MODE, 2 * kLanes);
        EXPECT_EQ(ComparedBits()[1], 12288 * uint64_t{0x1'0000'0001});
        Select<T, SELMODE::VSEL_TENSOR_TENSOR_MODE>(second, rising, minus, 2, plain);
        expect_alike(T(0.0F), T(0.0F));
        Select(first, bits, rising, T(7.0F), SELMODE::VSEL_TENSOR_SCALAR_MODE, 2 * kLanes);
        Select(second, bits, rising, 2, plain);
        expect_alike(T(7.0F), T(7.0F));
        uint16_t half_bits = 0;
        const half seven(7.0F);
        std::memcpy(&half_bits, static_cast<const void*>(&seven), 2);
        EXPECT_EQ(ComparedBits()[0],
                  sizeof(T) == 2 ? half_bits * uint64_t{0x1'0001'0001'0001} : 0x40E0'0000'40E0'0000);
        SetVectorMask<T>(kLanes);
        Select(first, bits, rising, minus, SELMODE::VSEL_CMPMASK_SPR, kLanes, 1, plain);
        const T none = T(-5.0F);
        Duplicate(first, none, 2 * kLanes);
        Duplicate(second, none, 2 * kLanes);
        Compares(bits, rising[kLanes], T(kLanes + 9.0F), CMPMODE::GE, kLanes);
        uint64_t mask[2] = {0xFFF0, 0xF0};  // lanes of the second repeat's that the mask leaves out stay
        Select(first[kLanes], bits, rising[kLanes], minus, SELMODE::VSEL_CMPMASK_SPR, mask, 1, plain);
        Select<T, SELMODE::VSEL_CMPMASK_SPR>(second[kLanes], rising[kLanes], minus, 1, plain);
        for (uint32_t i = 0; i < 2 * kLanes; ++i) {
          EXPECT_EQ(static_cast<float>(first.GetValue(i)), static_cast<float>(second.GetValue(i))) << i;
        }
      }),
      "");
}

TYPED_TEST(VectorCompare, SelectSaysThatItsMaskIsNothing) {
  using T = TypeParam;
  ExpectSays(FaultsOn([] {
               TPipe pipe;
               TBuf<TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 16384);
               const LocalTensor<T> a = Part<T>(buffer, 0);
               Select<T, uint8_t, false>(a, Part<uint8_t>(buffer, 9), a, a, SELMODE::VSEL_TENSOR_TENSOR_MODE,
                                         MASK_PLACEHOLDER, 1, BinaryRepeatParams());
             }),
             "mask: is 0, and Select writes it to the mask registers although isSetMask is false");
}

// Both names, every form, beside Compare with a tensor of the same value.
TYPED_TEST(VectorCompare, WithAScalarIsCompareWithATensorOfIt) {
  using T = TypeParam;
  constexpr uint32_t kLanes = 256 / sizeof(T);
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 32768);
              const LocalTensor<T> rising = Part<T>(buffer, 0);
              const LocalTensor<T> value = Part<T>(buffer, 1);
              const LocalTensor<uint8_t> bits[] = {Part<uint8_t>(buffer, 16), Part<uint8_t>(buffer, 17),
                                                   Part<uint8_t>(buffer, 18), Part<uint8_t>(buffer, 19)};
              ArithProgression(rising, T(-9.0F), T(1.0F), 4 * kLanes);
              rising.SetValue(2, std::numeric_limits<float>::quiet_NaN());
              for (const CMPMODE mode :
                   {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE}) {
                for (const float scalar : {-5.0F, 0.0F, std::numeric_limits<float>::quiet_NaN()}) {
                  Duplicate(value, T(scalar), 4 * kLanes);
                  uint64_t mask[2] = {1, 0};
                  Compare(bits[0], rising, value, mode, 4 * kLanes);
                  Compares(bits[1], rising, T(scalar), mode, 4 * kLanes);
                  CompareScalar(bits[2], rising, T(scalar), mode, mask, 4, UnaryRepeatParams());
                  CompareScalar(bits[3], rising, T(scalar), mode, uint64_t{1}, 4, UnaryRepeatParams());
                  for (uint32_t i = 0; i < kLanes / 2; ++i) {
                    EXPECT_EQ(bits[1].GetValue(i), bits[0].GetValue(i)) << i;
                    EXPECT_EQ(bits[2].GetValue(i), bits[0].GetValue(i)) << i;
                    EXPECT_EQ(bits[3].GetValue(i), bits[0].GetValue(i)) << i;
                  }
                }
              }
            }),
            "");
}

}  // namespace
}  // namespace tilesim
