// TopK, CumSum, Broadcast, the transpositions, Pad and UnPad against plain loops.
#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/library/row_run.h"

namespace tilesim {
namespace {

using AscendC::LocalTensor;
using AscendC::TopKMode;
using AscendC::TransposeType;
using testing::TestSeed;

const platform_ascendc::PlatformAscendC& Part() {
  return *platform_ascendc::PlatformAscendCManager::GetInstance();
}
Rows Line(size_t count) {
  return {1, static_cast<uint32_t>(count), static_cast<uint32_t>((count + 31) / 32 * 32)};
}

struct TopKCase {
  int32_t outter, inner, n, k;
  bool largest;
};

// Few different numbers, so that many are equal: of these the first come first.
template <class T, TopKMode mode, bool kPlaces, bool kFinish>
void TopKIsRight(const TopKCase& c, bool with_scratch) {
  std::mt19937 random(TestSeed());
  constexpr bool kSmall = mode == TopKMode::TOPK_NSMALL;
  const auto rows = static_cast<uint32_t>(c.outter);
  const auto k = static_cast<uint32_t>(c.k);
  const Rows in{rows, static_cast<uint32_t>(c.n), static_cast<uint32_t>(c.inner)};
  const Rows values = kSmall ? Line(rows * k) : Rows{rows, k, Padded<T>(k)};
  const Rows places = kSmall ? Line(rows * k) : Rows{rows, k, Padded<int32_t>(k)};
  const uint32_t numbered = kSmall ? rows : 1;
  Gm<T> x(in.elements());
  for (T& value : x.data()) {
    value = T(static_cast<float>(static_cast<int>(random() % 41) - 20));
  }
  Gm<int32_t> numbers(size_t{numbered} * in.width);
  for (size_t i = 0; i < numbers.data().size(); ++i) {
    numbers.data()[i] = static_cast<int32_t>(1000 + i);
  }
  Gm<uint8_t> finish(32);
  finish.data()[1] = 1;
  Gm<T> y(values.elements());
  Gm<int32_t> found(places.elements());
  uint32_t max = 0;
  uint32_t min = 0;
  ASSERT_TRUE(AscendC::GetTopKMaxMinTmpSize(Part(), c.inner, c.outter, false, kPlaces, mode, c.largest,
                                            sizeof(T), max, min));
  ASSERT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub(100 * 1024);
                  const auto src = ub.In(x, in);
                  const auto src_places = ub.In(numbers, {numbered, in.width, in.width});
                  const auto done = ub.In(finish, {1, 32, 32}).template ReinterpretCast<bool>();
                  const auto dst = ub.Room<T>(values.rows * values.width);
                  const auto dst_places = ub.Room<int32_t>(places.rows * places.width);
                  TopkTiling tiling;
                  AscendC::TopKTilingFunc(Part(), c.inner, c.outter, c.k, sizeof(T), kPlaces, mode, c.largest,
                                          tiling);
                  const AscendC::TopKInfo info{c.outter, c.inner, c.n};
                  if (with_scratch) {
                    AscendC::TopK<T, kPlaces, kFinish, false, mode>(dst, dst_places, src, src_places, done,
                                                                    ub.Room<uint8_t>(min), c.k, tiling, info,
                                                                    c.largest);
                  } else {
                    AscendC::TopK<T, kPlaces, kFinish, false, mode>(dst, dst_places, src, src_places, done,
                                                                    c.k, tiling, info, c.largest);
                  }
                  ub.Out(y, dst, values);
                  ub.Out(found, dst_places, places);
                },
                kStrict, x, numbers, finish, y, found)),
            "");
  for (uint32_t row = 0; row < rows; ++row) {
    std::vector<uint32_t> order(in.columns);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const float one = static_cast<float>(x.data()[row * in.columns + a]);
      const float other = static_cast<float>(x.data()[row * in.columns + b]);
      return c.largest ? one > other : one < other;
    });
    for (uint32_t i = 0; i < k; ++i) {
      ASSERT_EQ(Value(y.data()[row * k + i]), Value(x.data()[row * in.columns + order[i]]))
          << row << " " << i;
      const uint32_t place = kPlaces ? 1000 + (kSmall ? row * in.width : 0) + order[i] : order[i];
      ASSERT_EQ(found.data()[row * k + i], kFinish && row == 1 ? c.n : static_cast<int32_t>(place));
    }
  }
}
TEST(TopKFunction, IsRight) {
  for (const bool with_scratch : {false, true}) {
    for (const bool largest : {false, true}) {
      for (const TopKCase& c : {TopKCase{3, 64, 50, 7, largest}, TopKCase{2, 32, 32, 32, largest},
                                TopKCase{2, 1024, 1001, 100, largest}, TopKCase{2, 2080, 2080, 9, largest}}) {
        TopKIsRight<float, TopKMode::TOPK_NORMAL, false, false>(c, with_scratch);
        TopKIsRight<half, TopKMode::TOPK_NORMAL, true, true>(c, with_scratch);
      }
      for (const TopKCase& c : {TopKCase{9, 32, 32, 5, largest}, TopKCase{4, 32, 20, 8, largest}}) {
        TopKIsRight<float, TopKMode::TOPK_NSMALL, true, true>(c, with_scratch);
        TopKIsRight<half, TopKMode::TOPK_NSMALL, false, false>(c, with_scratch);
      }
    }
  }
}
TEST(TopKFunction, RefusesWhatItCannotDo) {
  const auto says = [](uint32_t bytes, int32_t inner, int32_t k) {
    return FaultsOn([&] {
      Ub ub;
      const auto x = ub.Room<float>(64);
      const auto places = ub.Room<int32_t>(64);
      AscendC::TopK<float>(ub.Room<float>(64), places, x, places, LocalTensor<bool>(),
                           ub.Room<uint8_t>(bytes), k, TopkTiling(), {1, inner, inner}, true);
    });
  };
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetTopKMaxMinTmpSize(Part(), 64, 1, false, false, TopKMode::TOPK_NORMAL, true, 4, max, min);
  EXPECT_EQ(says(min, 64, 5), "");
  ExpectSays(says(min - 1, 64, 5), "GetTopKMaxMinTmpSize tells the host");
  ExpectSays(says(min, 40, 5), "allowed are multiples of 32");
  ExpectSays(says(min, 64, 65), "a row has no more elements");
}

