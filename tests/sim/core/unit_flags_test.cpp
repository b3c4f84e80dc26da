#include "sim/core/unit_flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace tilesim {
namespace {

TEST(UnitFlags, KeepOneMomentForEachBlock) {
  constexpr uint32_t kBlocks = 40;
  std::mt19937 random(7);
  const auto pick = [&](uint32_t least, uint32_t most) {
    return std::uniform_int_distribution<uint32_t>(least, most)(random);
  };
  UnitFlags<int64_t> flags;
  std::vector<int64_t> plain(kBlocks, 0);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t begin = pick(0, kBlocks - 1);
    const uint32_t count = pick(1, kBlocks - begin);
    if (pick(0, 1) == 0) {
      flags.Set(begin, count, round);
      std::fill_n(plain.begin() + begin, count, round);
    }
    int64_t latest = 0;
    flags.ForRuns(begin, count, [&](int64_t moment) { latest = std::max(latest, moment); });
    ASSERT_EQ(latest, *std::max_element(plain.begin() + begin, plain.begin() + begin + count)) << round;
  }
}

}  // namespace
}  // namespace tilesim
