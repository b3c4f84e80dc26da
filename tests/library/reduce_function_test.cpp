// Reductions with a pattern, Sum and Mean against loops in double.
#include <functional>

#include "tests/library/row_run.h"

namespace tilesim {
namespace {

using AscendC::LocalTensor;
using AscendC::ReducePattern;
using AscendC::Pattern::Reduce::AR;
using AscendC::Pattern::Reduce::RA;
using testing::TestSeed;

template <class T>
using Call = std::function<void(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LocalTensor<uint8_t>* scratch)>;
using Fold = double (*)(double so_far, double value);

double Plus(double so_far, double value) { return so_far + value; }
double Times(double so_far, double value) { return so_far * value; }
double Larger(double so_far, double value) { return std::max(so_far, value); }
double Lesser(double so_far, double value) { return std::min(so_far, value); }

// Of each row, or of each column.
template <class T>
std::vector<double> Folded(Gm<T>& x, const Rows& rows, bool over_rows, Fold fold) {
  std::vector<double> results;
  const uint32_t outer = over_rows ? rows.columns : rows.rows;
  for (uint32_t i = 0; i < outer; ++i) {
    double result = 0;
    for (uint32_t j = 0; j < (over_rows ? rows.rows : rows.columns); ++j) {
      const double value = Value(x.data()[over_rows ? j * rows.columns + i : i * rows.columns + j]);
      result = j == 0 ? value : fold(result, value);
    }
    results.push_back(result);
  }
  return results;
}

template <class T>
std::string RunOnRows(const Call<T>& call, Gm<T>& x, Gm<T>& y, const Rows& rows, uint32_t scratch_bytes) {
  const auto results = static_cast<uint32_t>(y.data().size());
  return TextOf(RunOn(
      [&] {
        Ub ub;
        const LocalTensor<T> src = ub.In(x, rows);
        const LocalTensor<T> dst = ub.Room<T>(results);
        if (scratch_bytes == 0) {
          call(dst, src, nullptr);
        } else {
          const LocalTensor<uint8_t> tmp = ub.Room<uint8_t>(scratch_bytes);
          call(dst, src, &tmp);
        }
        ub.Out(y, dst, {1, results, Padded<T>(results)});
      },
      kStrict, x, y));
}

using TellSize = void (*)(const ge::Shape&, ge::DataType, ReducePattern, bool, bool, uint32_t&, uint32_t&);

// Each pattern, with scratch and without. `bound`: of the error; 0: there is none.
template <class T, class Calls>
void IsRight(const Calls& calls, ge::DataType type, TellSize tell, Fold fold, double bound, bool mean,
             float most = 3) {
  std::mt19937 random(TestSeed());
  for (const auto& pair : std::vector<std::pair<uint32_t, uint32_t>>{
           {1, 1}, {3, 64}, {7, 65}, {20, 130}, {40, 5}, {2, 1500}, {300, 17}, {9, 200}}) {
    const uint32_t count = pair.first, columns = pair.second;
    const Rows rows{.rows = count, .columns = columns, .width = Padded<T>(columns)};
    for (const bool over_rows : {false, true}) {
      Gm<T> x(rows.elements());
      FillRandom(x, random, most);
      Gm<T> y(over_rows ? columns : count);
      uint32_t max = 0;
      uint32_t min = 0;
      tell(ge::Shape({count, columns}), type, over_rows ? ReducePattern::RA : ReducePattern::AR, true, false,
           max, min);
      const uint32_t shape[] = {count, columns};
      const Call<T> call = calls(over_rows, shape);
      const uint32_t some = std::min((min + max) / 64 * 32, 80U * 1024);
      for (const uint32_t scratch : {0U, min, std::max(min, some)}) {
        ASSERT_EQ(RunOnRows(call, x, y, rows, scratch), "") << count << " x " << columns << ", " << over_rows;
        const std::vector<double> want = Folded(x, rows, over_rows, fold);
        for (size_t i = 0; i < want.size(); ++i) {
          const double expected = mean ? want[i] / (over_rows ? count : columns) : want[i];
          ASSERT_NEAR(Value(y.data()[i]), expected, std::abs(expected) * (bound == 0 ? 0 : kUlp<T>)+bound)
              << count << " x " << columns << ", " << over_rows << ", " << scratch << ": " << i;
        }
      }
      const std::string small = RunOnRows(call, x, y, rows, min - 1);
      ExpectSays(small, "the call needs at least " + std::to_string(min));
    }
  }
}
#define CALLS_OF(NAME, T)                                                                               \
  [](bool columns, const uint32_t* extents) -> Call<T> {                                                \
    return [=](const LocalTensor<T>& to, const LocalTensor<T>& from, const LocalTensor<uint8_t>* tmp) { \
      if (columns) {                                                                                    \
        tmp == nullptr ? AscendC::NAME<T, RA>(to, from, extents, true)                                  \
                       : AscendC::NAME<T, RA, true>(to, from, *tmp, extents, true);                     \
      } else {                                                                                          \
        tmp == nullptr ? AscendC::NAME<T, AR>(to, from, extents, true)                                  \
                       : AscendC::NAME<T, AR, false>(to, from, *tmp, extents, true);                    \
      }                                                                                                 \
    };                                                                                                  \
  }

TEST(ReduceFunction, SumIsRight) {
  IsRight<float>(CALLS_OF(ReduceSum, float), ge::DT_FLOAT, AscendC::GetReduceSumMaxMinTmpSize, Plus, 1e-4,
                 false);
}
TEST(ReduceFunction, MeanIsRight) {
  IsRight<float>(CALLS_OF(ReduceMean, float), ge::DT_FLOAT, AscendC::GetReduceMeanMaxMinTmpSize, Plus, 1e-6,
                 true);
}
TEST(ReduceFunction, MaxIsRight) {
  IsRight<float>(CALLS_OF(ReduceMax, float), ge::DT_FLOAT, AscendC::GetReduceMaxMaxMinTmpSize, Larger, 0,
                 false);
  IsRight<half>(CALLS_OF(ReduceMax, half), ge::DT_FLOAT16, AscendC::GetReduceMaxMaxMinTmpSize, Larger, 0,
                false);
}
TEST(ReduceFunction, MinIsRight) {
  IsRight<float>(CALLS_OF(ReduceMin, float), ge::DT_FLOAT, AscendC::GetReduceMinMaxMinTmpSize, Lesser, 0,
                 false);
  IsRight<half>(CALLS_OF(ReduceMin, half), ge::DT_FLOAT16, AscendC::GetReduceMinMaxMinTmpSize, Lesser, 0,
                false);
}
TEST(ReduceFunction, ProdIsRight) {
  IsRight<float>(CALLS_OF(ReduceProd, float), ge::DT_FLOAT, AscendC::GetReduceProdMaxMinTmpSize, Times, 1e-5,
                 false, 1.4F);
}

// Zeros are frequent, and one row and one column have nothing else.
template <class T>
void BitsAreRight(bool any) {
  std::mt19937 random(TestSeed());
  const Rows rows{.rows = 37, .columns = 70, .width = Padded<T>(70)};
  Gm<T> x(rows.elements());
  for (T& value : x.data()) {
    value = random() % (any ? 40 : 2) == 0 ? T(any ? 3 : 0) : T(any ? 0 : 200);
  }
  for (uint32_t i = 0; i < rows.columns; ++i) {
    x.data()[i] = any ? T(0) : T(1);
  }
  if constexpr (std::is_same_v<T, float>) {
    x.data()[rows.columns + 3] = -1e-42F;
  }
  for (const bool over_rows : {false, true}) {
    Gm<T> y(over_rows ? rows.columns : rows.rows);
    const uint32_t shape[] = {rows.rows, rows.columns};
    const Call<T> call =
        any ? CALLS_OF(ReduceAny, T)(over_rows, shape) : CALLS_OF(ReduceAll, T)(over_rows, shape);
    uint32_t max = 0;
    uint32_t min = 0;
    const ge::DataType type = sizeof(T) == 1 ? ge::DT_UINT8 : ge::DT_FLOAT;
    const ReducePattern pattern = over_rows ? ReducePattern::RA : ReducePattern::AR;
    AscendC::GetReduceAnyMaxMinTmpSize(ge::Shape({rows.rows, rows.columns}), type, pattern, true, false, max,
                                       min);
    for (const uint32_t scratch : {0U, min, max}) {
      ASSERT_EQ(RunOnRows(call, x, y, rows, scratch), "");
      for (uint32_t i = 0; i < y.data().size(); ++i) {
        bool want = !any;
        for (uint32_t j = 0; j < (over_rows ? rows.rows : rows.columns); ++j) {
          const bool set = x.data()[over_rows ? j * rows.columns + i : i * rows.columns + j] != T(0);
          want = any ? want || set : want && set;
        }
        ASSERT_EQ(y.data()[i], T(want ? 1 : 0)) << i << " " << over_rows;
      }
    }
  }
}
TEST(ReduceFunction, AnyAndAllAreRight) {
  for (const bool any : {false, true}) {
    BitsAreRight<float>(any);
    BitsAreRight<uint8_t>(any);
  }
}

// Rows of `inner` elements of which n are added, 64 and more; the least scratch is known without the rows.
template <class T>
void SumsAreRight() {
  std::mt19937 random(TestSeed());
  for (const Rows rows : {Rows{21, 100, 160}, Rows{5, 30, 64}, Rows{2, 3, 4096}, Rows{1, 1000, 1008}}) {
    Gm<T> x(rows.elements());
    Gm<T> y(rows.rows);
    FillRandom(x, random, 2);
    uint32_t max = 0;
    uint32_t min = 0;
    AscendC::GetSumMaxMinTmpSize(rows.width, sizeof(T), false, max, min);
    for (const bool mean : {false, true}) {
      const Call<T> call = [&](const auto& dst, const auto& src, const LocalTensor<uint8_t>* tmp) {
        const AscendC::SumParams sum{rows.rows, rows.width, rows.columns};
        const AscendC::MeanParams part{rows.rows, rows.width, rows.columns};
        if (mean) {
          tmp == nullptr ? AscendC::Mean<T>(dst, src, part)
                         : AscendC::Mean<T, T, false>(dst, src, *tmp, part);
        } else {
          tmp == nullptr ? AscendC::Sum<T>(dst, src, sum) : AscendC::Sum<T, -1, false>(dst, src, *tmp, sum);
        }
      };
      for (const uint32_t scratch : {0U, min, std::min(max, 64U * 1024)}) {
        ASSERT_EQ(RunOnRows(call, x, y, rows, scratch), "");
        const std::vector<double> want = Folded(x, rows, false, Plus);
        for (size_t i = 0; i < want.size(); ++i) {
          const double expected = want[i] / (mean ? rows.columns : 1);
          ASSERT_NEAR(Value(y.data()[i]), expected, std::abs(expected) * kUlp<T> + (mean ? 1e-6 : 1e-4)) << i;
        }
      }
    }
  }
}
TEST(SumFunction, AddsTheFirstElementsOfRows) {
  SumsAreRight<float>();
  SumsAreRight<half>();
}

TEST(ReduceFunction, RefusesRowsThatAreNoWholeBlocks) {
  ExpectSays(FaultsOn([] {
               Ub ub;
               const LocalTensor<float> x = ub.Room<float>(100);
               const uint32_t shape[] = {3, 9};
               AscendC::ReduceSum<float, AR>(x, x[64], shape, false);
             }),
             "has rows of 9 elements, allowed are multiples of 8");
}

}  // namespace
}  // namespace tilesim
