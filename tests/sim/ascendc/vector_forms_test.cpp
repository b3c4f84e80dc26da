// Every elementwise vector instruction in each of its forms.
#include "tests/sim/ascendc/vector_forms.h"

namespace tilesim {
namespace {

using namespace AscendC;

template <class T>
class VectorFormsOf : public ::testing::Test {};
using Numbers = ::testing::Types<int16_t, int32_t, half, float>;
TYPED_TEST_SUITE(VectorFormsOf, Numbers);

TYPED_TEST(VectorFormsOf, ArithmeticOfTwoTensors) {
  using T = TypeParam;
  ExpectForms<T, T>(
      "Add", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { Add(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        Add<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a + b); });
  ExpectForms<T, T>(
      "Sub", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { Sub(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        Sub<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a - b); });
  ExpectForms<T, T>(
      "Mul", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { Mul(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        Mul<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a * b); });
  ExpectForms<T, T>(
      "Max", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { Max(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        Max<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a > b ? a : b); });
  ExpectForms<T, T>(
      "Min", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { Min(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        Min<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a < b ? a : b); });
}

TYPED_TEST(VectorFormsOf, ArithmeticWithAScalar) {
  using T = TypeParam;
  static const T kScalar = T(-3);
  ExpectForms<T, T>(
      "Adds", kAllForms, [](auto& dst, auto& a, auto&, auto count) { Adds(dst, a, kScalar, count); },
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        Adds<T, T, decltype(sets)::value>(dst, a, kScalar, mask, repeats, OfOne(strides));
      },
      [](T a, const auto&...) { return static_cast<T>(a + kScalar); });
  ExpectForms<T, T>(
      "Muls", kAllForms, [](auto& dst, auto& a, auto&, auto count) { Muls(dst, a, kScalar, count); },
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        Muls<T, T, decltype(sets)::value>(dst, a, kScalar, mask, repeats, OfOne(strides));
      },
      [](T a, const auto&...) { return static_cast<T>(a * kScalar); });
  ExpectForms<T, T>(
      "Maxs", kAllForms, [](auto& dst, auto& a, auto&, auto count) { Maxs(dst, a, kScalar, count); },
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        Maxs<T, T, decltype(sets)::value>(dst, a, kScalar, mask, repeats, OfOne(strides));
      },
      [](T a, const auto&...) { return static_cast<T>(a > kScalar ? a : kScalar); });
  ExpectForms<T, T>(
      "Mins", kAllForms, [](auto& dst, auto& a, auto&, auto count) { Mins(dst, a, kScalar, count); },
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        Mins<T, T, decltype(sets)::value>(dst, a, kScalar, mask, repeats, OfOne(strides));
      },
      [](T a, const auto&...) { return static_cast<T>(a < kScalar ? a : kScalar); });
}

TYPED_TEST(VectorFormsOf, FillsAndCopies) {
  using T = TypeParam;
  ExpectForms<T, T>(
      "Duplicate", kAllForms, [](auto& dst, auto&, auto&, auto count) { Duplicate(dst, T(7), count); },
      [](auto sets, auto& dst, auto&, auto&, auto mask, uint8_t repeats, auto& strides) {
        Duplicate<T, decltype(sets)::value>(dst, T(7), mask, repeats, strides.dstBlkStride,
                                            strides.dstRepStride);
      },
      [](const auto&...) { return T(7); });
  ExpectForms<T, T>(
      "Copy", kMaskForms, [](auto&...) {},
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        Copy<T, decltype(sets)::value>(
            dst, a, mask, repeats,
            {strides.dstBlkStride, strides.src0BlkStride, strides.dstRepStride, strides.src0RepStride});
      },
      [](T a, const auto&...) { return a; });
}

template <class T>
class VectorFormsOfWords : public ::testing::Test {};
using Words = ::testing::Types<int16_t, uint16_t>;
TYPED_TEST_SUITE(VectorFormsOfWords, Words);

TYPED_TEST(VectorFormsOfWords, Bits) {
  using T = TypeParam;
  ExpectForms<T, T>(
      "And", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { And(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        And<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a & b); });
  ExpectForms<T, T>(
      "Or", kAllForms, [](auto& dst, auto& a, auto& b, auto count) { Or(dst, a, b, count); },
      [](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
        Or<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides);
      },
      [](T a, T b, const auto&...) { return static_cast<T>(a | b); });
  ExpectForms<T, T>(
      "Not", kAllForms, [](auto& dst, auto& a, auto&, auto count) { Not(dst, a, count); },
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        Not<T, decltype(sets)::value>(dst, a, mask, repeats, OfOne(strides));
      },
      [](T a, const auto&...) { return static_cast<T>(~a); });
}

