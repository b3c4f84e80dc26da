#include "tiling/max_pool/pool_taps.h"

#include <gtest/gtest.h>

#include <random>

namespace tilesim {
namespace {

bool InBounds(const PoolAxis& axis, int64_t o, int64_t k) {
  const int64_t i = o * axis.stride - axis.before + k * axis.dilation;
  return i >= 0 && i < axis.in;
}

int64_t FirstTap(const PoolAxis& axis, int64_t o) {
  int64_t k = 0;
  while (k < axis.window && !InBounds(axis, o, k)) {
    ++k;
  }
  return k;
}

class PoolTapsOf : public ::testing::Test {
 protected:
  static constexpr uint32_t kSeed = 20261121;

  PoolAxis Next() {
    return {.in = Pick(1, 12),
            .out = Pick(1, 9),
            .window = Pick(1, 5),
            .stride = Pick(1, 6),
            .dilation = Pick(1, 6),
            .before = Pick(0, 8)};
  }
  int64_t Pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

 private:
  std::mt19937 random_{kSeed};
};

TEST_F(PoolTapsOf, AnyAxisFormTheRangesThatALoopFinds) {
  for (int trial = 0; trial < 2000; ++trial) {
    const PoolAxis axis = Next();
    const PoolTaps taps(axis);
    bool any_empty = false;
    for (int64_t o = 0; o < axis.out; ++o) {
      const int64_t first = FirstTap(axis, o);
      any_empty = any_empty || first == axis.window;
      for (int64_t k = 0; k < axis.window; ++k) {
        const bool inside = InBounds(axis, o, k);
        ASSERT_EQ(taps.Inside(k).Has(o), inside) << "seed " << kSeed << ", trial " << trial;
        ASSERT_EQ(taps.First(k).Has(o), inside && k == first) << "seed " << kSeed << ", trial " << trial;
        ASSERT_EQ(taps.Later(k).Has(o), inside && k != first) << "seed " << kSeed << ", trial " << trial;
        ASSERT_EQ(taps.Of(o).Has(k), inside) << "seed " << kSeed << ", trial " << trial;
      }
    }
    EXPECT_EQ(taps.AnyEmpty(), any_empty);
  }
}

TEST_F(PoolTapsOf, AnyRangeOfOutputsReadWhatALoopFinds) {
  for (int trial = 0; trial < 2000; ++trial) {
    const PoolAxis axis = Next();
    const PoolTaps taps(axis);
    const int64_t begin = Pick(0, axis.out - 1);
    const PoolRange outputs{begin, Pick(begin + 1, axis.out)};
    const PoolRange reach = taps.Reach(outputs);
    for (int64_t i = 0; i < axis.in; ++i) {
      std::vector<std::pair<int64_t, int64_t>> expected;
      for (int64_t o = outputs.begin; o < outputs.end; ++o) {
        for (int64_t k = 0; k < axis.window; ++k) {
          if (taps.Position(o, k) == i) {
            expected.emplace_back(o, k);
          }
        }
      }
      std::vector<std::pair<int64_t, int64_t>> found;
      taps.ForReaders(i, outputs, [&](int64_t o, int64_t k) { found.emplace_back(o, k); });
      ASSERT_EQ(found, expected) << "seed " << kSeed << ", trial " << trial;
      ASSERT_TRUE(expected.empty() || reach.Has(i)) << "seed " << kSeed << ", trial " << trial;
      ASSERT_EQ(taps.NextRead(i, i + 1, outputs), expected.empty() ? i + 1 : i);
      ASSERT_EQ(taps.AnyReads(i, outputs), !expected.empty());
    }
    for (int64_t i = axis.in, next = axis.in; i-- > 0;) {
      next = taps.AnyReads(i, outputs) ? i : next;
      ASSERT_EQ(taps.NextRead(i, axis.in, outputs), next) << "seed " << kSeed << ", trial " << trial;
    }
  }
}

// Of two outputs, or of a million, whose taps lie a million positions apart.
TEST(PoolTaps, FindsReadersFarApartAtOnce) {
  constexpr int64_t kFar = 1'000'000;
  for (const int64_t out : {int64_t{2}, kFar}) {
    const PoolTaps taps(
        {.in = 3 * kFar, .out = out, .window = 3, .stride = 1, .dilation = kFar, .before = 0});
    const PoolRange all{0, out};
    int64_t read = 0;
    int64_t readers = 0;
    for (int64_t i = taps.NextRead(0, 3 * kFar, all); i < 3 * kFar; i = taps.NextRead(i + 1, 3 * kFar, all)) {
      ++read;
      taps.ForReaders(i, all, [&](int64_t, int64_t) { ++readers; });
    }
    EXPECT_EQ(read, 3 * out);
    EXPECT_EQ(readers, 3 * out);
  }
}

}  // namespace
}  // namespace tilesim