template <class T, bool kAlong>
void CumSumIsRight() {
  static constexpr AscendC::CumSumConfig kConfig = {
      .isLastAxis = kAlong, .isReuseSource = false, .outputLastRow = true};
  std::mt19937 random(TestSeed());
  for (const Rows rows : {Rows{1, 16, 16}, Rows{13, 48, 48}, Rows{70, 32, 32}}) {
    Gm<T> x(rows.elements());
    Gm<T> y(rows.elements());
    Gm<T> last(rows.columns);
    FillRandom(x, random, 1);
    uint32_t max = 0;
    uint32_t min = 0;
    AscendC::GetCumSumMaxMinTmpSize(ge::Shape({rows.rows, rows.columns}), sizeof(T), kAlong, false, max, min);
    for (const uint32_t bytes : {0U, min, (min + max) / 64 * 32, max}) {
      ASSERT_EQ(TextOf(RunOn(
                    [&] {
                      Ub ub;
                      const auto src = ub.In(x, rows);
                      const auto dst = ub.Room<T>(rows.rows * rows.width);
                      const auto row = ub.Room<T>(rows.columns);
                      const AscendC::CumSumInfo info{rows.rows, rows.columns};
                      bytes == 0 ? AscendC::CumSum<T, kConfig>(dst, row, src, info)
                                 : AscendC::CumSum<T, kConfig>(dst, row, src,
                                                               ub.Room<uint8_t>(std::max(bytes, min)), info);
                      ub.Out(y, dst, rows);
                      ub.Out(last, row, {1, rows.columns, rows.width});
                    },
                    kStrict, x, y, last)),
                "");
      for (uint32_t row = 0; row < rows.rows; ++row) {
        for (uint32_t i = 0; i < rows.columns; ++i) {
          double want = 0;
          for (uint32_t j = 0; j <= (kAlong ? i : row); ++j) {
            want += Value(x.data()[kAlong ? row * rows.columns + j : j * rows.columns + i]);
          }
          ASSERT_NEAR(Value(y.data()[row * rows.columns + i]), want, std::abs(want) * kUlp<T> + 1e-5);
          if (row + 1 == rows.rows) {
            ASSERT_EQ(Value(last.data()[i]), Value(y.data()[row * rows.columns + i]));
          }
        }
      }
    }
  }
}
TEST(CumSumFunction, IsRight) {
  CumSumIsRight<float, true>();
  CumSumIsRight<half, true>();
  CumSumIsRight<float, false>();
  CumSumIsRight<half, false>();
}

