// How much Compare compares, and where to, as kernels call it.
#include <array>

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
  return AscendC::internal::ThisCore().registers().vector.compare_mask;
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
              // a lane that the mask leaves out has no bit
              Compare(rising, middle, CMPMODE::GT, uint64_t{kLanes - 10}, plain);
              EXPECT_EQ(ComparedBits(), LanesFrom(kMiddle + 1, kLanes - 10));
              uint64_t mask[2] = {0x00F0, 0x0F00};
              Compare(rising, middle, CMPMODE::LT, mask, plain);
              EXPECT_EQ(ComparedBits(), (Bits{0x00F0, kLanes > 64 ? uint64_t{0x0F00} : 0}));
              SetVectorMask<T>(3);
              Compare<T, false>(rising, middle, CMPMODE::LT, MASK_PLACEHOLDER, plain);
              EXPECT_EQ(ComparedBits(), (Bits{7, 0}));
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

}  // namespace
}  // namespace tilesim
