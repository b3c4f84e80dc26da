// The softmax family against loops in double.
#include <cstring>

#include "tests/library/row_run.h"

namespace tilesim {
namespace {

using AscendC::LocalTensor;
using AscendC::SoftMaxShapeInfo;
using testing::TestSeed;

struct Wanted {
  std::vector<double> exponentials, max, sum;
};
Wanted SoftmaxOf(const std::vector<double>& x, const Rows& rows) {
  Wanted want;
  for (uint32_t row = 0; row < rows.rows; ++row) {
    double max = -INFINITY;
    double sum = 0;
    for (uint32_t i = 0; i < rows.columns; ++i) {
      max = std::max(max, x[row * rows.columns + i]);
    }
    for (uint32_t i = 0; i < rows.columns; ++i) {
      want.exponentials.push_back(std::exp(x[row * rows.columns + i] - max));
      sum += want.exponentials.back();
    }
    want.max.push_back(max);
    want.sum.push_back(sum);
  }
  return want;
}
template <class T>
std::vector<double> Doubles(Gm<T>& gm) {
  std::vector<double> values;
  for (const T value : gm.data()) {
    values.push_back(Value(value));
  }
  return values;
}
template <class T>
ge::Shape ShapeOfRows(const Rows& rows) {
  return ge::Shape({rows.rows, rows.width});
}
template <class T>
SoftMaxShapeInfo InfoOf(const Rows& rows) {
  return {rows.rows, rows.width, rows.rows, rows.columns};
}

// A block of 32 bytes for each row.
template <class U>
Rows Blocks(const Rows& rows) {
  return {rows.rows, 32 / sizeof(U), 32 / sizeof(U)};
}

template <class T, class U>
void SoftMaxIsRight(const Rows& rows, uint32_t scratch_bytes, std::mt19937& random) {
  Gm<T> x(rows.elements());
  Gm<T> y(rows.elements());
  Gm<U> max(Blocks<U>(rows).elements());
  Gm<U> sum(Blocks<U>(rows).elements());
  FillRandom(x, random, 8);
  optiling::SoftMaxTiling host;
  AscendC::SoftMaxTilingFunc(ShapeOfRows<T>(rows), sizeof(T), scratch_bytes, host);
  SoftMaxTiling tiling;
  host.SaveToBuffer(&tiling, sizeof(tiling));
  const std::string faults = TextOf(RunOn(
      [&] {
        Ub ub;
        const LocalTensor<T> src = ub.In(x, rows);
        const LocalTensor<T> dst = ub.Room<T>(rows.rows * rows.width);
        const LocalTensor<U> sums = ub.Room<U>(rows.rows * 32 / sizeof(U));
        const LocalTensor<U> most = ub.Room<U>(rows.rows * 32 / sizeof(U));
        if (scratch_bytes == 0) {
          AscendC::SoftMax<T>(dst, sums, most, src, tiling, InfoOf<T>(rows));
        } else {
          AscendC::SoftMax<T>(dst, sums, most, src, ub.Room<uint8_t>(scratch_bytes), tiling, InfoOf<T>(rows));
        }
        ub.Out(y, dst, rows);
        ub.Out(sum, sums, Blocks<U>(rows));
        ub.Out(max, most, Blocks<U>(rows));
      },
      kStrict, x, y, max, sum));
  ASSERT_EQ(faults, "") << rows.rows << " x " << rows.columns << ", scratch " << scratch_bytes;
  const Wanted want = SoftmaxOf(Doubles(x), rows);
  for (uint32_t row = 0; row < rows.rows; ++row) {
    for (uint32_t i = 0; i < 32 / sizeof(U); ++i) {
      const size_t at = row * (32 / sizeof(U)) + i;
      ASSERT_EQ(Value(max.data()[at]), want.max[row]);
      ASSERT_NEAR(Value(sum.data()[at]), want.sum[row], want.sum[row] * (20 * 6e-8 + kUlp<U>));
    }
    for (uint32_t i = 0; i < rows.columns; ++i) {
      const size_t at = row * rows.columns + i;
      const double expected = want.exponentials[at] / want.sum[row];
      ASSERT_NEAR(Value(y.data()[at]), expected, expected * (40 * 6e-8 + kUlp<T>)+3e-8) << row << " " << i;
    }
  }
}

template <class T, class U>
void SoftMaxOfManyShapes() {
  std::mt19937 random(TestSeed());
  std::uniform_int_distribution<uint32_t> columns(1, 300);
  for (int i = 0; i < 8; ++i) {
    Rows rows{.rows = columns(random) % 40 + 1, .columns = columns(random)};
    rows.width = Padded<T>(rows.columns + (i % 3 == 0 ? 32 : 0));
    const uint32_t min = AscendC::GetSoftMaxMinTmpSize(ShapeOfRows<T>(rows), sizeof(T), false);
    const uint32_t max = AscendC::GetSoftMaxMaxTmpSize(ShapeOfRows<T>(rows), sizeof(T), false);
    for (const uint32_t scratch : {0U, min, min + 32, std::min((min + max) / 64 * 32, 60U * 1024)}) {
      SoftMaxIsRight<T, U>(rows, std::max(scratch, scratch == 0 ? 0 : min), random);
    }
  }
}
TEST(SoftMaxFunction, IsRightOfFloat) { SoftMaxOfManyShapes<float, float>(); }
TEST(SoftMaxFunction, IsRightOfHalf) { SoftMaxOfManyShapes<half, half>(); }
TEST(SoftMaxFunction, IsRightOfHalfWithFloatSums) { SoftMaxOfManyShapes<half, float>(); }

// Rows whose stride is none of a repeat, and more rows than an instruction has repeats.
TEST(SoftMaxFunction, IsRightOfLongRowsAndOfMany) {
  std::mt19937 random(TestSeed());
  SoftMaxIsRight<float, float>({.rows = 3, .columns = 4001, .width = 4008}, 0, random);
  SoftMaxIsRight<half, half>({.rows = 2, .columns = 4100, .width = 4112}, 0, random);
  SoftMaxIsRight<float, float>({.rows = 600, .columns = 7, .width = 8}, 0, random);
}

// The place of (row, column) in a matrix whose columns are in chunks of 16.
size_t NzPlace(const Rows& rows, uint32_t row, uint32_t column) {
  return size_t{column / 16} * rows.rows * 16 + row * 16 + column % 16;
}
template <class T>
void ToNz(Gm<T>& nz, const std::vector<double>& nd, const Rows& rows) {
  for (uint32_t row = 0; row < rows.rows; ++row) {
    for (uint32_t i = 0; i < rows.columns; ++i) {
      nz.data()[NzPlace(rows, row, i)] = T(static_cast<float>(nd[row * rows.columns + i]));
    }
  }
}

// Padding of NZ has numbers that would spoil max and sum.
template <class T>
void SoftMaxOfNz(bool of_log) {
  std::mt19937 random(TestSeed());
  for (const Rows rows : {Rows{16, 32, 32}, Rows{32, 35, 48}, Rows{48, 7, 16}}) {
    Gm<T> x(size_t{rows.rows} * rows.width, T(60.0F));
    Gm<T> y(x.data().size());
    Gm<T> max(Blocks<T>(rows).elements());
    Gm<T> plain(rows.elements());
    FillRandom(plain, random, 5);
    const std::vector<double> values = Doubles(plain);
    ToNz(x, values, rows);
    const Rows all{.rows = 1, .columns = rows.rows * rows.width, .width = rows.rows * rows.width};
    const ge::Shape shape({rows.rows, rows.width});
    const uint32_t min = of_log ? AscendC::GetLogSoftMaxMinTmpSize(shape, sizeof(T), false)
                                : AscendC::GetSoftMaxMinTmpSize(shape, sizeof(T), false);
    for (const uint32_t scratch : {min, min * 5 / 32 * 32, 60U * 1024}) {
      const std::string faults = TextOf(RunOn(
          [&] {
            Ub ub;
            const LocalTensor<T> src = ub.In(x, all);
            const LocalTensor<T> dst = ub.Room<T>(all.width);
            const LocalTensor<T> sums = ub.Room<T>(rows.rows * 32 / sizeof(T));
            const LocalTensor<T> most = ub.Room<T>(rows.rows * 32 / sizeof(T));
            const LocalTensor<uint8_t> tmp = ub.Room<uint8_t>(scratch);
            if (of_log) {
              LogSoftMaxTiling tiling;
              AscendC::LogSoftMaxTilingFunc(shape, sizeof(T), scratch, tiling);
              AscendC::LogSoftMax<T, false, true>(dst, sums, most, src, tmp, tiling, InfoOf<T>(rows));
            } else {
              SoftMaxTiling tiling;
              AscendC::SoftMaxTilingFunc(shape, sizeof(T), scratch, tiling);
              AscendC::SoftMax<T, false, false, true>(dst, sums, most, src, tmp, tiling, InfoOf<T>(rows));
            }
            ub.Out(y, dst, all);
            ub.Out(max, most, Blocks<T>(rows));
          },
          kStrict, x, y, max));
      ASSERT_EQ(faults, "");
      const Wanted want = SoftmaxOf(values, rows);
      for (uint32_t row = 0; row < rows.rows; ++row) {
        ASSERT_EQ(Value(max.data()[row * 32 / sizeof(T)]), want.max[row]);
        for (uint32_t i = 0; i < rows.columns; ++i) {
          const size_t at = row * rows.columns + i;
          const double share = want.exponentials[at] / want.sum[row];
          const double expected = of_log ? values[at] - want.max[row] - std::log(want.sum[row]) : share;
          ASSERT_NEAR(Value(y.data()[NzPlace(rows, row, i)]), expected,
                      std::abs(expected) * (kUlp<T> + 3e-6) + (of_log ? 2e-6 : 3e-8));
        }
      }
    }
  }
}
TEST(SoftMaxFunction, IsRightInNz) {
  SoftMaxOfNz<float>(false);
  SoftMaxOfNz<half>(false);
}
TEST(LogSoftMaxFunction, IsRightInNz) {
  SoftMaxOfNz<float>(true);
  SoftMaxOfNz<half>(true);
}

// Columns that come in tiles: what is accumulated of the results is what one call gives of all columns.
template <class T, class U>
void FlashEqualsTheWhole(bool v2, uint32_t scratch_kind) {
  std::mt19937 random(TestSeed());
  constexpr uint32_t kRows = 11;
  constexpr uint32_t kTiles = 4;
  const Rows rows{.rows = kRows, .columns = 70, .width = Padded<T>(70)};
  std::vector<Gm<T>> x(kTiles, Gm<T>(rows.elements()));
  std::vector<Gm<T>> y(kTiles, Gm<T>(rows.elements()));
  std::vector<Gm<T>> rescaling(kTiles, Gm<T>(Blocks<T>(rows).elements()));
  Gm<U> sum(Blocks<U>(rows).elements());
  for (Gm<T>& tile : x) {
    FillRandom(tile, random, 6);
  }
  const ge::Shape shape({rows.rows, rows.width});
  const uint32_t min = v2 ? AscendC::GetSoftMaxFlashV2MinTmpSize(shape, sizeof(T), sizeof(U), true)
                          : AscendC::GetSoftMaxFlashMinTmpSize(shape, sizeof(T), true, false);
  const uint32_t bytes = scratch_kind == 1 ? min : min * 3 / 32 * 32;
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .mode = kStrict, .threads = 1};
  for (uint32_t i = 0; i < kTiles; ++i) {
    options.gm.Add(x[i].buffer(("x" + std::to_string(i)).c_str()));
    options.gm.Add(y[i].buffer(("y" + std::to_string(i)).c_str()));
    options.gm.Add(rescaling[i].buffer(("r" + std::to_string(i)).c_str()));
  }
  options.gm.Add(sum.buffer("sum"));
  const auto kernel = [&] {
    Ub ub(64 * 1024);
    const LocalTensor<U> sums = ub.Room<U>(kRows * 32 / sizeof(U));
    const LocalTensor<U> most = ub.Room<U>(kRows * 32 / sizeof(U));
    const LocalTensor<uint8_t> tmp = ub.Room<uint8_t>(bytes);
    SoftMaxTiling tiling;
    AscendC::SoftMaxFlashV2TilingFunc(shape, sizeof(T), sizeof(U), bytes, tiling, true);
    for (uint32_t i = 0; i < kTiles; ++i) {
      const LocalTensor<T> src = ub.In(x[i], rows);
      const LocalTensor<T> dst = ub.Room<T>(kRows * rows.width);
      const LocalTensor<T> scale = ub.Room<T>(kRows * 32 / sizeof(T));
      const SoftMaxShapeInfo info = InfoOf<T>(rows);
      if (!v2) {
        scratch_kind == 0
            ? AscendC::SoftmaxFlash<T>(dst, sums, most, src, scale, sums, most, tiling, i > 0, info)
            : AscendC::SoftmaxFlash<T>(dst, sums, most, src, scale, sums, most, tmp, tiling, i > 0, info);
      } else if (i == 0) {
        AscendC::SoftmaxFlashV2<T, false>(dst, sums, most, src, scale, sums, most, tmp, tiling, info);
      } else if (scratch_kind == 0) {
        AscendC::SoftmaxFlashV2<T, true>(dst, sums, most, src, scale, sums, most, tiling, info);
      } else {
        AscendC::SoftmaxFlashV2<T, true>(dst, sums, most, src, scale, sums, most, tmp, tiling, info);
      }
      ub.Out(y[i], dst, rows);
      if (i > 0) {
        ub.Out(rescaling[i], scale, Blocks<T>(rows));
      }
    }
    ub.Out(sum, sums, Blocks<U>(rows));
  };
  ASSERT_EQ(TextOf(LaunchOnUnit(options,
                                [&](Core& core) {
                                  if (core.identity().sub_block == 0) {
                                    kernel();
                                  }
                                })),
            "");
  for (uint32_t row = 0; row < kRows; ++row) {
    std::vector<double> all;
    for (uint32_t i = 0; i < kTiles; ++i) {
      for (uint32_t column = 0; column < rows.columns; ++column) {
        all.push_back(Value(x[i].data()[row * rows.columns + column]));
      }
    }
    const Wanted want = SoftmaxOf(all, {1, static_cast<uint32_t>(all.size()), 0});
    double scale = v2 ? 1 / Value(sum.data()[row * 32 / sizeof(U)]) : 1;
    for (uint32_t i = kTiles; i-- > 0;) {
      for (uint32_t column = 0; column < rows.columns; ++column) {
        const double expected = want.exponentials[i * rows.columns + column] / want.sum[0];
        ASSERT_NEAR(Value(y[i].data()[row * rows.columns + column]) * scale, expected,
                    expected * (8 * kUlp<T> + 8 * kUlp<U> + 5e-6) + 1e-7)
            << row << " " << i << " " << column;
      }
      scale *= i > 0 ? Value(rescaling[i].data()[row * 32 / sizeof(T)]) : 1;
    }
  }
}
TEST(SoftmaxFlashFunction, TilesMakeTheSoftmaxOfTheWhole) {
  for (const bool v2 : {false, true}) {
    for (const uint32_t scratch : {0U, 1U, 2U}) {
      FlashEqualsTheWhole<float, float>(v2, scratch);
      FlashEqualsTheWhole<half, half>(v2, scratch);
      FlashEqualsTheWhole<half, float>(v2, scratch);
    }
  }
}

template <class T>
void GradIsRight(bool front, bool least) {
  std::mt19937 random(TestSeed());
  const Rows rows{.rows = 13, .columns = 90, .width = Padded<T>(90)};
  const Rows result = front ? Blocks<T>(rows) : rows;
  Gm<T> grad(rows.elements());
  Gm<T> x(rows.elements());
  Gm<T> y(result.elements());
  FillRandom(grad, random, 2);
  FillRandom(x, random, 1);
  const ge::Shape shape({rows.rows, rows.width});
  const uint32_t bytes = least ? AscendC::GetSoftMaxGradMinTmpSize(shape, sizeof(T), front, false)
                               : AscendC::GetSoftMaxGradMaxTmpSize(shape, sizeof(T), front, false);
  ASSERT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub;
                  const LocalTensor<T> g = ub.In(grad, rows);
                  const LocalTensor<T> s = ub.In(x, rows);
                  const LocalTensor<T> dst = ub.Room<T>(result.rows * result.width);
                  SoftMaxTiling tiling;
                  AscendC::SoftMaxGradTilingFunc(shape, sizeof(T), bytes, tiling, front);
                  const LocalTensor<uint8_t> tmp = ub.Room<uint8_t>(bytes);
                  if (front && !least) {
                    AscendC::SoftmaxGradFront<T>(dst, g, s, tmp, tiling, InfoOf<T>(rows));
                  } else {
                    AscendC::SoftmaxGrad<T>(dst, g, s, tmp, tiling, front, InfoOf<T>(rows));
                  }
                  ub.Out(y, dst, result);
                },
                kStrict, grad, x, y)),
            "");
  for (uint32_t row = 0; row < rows.rows; ++row) {
    double sum = 0;
    for (uint32_t i = 0; i < rows.columns; ++i) {
      sum += Value(grad.data()[row * rows.columns + i]) * Value(x.data()[row * rows.columns + i]);
    }
    for (uint32_t i = 0; i < result.columns; ++i) {
      const size_t at = row * result.columns + i;
      const double expected = front ? sum : (Value(grad.data()[at]) - sum) * Value(x.data()[at]);
      ASSERT_NEAR(Value(y.data()[at]), expected, std::abs(expected) * kUlp<T> + 2e-5);
    }
  }
}
TEST(SoftmaxGradFunction, IsRight) {
  for (const bool front : {false, true}) {
    for (const bool least : {false, true}) {
      GradIsRight<float>(front, least);
      GradIsRight<half>(front, least);
    }
  }
}

