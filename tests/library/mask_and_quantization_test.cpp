// Functions of the high-level library that go through rows: quantisation, DropOut, Select with a mask of
// elements; whole-number functions; and the calls that make no use of scratch.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/library/library_run.h"
#include "tests/support/test_seed.h"
// after the others
#include "tiling/tiling_api.h"

namespace tilesim {
namespace {

using AscendC::LocalTensor;
using AscendC::TensorShape;

// Tensors of one kernel in UB, read from GM, and written back by its end.
class OnUb {
 public:
  template <class T>
  LocalTensor<T> Read(Gm<T>& from) {
    LocalTensor<T> tensor = Make<T>(from.data().size());
    const auto bytes = static_cast<uint32_t>(from.data().size() * sizeof(T));
    AscendC::DataCopyPad(tensor.template ReinterpretCast<uint8_t>(), Bytes(from),
                         AscendC::DataCopyExtParams(1, bytes, 0, 0, 0),
                         AscendC::DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
    AscendC::PipeBarrier<PIPE_ALL>();
    return tensor;
  }
  template <class T>
  LocalTensor<T> Make(size_t elements) {
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe_.InitBuffer(buffer, AscendC::AlignUp(static_cast<uint32_t>(elements * sizeof(T)), 32));
    return buffer.Get<T>();
  }
  template <class T>
  void Write(Gm<T>& to, const LocalTensor<T>& from) {
    AscendC::PipeBarrier<PIPE_ALL>();
    const auto bytes = static_cast<uint32_t>(to.data().size() * sizeof(T));
    AscendC::DataCopyPad(Bytes(to), from.template ReinterpretCast<uint8_t>(),
                         AscendC::DataCopyExtParams(1, bytes, 0, 0, 0));
  }

 private:
  template <class T>
  static AscendC::GlobalTensor<uint8_t> Bytes(Gm<T>& gm) {
    AscendC::GlobalTensor<uint8_t> bytes;
    bytes.SetGlobalBuffer(reinterpret_cast<uint8_t*>(gm.data().data()), gm.data().size() * sizeof(T));
    return bytes;
  }
  AscendC::TPipe pipe_;
};

template <class T>
Gm<T> Random(size_t elements, double low, double high, std::mt19937_64& random) {
  Gm<T> gm(elements);
  std::uniform_real_distribution<double> any(low, high);
  for (T& value : gm.data()) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(std::lround(any(random)));
    } else {
      value = T(static_cast<float>(any(random)));
    }
  }
  return gm;
}

double Saturated(double value) { return std::clamp(std::nearbyint(value), -128.0, 127.0); }

// `close` to a tie both neighbours are right.
void ExpectQuantised(int8_t found, double exact) {
  EXPECT_LE(std::abs(found - std::clamp(exact, -128.0, 127.0)), 0.5 + 1e-4) << exact;
}

TEST(Quantization, QuantisesByOneScaleOrOneForEachColumn) {
  std::mt19937_64 random(testing::TestSeed());
  for (const uint32_t columns : {32U, 160U, 512U}) {
    const uint32_t rows = 3;
    auto src = Random<half>(rows * columns, -30, 30, random);
    auto scale = Random<half>(columns, 0.5, 8, random);
    auto offset = Random<half>(columns, -9, 9, random);
    for (const bool per_column : {false, true}) {
      Gm<int8_t> dst(rows * columns);
      const LaunchResult result = RunOn(
          [&] {
            OnUb ub;
            const auto x = ub.Read(src);
            const auto y = ub.Make<int8_t>(rows * columns);
            uint32_t max = 0;
            uint32_t min = 0;
            AscendC::GetAscendQuantMaxMinTmpSize(TensorShape({rows, columns}), 2, max, min);
            const auto scratch = ub.Make<uint8_t>(min);
            if (per_column) {
              AscendC::AscendQuant<half>(y, x, scratch, ub.Read(scale), ub.Read(offset), columns, columns,
                                         rows * columns);
            } else {
              AscendC::AscendQuant(y, x, 3.5F, -1.25F, rows * columns);
            }
            ub.Write(dst, y);
          },
          {}, src, scale, offset, dst);
      EXPECT_EQ(TextOf(result), "");
      for (uint32_t i = 0; i < rows * columns; ++i) {
        const double x = static_cast<float>(src.data()[i]);
        const double s = per_column ? static_cast<float>(scale.data()[i % columns]) : 3.5;
        const double o = per_column ? static_cast<float>(offset.data()[i % columns]) : -1.25;
        ExpectQuantised(dst.data()[i], x * s + o);
      }
    }
  }
}

TEST(Quantization, RoundsTiesToEvenAndSaturates) {
  const std::vector<float> values = {0.5F,   1.5F, 2.5F,  -0.5F,   -1.5F, 126.5F,
                                     127.5F, 1e6F, -1e6F, -128.5F, 1e30F};
  Gm<float> src(32, 0.0F);
  std::ranges::copy(values, src.data().begin());
  src.data()[11] = std::nanf("");
  Gm<int8_t> dst(32);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto x = ub.Read(src);
                  const auto y = ub.Make<int8_t>(32);
                  AscendC::AscendQuant(y, x, 1.0F, 0.0F);
                  ub.Write(dst, y);
                },
                {}, src, dst)),
            "");
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(dst.data()[i], Saturated(values[i])) << values[i];
  }
  EXPECT_EQ(dst.data()[11], 0);
}