template <class T, int32_t dim, int32_t axis>
void BroadcastIsRight(uint32_t m, uint32_t n) {
  std::mt19937 random(TestSeed());
  const uint32_t from[2] = {dim == 1 ? 1 : axis == 0 ? 1 : m, axis == 0 ? n : 1};
  const uint32_t to[2] = {dim == 1 ? n : m, n};
  const uint32_t elements = dim == 1 ? 1 : from[0] * from[1];
  const uint32_t rows = dim == 1 ? 1 : m;
  Gm<T> x(elements);
  Gm<T> y(size_t{rows} * n);
  for (T& value : x.data()) {
    value = T(static_cast<int>(random() % 100));
  }
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetBroadCastMaxMinTmpSize(Part(), ge::Shape({1}), ge::Shape({rows, n}), sizeof(T), false, max,
                                     min);
  for (const uint32_t bytes : {0U, min, max}) {
    ASSERT_EQ(TextOf(RunOn(
                  [&] {
                    Ub ub;
                    const auto src = ub.In(x, Line(elements));
                    const auto dst = ub.Room<T>((rows * n + 31) / 32 * 32);
                    bytes == 0
                        ? AscendC::Broadcast<T, dim, axis>(dst, src, to, from)
                        : AscendC::BroadCast<T, dim, axis>(dst, src, to, from, ub.Room<uint8_t>(bytes));
                    ub.Out(y, dst, Line(size_t{rows} * n));
                  },
                  kStrict, x, y)),
              "");
    for (uint32_t i = 0; i < rows * n; ++i) {
      ASSERT_EQ(y.data()[i], x.data()[dim == 1 ? 0 : axis == 0 ? i % n : i / n]) << i;
    }
  }
}
TEST(BroadcastFunction, IsRight) {
  BroadcastIsRight<float, 1, 0>(1, 77);
  BroadcastIsRight<half, 1, 0>(1, 300);
  BroadcastIsRight<uint8_t, 1, 0>(1, 99);
  for (const uint32_t m : {1U, 19U, 300U}) {
    BroadcastIsRight<float, 2, 0>(m, 104);
    BroadcastIsRight<half, 2, 1>(m, 48);
    BroadcastIsRight<float, 2, 1>(m, 72);
    BroadcastIsRight<int8_t, 2, 1>(m, 96);
    BroadcastIsRight<uint8_t, 2, 0>(m, 96);
  }
}

// The place of an element of a matrix [height, width] in NZ.
uint32_t Nz(uint32_t height, uint32_t row, uint32_t column) {
  return column / 16 * height * 16 + row * 16 + column % 16;
}
using Place = std::function<uint32_t(uint32_t b, uint32_t x, uint32_t y, uint32_t z)>;

