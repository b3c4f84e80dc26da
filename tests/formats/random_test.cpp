#include "formats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "tests/formats/every_target.h"

namespace tilesim {
namespace {

// The definition, one element at a time.
float Defined(uint64_t seed, uint64_t index, const RandomRange& range) {
  const float product = static_cast<float>(RandomBits(seed, index) >> 8) * range.step;
  return std::min(range.lo + product, range.hi);
}

TEST(Random, EveryTargetGivesTheDefinedFloats) {
  const RandomRange range(-1.5, 2.25);
  OnEveryTarget([&] {
    for (const uint64_t stride : {1u, 7u, 0u, 4096u}) {
      std::vector<float> values(1003);
      RandomFloats(42, 5, stride, range, values);
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], Defined(42, 5 + i * stride, range)) << i << " stride " << stride;
      }
    }
  });
}

TEST(Random, GoesOnAcrossIndexTwoToThe32) {
  const RandomRange range(0, 1);
  const uint64_t first = (uint64_t{1} << 32) - 21;
  for (const uint64_t stride : {uint64_t{1}, uint64_t{6}, (uint64_t{1} << 32) + 3}) {
    std::vector<float> values(50);
    RandomFloats(7, first, stride, range, values);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], Defined(7, first + i * stride, range)) << i << " stride " << stride;
    }
  }
}

TEST(Random, KnownNumbersStay) {  // stored inputs and published results depend on them
  EXPECT_EQ(RandomBits(0, 0), 0xfa954d19u);
  EXPECT_EQ(RandomBits(1, 2), 0x844a3133u);
  EXPECT_EQ(RandomBits(123456789, uint64_t{5} << 32), 0xbb54497du);
}

TEST(Random, IsEvenOverTheRange) {
  constexpr size_t kCount = 1 << 20;
  constexpr size_t kBins = 64;
  std::vector<float> values(kCount);
  RandomFloats(11, 0, 1, RandomRange(-1, 1), values);
  std::vector<size_t> bins(kBins);
  for (const float value : values) {
    ASSERT_GE(value, -1.0f);
    ASSERT_LE(value, 1.0f);
    ++bins[std::min<size_t>(kBins - 1, static_cast<size_t>((value + 1) / 2 * kBins))];
  }
  double chi_squared = 0;
  for (const size_t bin : bins) {
    const double apart = static_cast<double>(bin) - kCount / kBins;
    chi_squared += apart * apart / (kCount / kBins);
  }
  EXPECT_LT(chi_squared, 120);  // 63 degrees of freedom: 1 in 10^5
  EXPECT_GT(chi_squared, 20);
}

TEST(Random, SeedsAreNotShiftsOfEachOther) {
  std::set<uint32_t> of_seed_1;
  for (uint64_t i = 0; i < 4096; ++i) {
    of_seed_1.insert(RandomBits(1, i));
  }
  int neighbours = 0;
  for (uint64_t i = 0; i + 1 < 4096; ++i) {
    neighbours += of_seed_1.contains(RandomBits(2, i)) && of_seed_1.contains(RandomBits(2, i + 1)) ? 1 : 0;
  }
  EXPECT_EQ(neighbours, 0);
}

TEST(Random, NeighbouringIndicesAreNotCorrelated) {
  constexpr size_t kCount = 1 << 20;
  std::vector<float> values(kCount + 16);
  RandomFloats(3, 0, 1, RandomRange(-1, 1), values);
  for (const size_t apart : {1, 2, 16}) {
    double sum = 0;
    for (size_t i = 0; i < kCount; ++i) {
      sum += static_cast<double>(values[i]) * values[i + apart];
    }
    // Products of independent U(-1,1) have variance 1/9: the sum's standard deviation is sqrt(kCount)/3.
    EXPECT_LT(std::abs(sum), 5 * std::sqrt(double{kCount}) / 3) << apart;
  }
}

TEST(Random, AnEmptyRangeGivesItsOnlyNumber) {
  std::vector<float> values(33);
  RandomFloats(9, 0, 1, RandomRange(0.25, 0.25), values);
  EXPECT_TRUE(std::ranges::all_of(values, [](float value) { return value == 0.25f; }));
}

}  // namespace
}  // namespace tilesim