TEST(Quantization, DequantisesRowsByColumns) {
  std::mt19937_64 random(testing::TestSeed());
  const uint32_t rows = 4;
  for (const uint32_t columns : {8U, 40U, 264U}) {
    const uint32_t count = columns - 3;  // of each row
    auto src = Random<int32_t>(rows * columns, -100000, 100000, random);
    auto scale = Random<float>(columns, 1e-4, 1e-2, random);
    Gm<uint64_t> words(columns);
    for (uint32_t i = 0; i < columns; ++i) {
      words.data()[i] = uint64_t{1} << 46 | std::bit_cast<uint32_t>(scale.data()[i]);
    }
    const uint32_t half_columns = AscendC::AlignUp(columns, 16);
    Gm<float> floats(rows * columns, 7.0F);
    Gm<half> halves(rows * half_columns, half(7.0F));
    const LaunchResult result = RunOn(
        [&] {
          OnUb ub;
          const auto x = ub.Read(src);
          const auto y = ub.Read(floats);
          const auto z = ub.Read(halves);
          uint32_t max = 0;
          uint32_t min = 0;
          AscendC::GetAscendDequantMaxMinTmpSize(TensorShape({rows, columns}), 4, max, min);
          const AscendC::DequantParams params{rows, columns, count};
          AscendC::AscendDequant(y, x, ub.Read(scale), ub.Make<uint8_t>(min), params);
          AscendC::AscendDequant(z, x, ub.Read(words), params);
          ub.Write(floats, y);
          ub.Write(halves, z);
        },
        {}, src, scale, words, floats, halves);
    EXPECT_EQ(TextOf(result), "");
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t j = 0; j < columns; ++j) {
        const double want =
            j < count ? static_cast<double>(src.data()[row * columns + j]) * scale.data()[j] : 7;
        EXPECT_NEAR(floats.data()[row * columns + j], want, std::abs(want) * 1.2e-7);
        EXPECT_NEAR(static_cast<float>(halves.data()[row * half_columns + j]), want,
                    std::abs(want) * 5e-4 + 1e-7);
      }
    }
  }
}

TEST(Quantization, DequantisesOneRowAsRowsOfTheScaleAndByOneScale) {
  std::mt19937_64 random(testing::TestSeed());
  auto src = Random<int32_t>(96, -1000, 1000, random);
  auto scale = Random<float>(32, 0.5, 2, random);
  Gm<float> by_column(96);
  Gm<float> by_one(96);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto x = ub.Read(src);
                  const auto y = ub.Make<float>(96);
                  const auto z = ub.Make<float>(96);
                  AscendC::AscendDequant(y, x, ub.Read(scale), uint32_t{32});
                  AscendC::AscendDequant<float, float>(z, x, 0.25F, AscendC::DequantParams{3, 32, 32});
                  ub.Write(by_column, y);
                  ub.Write(by_one, z);
                },
                {}, src, scale, by_column, by_one)),
            "");
  for (uint32_t i = 0; i < 96; ++i) {
    EXPECT_EQ(by_column.data()[i], static_cast<float>(src.data()[i]) * scale.data()[i % 32]);
    EXPECT_EQ(by_one.data()[i], static_cast<float>(src.data()[i]) * 0.25F);
  }
}