template <class T>
void TransposeIsRight(TransposeType type, const Place& from, const Place& to) {
  constexpr uint32_t kB = 2, kX = 3, kY = 32, kZ = 48;
  Gm<T> x(kB * kX * kY * kZ);
  Gm<T> y(x.data().size());
  for (uint32_t i = 0; i < x.data().size(); ++i) {
    x.data()[i] = static_cast<T>(i);
  }
  const auto all = static_cast<uint32_t>(x.data().size());
  ASSERT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub;
                  const auto src = ub.In(x, {1, all, all});
                  const auto dst = ub.Room<T>(all);
                  ConfusionTransposeTiling tiling;
                  AscendC::GetConfusionTransposeTilingInfo(ge::Shape({kB, kX, kY, kZ}), 0, sizeof(T),
                                                           static_cast<uint32_t>(type), tiling);
                  AscendC::ConfusionTranspose(dst, src, type, tiling);
                  ub.Out(y, dst, {1, all, all});
                },
                kStrict, x, y)),
            "");
  for (uint32_t b = 0; b < kB; ++b) {
    for (uint32_t i = 0; i < kX; ++i) {
      for (uint32_t j = 0; j < kY; ++j) {
        for (uint32_t k = 0; k < kZ; ++k) {
          ASSERT_EQ(y.data()[to(b, i, j, k)], x.data()[from(b, i, j, k)]) << int(type) << b << i << j << k;
        }
      }
    }
  }
}
TEST(TransposeFunction, MovesLayouts) {
  using enum TransposeType;
  // [b, x, y, z] = [b, a1, a2, a3] or [b, n, s, h / n]
  const Place chunks = [](uint32_t b, uint32_t x, uint32_t y, uint32_t z) {
    return (b * 3 + x) * 32 * 48 + Nz(32, y, z);
  };
  const Place whole = [](uint32_t b, uint32_t x, uint32_t y, uint32_t z) {
    return b * 3 * 32 * 48 + Nz(32, y, x * 48 + z);
  };
  TransposeIsRight<uint16_t>(
      TRANSPOSE_NZ2ND_0213, chunks,
      [](uint32_t b, uint32_t x, uint32_t y, uint32_t z) { return ((b * 32 + y) * 3 + x) * 48 + z; });
  const Place nd = [](uint32_t b, uint32_t x, uint32_t y, uint32_t z) {
    return (b * 32 + y) * 3 * 48 + x * 48 + z;
  };
  TransposeIsRight<uint16_t>(
      TRANSPOSE_NZ2NZ_0213, chunks,
      [](uint32_t b, uint32_t x, uint32_t y, uint32_t z) { return (b * 32 + y) * 3 * 48 + Nz(3, x, z); });
  TransposeIsRight<uint16_t>(TRANSPOSE_NZ2NZ_012_WITH_N, chunks, whole);
  TransposeIsRight<uint32_t>(TRANSPOSE_NZ2ND_012_WITH_N, chunks, nd);
  TransposeIsRight<uint16_t>(
      TRANSPOSE_NZ2ND_012_WITHOUT_N, whole,
      [](uint32_t b, uint32_t x, uint32_t y, uint32_t z) { return ((b * 3 + x) * 32 + y) * 48 + z; });
  TransposeIsRight<uint32_t>(TRANSPOSE_NZ2NZ_012_WITHOUT_N, whole, chunks);
}
TEST(TransposeFunction, RefusesATilingOfAnotherType) {
  ExpectSays(FaultsOn([] {
               Ub ub;
               const auto x = ub.Room<float>(1024);
               ConfusionTransposeTiling tiling;
               AscendC::GetTransposeTilingInfo(ge::Shape({1, 2, 16, 32}), 4096, 4, 1, tiling);
               AscendC::Transpose(ub.Room<float>(1024), x, ub.Room<uint8_t>(4096),
                                  TransposeType::TRANSPOSE_NZ2NZ_0213, tiling);
             }),
             "tiling: is for TransposeType 1, the call is of 2; give GetTransposeTilingInfo the call's");
}
TEST(TransposeFunction, TurnsAMatrix) {
  const Rows rows{32, 45, 45};
  Gm<float> x(rows.elements());
  Gm<float> y(rows.elements());
  std::iota(x.data().begin(), x.data().end(), 0.0F);
  const Rows all = Line(rows.elements());
  const auto says = [&](uint32_t bytes) {
    return TextOf(RunOn(
        [&] {
          Ub ub;
          const auto src = ub.In(x, all);
          const auto dst = ub.Room<float>(all.width);
          ConfusionTransposeTiling tiling;
          AscendC::GetTransposeTilingInfo(ge::Shape({32, 45}), bytes, 4, 7, tiling);
          AscendC::Transpose(dst, src, ub.Room<uint8_t>(bytes), TransposeType::TRANSPOSE_ND2ND_ONLY, tiling);
          ub.Out(y, dst, all);
        },
        kStrict, x, y));
  };
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetTransposeMaxMinTmpSize(ge::Shape({32, 45}), 4, 7, max, min);
  ASSERT_EQ(says(min), "");
  for (uint32_t i = 0; i < rows.elements(); ++i) {
    ASSERT_EQ(y.data()[i % 45 * 32 + i / 45], x.data()[i]);
  }
  ExpectSays(says(min - 1), "GetTransposeMaxMinTmpSize tells the host");
}