TEST(SimpleSoftMaxFunction, TakesSumAndMaxAsTheyAre) {
  const Rows rows{.rows = 3, .columns = 40, .width = 40};
  Gm<float> x(rows.elements(), 1.0F);
  Gm<float> y(rows.elements());
  Gm<float> sum(Blocks<float>(rows).elements(), 4.0F);
  Gm<float> max(Blocks<float>(rows).elements(), 0.5F);
  ASSERT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub;
                  const LocalTensor<float> src = ub.In(x, rows);
                  const LocalTensor<float> s = ub.In(sum, Blocks<float>(rows));
                  const LocalTensor<float> m = ub.In(max, Blocks<float>(rows));
                  SoftMaxTiling tiling;
                  AscendC::SoftMaxTilingFunc(ge::Shape({3, 40}), 4, 4096, tiling);
                  AscendC::SimpleSoftMax<float>(src, s, m, src, tiling, InfoOf<float>(rows));
                  ub.Out(y, src, rows);
                },
                kStrict, x, y, sum, max)),
            "");
  for (const float value : y.data()) {
    ASSERT_NEAR(value, std::exp(0.5) / 4, 1e-7);
  }
}

TEST(AdjustSoftMaxResFunction, ReplacesTheRowsWhoseMaxIsTheGivenBits) {
  const Rows rows{.rows = 4, .columns = 16, .width = 16};
  Gm<float> y(rows.elements(), 0.25F);
  Gm<float> max(Blocks<float>(rows).elements(), 1.0F);
  for (int i = 0; i < 8; ++i) {
    max.data()[16 + i] = -1.0F;
  }
  bool found = false;
  bool none = true;
  ASSERT_EQ(
      TextOf(RunOn(
          [&] {
            Ub ub;
            const LocalTensor<float> result = ub.In(y, rows);
            const LocalTensor<float> m = ub.In(max, Blocks<float>(rows));
            none = AscendC::AdjustSoftMaxRes<float, float>(result, m, 0xFF7FFFFF, 7.0F, {4, 16, 4, 16});
            found = AscendC::AdjustSoftMaxRes<float, float>(result, m, 0xBF800000, 7.0F, {4, 16, 4, 16});
            ub.Out(y, result, rows);
          },
          kStrict, y, max)),
      "");
  EXPECT_TRUE(found);
  EXPECT_FALSE(none);
  for (uint32_t i = 0; i < 64; ++i) {
    ASSERT_EQ(y.data()[i], i / 16 == 2 ? 7.0F : 0.25F);
  }
}