template <class T>
class VectorFormsOfFloats : public ::testing::Test {};
using Floats = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorFormsOfFloats, Floats);

// The bits are those of src0 as they lie in UB.
TYPED_TEST(VectorFormsOfFloats, Select) {
  using T = TypeParam;
  constexpr int64_t kLanes = 256 / static_cast<int64_t>(sizeof(T));
  const auto is_set = [](const UbCopy& ub, int64_t bit) {
    return (At<uint8_t>(ub, kThird + bit / 8) >> (bit % 8) & 1) != 0;
  };
  for (const SELMODE mode : {SELMODE::VSEL_CMPMASK_SPR, SELMODE::VSEL_TENSOR_TENSOR_MODE}) {
    ExpectForms<T, T>(
        "Select", kFormsThatSetTheMask,
        [&](auto& dst, auto& a, auto& b, auto count) {
          AscendC::Select(dst, a.template ReinterpretCast<uint8_t>(), a, b, mode,
                          static_cast<uint32_t>(count));
        },
        [&](auto sets, auto& dst, auto& a, auto& b, auto mask, uint8_t repeats, auto& strides) {
          AscendC::Select<T, uint8_t, decltype(sets)::value>(dst, a.template ReinterpretCast<uint8_t>(), a, b,
                                                             mode, mask, repeats, strides);
        },
        [&](T a, T b, int64_t element, const UbCopy& ub) {
          const bool one_repeat = mode == SELMODE::VSEL_CMPMASK_SPR;
          return is_set(ub, one_repeat ? element % kLanes : element) ? a : b;
        });
  }
  ExpectForms<T, T>(
      "Select, a scalar", kFormsThatSetTheMask,
      [](auto& dst, auto& a, auto&, auto count) {
        AscendC::Select(dst, a.template ReinterpretCast<uint8_t>(), a, T(7), SELMODE::VSEL_TENSOR_SCALAR_MODE,
                        static_cast<uint32_t>(count));
      },
      [](auto sets, auto& dst, auto& a, auto&, auto mask, uint8_t repeats, auto& strides) {
        AscendC::Select<T, uint8_t, decltype(sets)::value>(dst, a.template ReinterpretCast<uint8_t>(), a,
                                                           T(7), SELMODE::VSEL_TENSOR_SCALAR_MODE, mask,
                                                           repeats, strides);
      },
      [&](T a, T, int64_t element, const UbCopy& ub) { return is_set(ub, element) ? a : T(7); });
}

// A bit an element of whole repeats, one repeat's behind the other's; the mask is not asked for.
TYPED_TEST(VectorFormsOfFloats, CompareTakesWholeRepeatsAtStrides) {
  using T = TypeParam;
  constexpr int64_t kLanes = 256 / static_cast<int64_t>(sizeof(T));
  for (const int repeats : {0, 1, 9, 255}) {
    for (const int stride : {0, 1, 7}) {
      for (const int block_stride : {0, 1, 3}) {
        const std::string faults = FaultsOn(
            [&] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, kCompared);
              AscendC::simulator::ThisCore().ReachAll();
              std::byte* const ub = AscendC::simulator::ThisCore().ub();
              FillUb<T, T>(kSeed, ub);
              UbCopy expected(ub, ub + kCompared);
              for (int64_t i = 0; i < repeats * kLanes; ++i) {
                const auto place = [&](int64_t block) {
                  return PlaceOf(i / kLanes, i % kLanes, sizeof(T), block, stride);
                };
                const bool greater = float(At<T>(expected, kThird + place(block_stride))) >
                                     float(At<T>(expected, 2 * kThird + place(1)));
                const auto byte = At<uint8_t>(expected, i / 8);
                const auto bit = static_cast<uint8_t>(1 << (i % 8));
                Put<uint8_t>(expected, i / 8, static_cast<uint8_t>(greater ? byte | bit : byte & ~bit));
              }
              const LocalTensor<T> all = buffer.Get<T>();
              const auto step = static_cast<uint8_t>(stride);
              Compare<T, uint8_t>(
                  buffer.Get<uint8_t>(), all[kThird / sizeof(T)], all[2 * kThird / sizeof(T)], CMPMODE::GT,
                  uint64_t{3}, static_cast<uint8_t>(repeats),
                  BinaryRepeatParams(1, static_cast<uint8_t>(block_stride), 1, 8, step, step));
              EXPECT_EQ(std::memcmp(ub, expected.data(), kCompared), 0)
                  << repeats << " repeats, stride " << stride << ", block stride " << block_stride;
            },
            {.values = true, .time = true, .hazards = false});
        EXPECT_EQ(faults, "");
      }
    }
  }
}

}  // namespace
}  // namespace tilesim