// k x n of int8: a scale for each column (of groups of rows), or for each row.
void TestAntiQuant(uint32_t rows, uint32_t columns, uint32_t groups, bool transposed) {
  std::mt19937_64 random(testing::TestSeed());
  auto src = Random<int8_t>(rows * columns, -128, 127, random);
  const uint32_t scales = transposed ? rows : groups * columns;
  auto scale = Random<half>(scales, 0.01, 2, random);
  auto offset = Random<half>(scales, -20, 20, random);
  Gm<half> dst(rows * columns);
  const LaunchResult result = RunOn(
      [&] {
        OnUb ub;
        const auto x = ub.Read(src);
        const auto y = ub.Make<half>(rows * columns);
        const auto s = ub.Read(scale);
        const auto o = ub.Read(offset);
        uint32_t max = 0;
        uint32_t min = 0;
        AscendC::GetAscendAntiQuantMaxMinTmpSize(TensorShape({rows, columns}), TensorShape({scales}),
                                                 transposed, ge::DT_INT8, ge::DT_FLOAT16, max, min);
        const auto scratch = ub.Make<uint8_t>(min);
        if (transposed) {
          AscendC::AscendAntiQuant<int8_t, half, true>(y, x, o, s, scratch, columns);
        } else {
          AscendC::AscendAntiQuant<int8_t, half, false>(y, x, o, s, scratch, rows);
        }
        ub.Write(dst, y);
      },
      {}, src, scale, offset, dst);
  ASSERT_EQ(TextOf(result), "");
  for (uint32_t i = 0; i < rows * columns; ++i) {
    const uint32_t row = i / columns;
    const uint32_t at = transposed ? row : row / (rows / groups) * columns + i % columns;
    const double want = (static_cast<double>(src.data()[i]) + static_cast<float>(offset.data()[at])) *
                        static_cast<float>(scale.data()[at]);
    ASSERT_NEAR(static_cast<float>(dst.data()[i]), want, std::abs(want) * 5e-4 + 1e-6)
        << row << ", " << i % columns;
  }
}
TEST(Quantization, UndoesQuantisation) {
  TestAntiQuant(5, 32, 1, false);
  TestAntiQuant(4, 96, 2, false);
  TestAntiQuant(19, 32, 1, true);
  TestAntiQuant(37, 160, 1, true);
}

TEST(Quantization, ReadsHalvesOfBytes) {
  Gm<uint8_t> src(32);
  for (uint32_t i = 0; i < 32; ++i) {
    src.data()[i] = static_cast<uint8_t>(i % 16 | (15 - i % 16) << 4);
  }
  Gm<half> dst(64);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto x = ub.Read(src).ReinterpretCast<AscendC::int4b_t>();
                  const auto y = ub.Make<half>(64);
                  AscendC::AscendAntiQuant<AscendC::int4b_t, half, false>(y, x, half(1.0F), half(0.5F), 1);
                  ub.Write(dst, y);
                },
                {}, src, dst)),
            "");
  for (uint32_t i = 0; i < 64; ++i) {
    const int nibble = src.data()[i / 2] >> i % 2 * 4 & 0xF;
    EXPECT_EQ(static_cast<float>(dst.data()[i]), 0.5F * static_cast<float>((nibble ^ 8) - 8 + 1));
  }
}