// What a call on 4 rows of 40 floats says.
std::string SoftMaxSays(uint32_t scratch_bytes, const SoftMaxShapeInfo& info, const SoftMaxTiling& tiling) {
  return FaultsOn([&] {
    Ub ub;
    const LocalTensor<float> x = ub.Room<float>(160);
    const LocalTensor<uint8_t> tmp = ub.Room<uint8_t>(scratch_bytes);
    AscendC::SoftMax<float>(x, x, tmp, tiling, info);
  });
}
TEST(SoftMaxFunction, RefusesWhatItCannotDo) {
  const SoftMaxShapeInfo info{4, 40, 4, 40};
  SoftMaxTiling tiling;
  AscendC::SoftMaxTilingFunc(ge::Shape({4, 40}), 4, 8192, tiling);
  const uint32_t min = AscendC::GetSoftMaxMinTmpSize(ge::Shape({4, 40}), 4, false);
  EXPECT_EQ(SoftMaxSays(min, info, tiling), "");
  const std::string small = SoftMaxSays(min - 1, info, tiling);
  ExpectSays(small, "SoftMax");
  ExpectSays(small, "the call needs at least " + std::to_string(min));
  ExpectSays(small, "GetSoftMaxMinTmpSize tells the host");
  ExpectSays(SoftMaxSays(min, info, {}), "nobody has filled it");
  ExpectSays(SoftMaxSays(min, {4, 41, 4, 41}, tiling), "allowed are multiples of 8");
  ExpectSays(SoftMaxSays(min, {4, 40, 4, 41}, tiling), "oriSrcK is 41, allowed 1..srcK, 40");
  ExpectSays(SoftMaxSays(min, {}, tiling), "give src a ShapeInfo");
}