template <class T>
void PadIsRight(const Rows& rows, uint16_t left, uint16_t right) {
  const uint32_t padded = left + rows.columns + right;
  Gm<T> x(rows.elements());
  Gm<T> y(size_t{rows.rows} * padded);
  for (uint32_t i = 0; i < rows.elements(); ++i) {
    x.data()[i] = T(static_cast<float>(i % 2000));
  }
  const ge::Shape shape({rows.rows, rows.width});
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetPadMaxMinTmpSize(shape, sizeof(T), max, min);
  ASSERT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub;
                  const auto src = ub.In(x, rows.width == rows.columns ? Line(rows.elements()) : rows);
                  const auto dst = ub.Room<T>(rows.rows * padded);
                  PadTiling tiling;
                  AscendC::PadTilingFunc(shape, ge::Shape({rows.rows, rows.columns}), min, sizeof(T), tiling);
                  AscendC::Pad(dst, src, {left, right, 321}, ub.Room<uint8_t>(min), tiling);
                  ub.Out(y, dst, {rows.rows, padded, padded});
                },
                kStrict, x, y)),
            "");
  for (uint32_t i = 0; i < y.data().size(); ++i) {
    const uint32_t at = i % padded;
    const bool inside = at >= left && at < left + rows.columns;
    const double want = inside ? Value(x.data()[i / padded * rows.columns + at - left]) : 321;
    ASSERT_EQ(Value(y.data()[i]), want) << i;
  }
}
TEST(PadFunction, IsRight) {
  PadIsRight<float>({3, 64, 64}, 5, 3);
  PadIsRight<float>({4, 13, 16}, 0, 3);
  PadIsRight<half>({2, 700, 704}, 100, 16);
  PadIsRight<half>({32, 31, 31}, 0, 1);  // rows that begin between blocks
  PadIsRight<float>({5, 20, 20}, 0, 4);
  PadIsRight<float>({3, 601, 601}, 4, 3);
}
TEST(UnPadFunction, IsRight) {
  const Rows rows{5, 48, 48};
  Gm<half> x(rows.elements());
  Gm<half> y(size_t{5} * 19);
  for (uint32_t i = 0; i < rows.elements(); ++i) {
    x.data()[i] = half(static_cast<float>(i));
  }
  ASSERT_EQ(TextOf(RunOn(
                [&] {
                  Ub ub;
                  const auto src = ub.In(x, rows);
                  const auto dst = ub.Room<half>(96);
                  UnPadTiling tiling;
                  AscendC::UnPadTilingFunc(ge::Shape({5, 48}), 0, 2, tiling);
                  AscendC::UnPad(dst, src, {16, 13}, tiling);
                  ub.Out(y, dst, {1, 95, 96});
                },
                kStrict, x, y)),
            "");
  for (uint32_t i = 0; i < 95; ++i) {
    ASSERT_EQ(float(y.data()[i]), static_cast<float>(i / 19 * 48 + 16 + i % 19));
  }
}

}  // namespace
}  // namespace tilesim