// Calls that would leave elements out.
template <class Call>
std::string RefusalOf(Call&& call) {
  Gm<half> src(128, half(1.0F));
  return TextOf(RunOn(
      [&] {
        OnUb ub;
        call(ub, ub.Read(src));
      },
      {}, src));
}
TEST(DropOutFunction, RefusesRowsThatAreNoWholeBlocks) {
  EXPECT_THAT(
      RefusalOf([](OnUb& ub, const LocalTensor<half>& x) {
        AscendC::DropOut(ub.Make<half>(128), x, ub.Make<uint8_t>(128), ub.Make<uint8_t>(8192), 0.5F,
                         {4, 24, 32});
      }),
      ::testing::HasSubstr("srcLastAxis: is 24, rows of 48 bytes, allowed are multiples of 32 bytes"));
}
TEST(Quantization, RefusesElementsThatAreNoWholeRows) {
  using ::testing::HasSubstr;
  for (const uint32_t count : {0U, 64U, 127U}) {
    EXPECT_THAT(RefusalOf([&](OnUb& ub, const LocalTensor<half>& x) {
                  AscendC::AscendQuant(ub.Make<int8_t>(128), x, ub.Make<half>(128), half(0.0F), count);
                }),
                HasSubstr(Say("is ", count, " elements, in rows of 128")));
  }
  EXPECT_THAT(RefusalOf([](OnUb& ub, const LocalTensor<half>& x) {
                AscendC::AscendQuant(ub.Make<int8_t>(128), x, ub.Make<half>(64), half(0.0F), 64, 100);
              }),
              HasSubstr("is 100 elements, in rows of 64"));
  EXPECT_THAT(RefusalOf([](OnUb& ub, const LocalTensor<half>& x) {
                AscendC::AscendQuant(ub.Make<int8_t>(128), x, ub.Make<half>(64), ub.Make<half>(32), 64, 32,
                                     128);
              }),
              HasSubstr("is 32, scaleCount is 64"));
}
TEST(Quantization, RefusesToUndoWhatIsNoWholeRows) {
  using ::testing::HasSubstr;
  for (const uint32_t k : {0U, 3U, 256U}) {
    EXPECT_THAT(RefusalOf([&](OnUb& ub, const LocalTensor<half>& x) {
                  AscendC::AscendAntiQuant<int8_t, half, false>(ub.Make<half>(128), ub.Make<int8_t>(128), x,
                                                                x, k);
                }),
                HasSubstr(Say("is ", k, " rows, src holds 128 elements")));
    EXPECT_THAT(RefusalOf([&](OnUb& ub, const LocalTensor<half>& x) {
                  AscendC::AscendAntiQuant<int8_t, half, true>(ub.Make<half>(128), ub.Make<int8_t>(128), x, x,
                                                               k);
                }),
                HasSubstr(Say("is ", k, " columns, src holds 128 elements")));
  }
}
TEST(Quantization, RefusesToDequantiseNothing) {
  using ::testing::HasSubstr;
  const auto refusal = [](const AscendC::DequantParams& params) {
    return RefusalOf([&](OnUb& ub, const LocalTensor<half>& /*x*/) {
      AscendC::AscendDequant<float, float>(ub.Make<float>(64), ub.Make<int32_t>(64), 0.5F, params);
    });
  };
  EXPECT_THAT(refusal({0, 64, 64}), HasSubstr("0 rows"));
  EXPECT_THAT(refusal({1, 64, 0}), HasSubstr("calCount"));
}