TEST(SoftMaxFunction, RefusesOneTensorForTwoResults) {
  ExpectSays(
      FaultsOn([] {
        Ub ub;
        const LocalTensor<float> x = ub.Room<float>(160);
        const LocalTensor<float> numbers = ub.Room<float>(32);
        SoftMaxTiling tiling;
        AscendC::SoftMaxTilingFunc(ge::Shape({4, 40}), 4, 8192, tiling);
        AscendC::SoftMax<float>(x, numbers, numbers, x, ub.Room<uint8_t>(8192), tiling, {4, 40, 4, 40});
      }),
      "[misuse] sum: is bytes [640, 768) of UB, which lie across those of max, [640, 768); give it a "
      "tensor of its own");
}

TEST(SoftMaxFunction, TakesTheShapeOfTheTensor) {
  Gm<float> y(80);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub;
                  LocalTensor<float> x = ub.Room<float>(80);
                  AscendC::Duplicate(x, 3.0F, 80);
                  const uint32_t extents[] = {2, 1, 40};
                  x.SetShapeInfo(AscendC::ShapeInfo(3, extents));
                  SoftMaxTiling tiling;
                  AscendC::SoftMaxTilingFunc(ge::Shape({2, 40}), 4, 8192, tiling);
                  AscendC::SoftMax<float>(x, x, tiling);
                  ub.Out(y, x, {1, 80, 80});
                },
                {}, y)),
            "");
  for (const float value : y.data()) {
    ASSERT_NEAR(value, 1.0 / 40, 1e-8);
  }
}

