// CrossCoreFlags: who sets and who waits in each mode, and how far a counter goes.
#include "sim/core/cross_core.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace tilesim {
namespace {

// Two blocks of one AIC (0, 1) and two AIVs (2..5) each.
std::vector<CoreIdentity> MixedCores() {
  std::vector<CoreIdentity> cores;
  for (int block = 0; block < 2; ++block) {
    cores.push_back({.kind = CoreKind::kAic, .index = block, .block = block});
  }
  for (int i = 0; i < 4; ++i) {
    cores.push_back(
        {.kind = CoreKind::kAiv, .index = 2 + i, .block = i / 2, .sub_block = i % 2, .aivs_per_block = 2});
  }
  return cores;
}
std::vector<int> Up(const CrossCoreFlags& flags, int id) {
  std::vector<int> cores;
  for (int core = 0; core < 6; ++core) {
    if (flags.Ready(core, id)) {
      cores.push_back(core);
    }
  }
  return cores;
}

TEST(CrossCoreFlags, Mode0NeedsAllCoresOfTheKind) {
  CrossCoreFlags flags(MixedCores());
  for (const int core : {2, 3, 5}) {
    EXPECT_EQ(flags.Deliver({.core_index = core, .mode = 0, .id = 7, .set = static_cast<uint32_t>(core)}),
              "");
    EXPECT_TRUE(Up(flags, 7).empty());
  }
  flags.Deliver({.core_index = 4, .mode = 0, .id = 7, .set = 4});
  EXPECT_EQ(Up(flags, 7), (std::vector<int>{2, 3, 4, 5}));
  const std::optional<CrossCoreToken> token = flags.Take(2, 7);
  ASSERT_EQ(token->from.size(), 4U);  // all of them
  EXPECT_EQ(token->from[2].set, 4U);
  EXPECT_FALSE(flags.Take(2, 7).has_value());
  EXPECT_FALSE(flags.Ready(3, 6));
}

TEST(CrossCoreFlags, Mode1JoinsTheAivsOfABlock) {
  CrossCoreFlags flags(MixedCores());
  flags.Deliver({.core_index = 4, .mode = 1, .id = 0});
  flags.Deliver({.core_index = 3, .mode = 1, .id = 0});
  EXPECT_TRUE(Up(flags, 0).empty());
  flags.Deliver({.core_index = 5, .mode = 1, .id = 0});
  EXPECT_EQ(Up(flags, 0), (std::vector<int>{4, 5}));
}

TEST(CrossCoreFlags, Mode2GoesBetweenTheAicAndItsAivs) {
  CrossCoreFlags flags(MixedCores());
  flags.Deliver({.core_index = 1, .mode = 2, .id = 3});
  EXPECT_EQ(Up(flags, 3), (std::vector<int>{4, 5}));
  flags.Deliver({.core_index = 2, .mode = 2, .id = 5});
  EXPECT_TRUE(Up(flags, 5).empty());  // the other AIV of the block has not set it
  flags.Deliver({.core_index = 3, .mode = 2, .id = 5});
  EXPECT_EQ(Up(flags, 5), (std::vector<int>{0}));
}

TEST(CrossCoreFlags, ACounterHolds15) {
  CrossCoreFlags flags(MixedCores());
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(flags.Deliver({.core_index = 0, .mode = 2, .id = 3}), "");
  }
  EXPECT_EQ(flags.Deliver({.core_index = 0, .mode = 2, .id = 3}),
            "the counter of cross-core flag 3 of AIV 0.0 would pass 15; wait for it between the sets");
  flags.Take(2, 3);
  flags.Take(3, 3);
  EXPECT_EQ(flags.Deliver({.core_index = 0, .mode = 2, .id = 3}), "");
}

}  // namespace
}  // namespace tilesim