template <class T, class U>
void TestSelect(bool scalar_first) {
  std::mt19937_64 random(testing::TestSeed());
  const uint32_t rows = 3;
  const uint32_t columns = 144;
  const uint32_t mask_columns = 160;
  auto src = Random<T>(rows * columns, -9, 9, random);
  Gm<U> mask(rows * mask_columns);
  for (U& one : mask.data()) {
    one = static_cast<U>(random() % 3 == 0 ? 0 : random() % 100 + 1);
  }
  mask.data()[0] = static_cast<U>(-1);
  Gm<T> dst(rows * columns);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto x = ub.Read(src);
                  const auto m = ub.Read(mask);
                  const auto y = ub.Make<T>(rows * columns);
                  uint32_t max = 0;
                  uint32_t min = 0;
                  AscendC::GetSelectMaxMinTmpSize(TensorShape({rows, columns}), TensorShape({1}), sizeof(T),
                                                  TensorShape({rows, mask_columns}), sizeof(U), true, max,
                                                  min);
                  const auto scratch = ub.Make<uint8_t>(min);
                  const AscendC::SelectWithBytesMaskShapeInfo info{rows, columns, mask_columns};
                  if (scalar_first) {
                    AscendC::Select(y, T(100.0F), x, m, scratch, info);
                  } else {
                    AscendC::Select<T, U, false>(y, x, T(100.0F), m, scratch, info);
                  }
                  ub.Write(dst, y);
                },
                {}, src, mask, dst)),
            "");
  for (uint32_t i = 0; i < rows * columns; ++i) {
    const bool zero = mask.data()[i / columns * mask_columns + i % columns] == 0;
    const float want = zero != scalar_first ? static_cast<float>(src.data()[i]) : 100.0F;
    ASSERT_EQ(static_cast<float>(dst.data()[i]), want) << i;
  }
}
TEST(MaskSelect, TakesTheFirstWhereTheMaskIsZero) {
  for (const bool scalar_first : {false, true}) {
    TestSelect<half, uint8_t>(scalar_first);
    TestSelect<float, int8_t>(scalar_first);
    TestSelect<half, uint16_t>(scalar_first);
    TestSelect<float, int16_t>(scalar_first);
    TestSelect<half, uint32_t>(scalar_first);
    TestSelect<float, int32_t>(scalar_first);
  }
}

template <class T>
void TestDropOut(uint32_t columns, uint32_t mask_bytes, bool bits) {
  std::mt19937_64 random(testing::TestSeed());
  const uint32_t rows = 3;
  auto src = Random<T>(rows * columns, -9, 9, random);
  Gm<uint8_t> mask(rows * mask_bytes);
  for (uint8_t& one : mask.data()) {
    one = static_cast<uint8_t>(bits ? random() : random() % 2);
  }
  src.data()[0] = T(std::nanf(""));  // a lane that is dropped is 0 whatever it was
  mask.data()[0] &= 0xFE;
  Gm<T> dst(rows * columns);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto x = ub.Read(src);
                  const auto m = ub.Read(mask);
                  const auto y = ub.Make<T>(rows * columns);
                  uint32_t max = 0;
                  uint32_t min = 0;
                  AscendC::GetDropOutMaxMinTmpSize(TensorShape({rows, columns}), sizeof(T), false, max, min);
                  const auto scratch = ub.Make<uint8_t>(min);
                  const AscendC::DropOutShapeInfo info{rows, columns, mask_bytes};
                  bits ? AscendC::DropOut<T, false, 4>(y, x, m, scratch, 0.75F, info)
                       : AscendC::DropOut(y, x, m, scratch, 0.75F, info);
                  ub.Write(dst, y);
                },
                {}, src, mask, dst)),
            "");
  for (uint32_t i = 0; i < rows * columns; ++i) {
    const uint32_t at = i / columns * mask_bytes;
    const uint32_t j = i % columns;
    const bool stays = bits ? (mask.data()[at + j / 8] >> j % 8 & 1) != 0 : mask.data()[at + j] != 0;
    const double want = stays ? static_cast<float>(src.data()[i]) / 0.75 : 0;
    ASSERT_NEAR(static_cast<float>(dst.data()[i]), want, std::abs(want) * (sizeof(T) == 2 ? 5e-4 : 2e-7))
        << i;
  }
}
TEST(DropOut, KeepsWhatABitOrAByteSays) {
  TestDropOut<half>(96, 96, false);
  TestDropOut<float>(608, 640, false);
  TestDropOut<half>(512, 64, true);
  TestDropOut<float>(1000, 160, true);
}