// On a cube core nothing is done, and nothing refused.
TEST(SoftMaxFunction, DoesNothingOnACubeCore) {
  EXPECT_EQ(
      FaultsOf([] {
        AscendC::SoftMax<float>(LocalTensor<float>(), LocalTensor<float>(), SoftMaxTiling(), {1, 1, 1, 1});
      }),
      "");
}

TEST(SoftMaxTilingFunction, TellsTheSamePartsToHostAndKernel) {
  const ge::Shape shape({3, 7, 64});
  const uint32_t min = AscendC::GetSoftMaxMinTmpSize(shape, 2, false);
  optiling::SoftMaxTiling host;
  AscendC::SoftMaxTilingFunc(shape, 2, min * 4, host);
  EXPECT_EQ(host.get_srcM(), 21U);
  EXPECT_EQ(host.get_srcK(), 64U);
  EXPECT_EQ(host.get_rangeM() * host.get_splitM() + host.get_tailM(), 21U);
  EXPECT_GT(host.get_splitM(), 1U);
  SoftMaxTiling kernel;
  AscendC::SoftMaxTilingFunc(shape, 2, min * 4, kernel);
  ASSERT_EQ(host.GetDataSize(), sizeof(kernel));
  std::vector<char> bytes(sizeof(kernel));
  host.SaveToBuffer(bytes.data(), bytes.size());
  EXPECT_EQ(std::memcmp(bytes.data(), &kernel, sizeof(kernel)), 0);
  AscendC::SoftMaxTilingFunc(shape, 2, min - 1, kernel);
  EXPECT_EQ(kernel.splitM, 0U);
}

}  // namespace
}  // namespace tilesim
