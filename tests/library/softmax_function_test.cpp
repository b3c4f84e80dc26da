// The softmax family against loops in double.
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

}  // namespace
}  // namespace tilesim