TEST(Power, OfWholeNumbersIsExactModuloTwoToThe32) {
  std::mt19937_64 random(testing::TestSeed());
  const uint32_t count = 333;
  auto a = Random<int32_t>(count, -40, 40, random);
  auto b = Random<int32_t>(count, -5, 40, random);
  const std::vector<std::pair<int32_t, int32_t>> edges = {
      {0, 0},  {0, 3},  {0, -1},         {1, -7},        {-1, -7},       {-1, -8},
      {2, 31}, {2, 32}, {-1, INT32_MIN}, {3, INT32_MIN}, {-1, INT32_MAX}};
  for (size_t i = 0; i < edges.size(); ++i) {
    a.data()[i] = edges[i].first;
    b.data()[i] = edges[i].second;
  }
  Gm<int32_t> dst(count);
  Gm<int32_t> cubes(count);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto x = ub.Read(a);
                  const auto y = ub.Make<int32_t>(count);
                  const auto z = ub.Make<int32_t>(count);
                  uint32_t max = 0;
                  uint32_t min = 0;
                  const TensorShape shape({count});
                  AscendC::GetPowerMaxMinTmpSize(shape, shape, true, 4, false, max, min);
                  const auto scratch = ub.Make<uint8_t>(min);
                  AscendC::Power(y, x, ub.Read(b), scratch, count);
                  AscendC::Power(z, x, 3, scratch, count);
                  ub.Write(dst, y);
                  ub.Write(cubes, z);
                },
                {}, a, b, dst, cubes)),
            "");
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t base = a.data()[i];
    uint32_t want = 1;
    for (int64_t k = std::abs(int64_t{b.data()[i]}) % (int64_t{1} << 31) % 1000; k > 0 && std::abs(base) > 1;
         --k) {
      want *= static_cast<uint32_t>(base);
    }
    if (std::abs(base) <= 1) {
      want = b.data()[i] == 0 ? 1 : base == 0 ? 0 : base == 1 || b.data()[i] % 2 == 0 ? 1 : ~0U;
    } else if (b.data()[i] < 0) {
      want = 0;
    }
    EXPECT_EQ(static_cast<uint32_t>(dst.data()[i]), want) << base << "^" << b.data()[i];
    EXPECT_EQ(cubes.data()[i], base * base * base);
  }
}

TEST(Simple, XorAxpyClampAndArangeAreWhatTheySay) {
  std::mt19937_64 random(testing::TestSeed());
  const uint32_t count = 197;
  auto a = Random<int16_t>(count, -32768, 32767, random);
  auto b = Random<int16_t>(count, -32768, 32767, random);
  auto x = Random<half>(count, -9, 9, random);
  auto sum = Random<float>(count, -9, 9, random);
  const std::vector<float> before = sum.data();
  Gm<int16_t> bits(count);
  Gm<half> low(count);
  Gm<half> high(count);
  Gm<int32_t> steps(count);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  OnUb ub;
                  const auto t = ub.Read(x);
                  const auto u = ub.Read(sum);
                  const auto v = ub.Make<int16_t>(count);
                  const auto w = ub.Make<half>(count);
                  const auto z = ub.Make<half>(count);
                  const auto n = ub.Make<int32_t>(count);
                  const auto scratch = ub.Make<uint8_t>(4096);
                  AscendC::Xor(v, ub.Read(a), ub.Read(b), count);
                  AscendC::Axpy<float, half>(u, t, half(0.5F), scratch, count);
                  AscendC::ClampMax(w, t, scratch, half(3.0F), count);
                  AscendC::ClampMin(z, t, half(-3.0F), count);
                  AscendC::Arange(n, 5, -2, static_cast<int32_t>(count));
                  ub.Write(bits, v);
                  ub.Write(sum, u);
                  ub.Write(low, w);
                  ub.Write(high, z);
                  ub.Write(steps, n);
                },
                {}, a, b, x, sum, bits, low, high, steps)),
            "");
  for (uint32_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(x.data()[i]);
    EXPECT_EQ(bits.data()[i], static_cast<int16_t>(a.data()[i] ^ b.data()[i]));
    EXPECT_NEAR(sum.data()[i], before[i] + 0.5 * value, 2e-6);
    EXPECT_EQ(static_cast<float>(low.data()[i]), std::min(value, 3.0F));
    EXPECT_EQ(static_cast<float>(high.data()[i]), std::max(value, -3.0F));
    EXPECT_EQ(steps.data()[i], 5 - 2 * static_cast<int32_t>(i));
  }
}

}  // namespace
}  // namespace tilesim
