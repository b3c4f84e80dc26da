#include "formats/units.h"

#include <gtest/gtest.h>

#include "formats/error.h"

namespace tilesim {
namespace {

TEST(Units, CeilDivRoundsUpOnlyWhatDoesNotDivide) {
  EXPECT_EQ(CeilDiv(0, 16), 0);
  EXPECT_EQ(CeilDiv(1, 16), 1);
  EXPECT_EQ(CeilDiv(16, 16), 1);
  EXPECT_EQ(CeilDiv(17, 16), 2);
}

TEST(Units, FloorDivRoundsDownBelowZeroToo) {
  EXPECT_EQ(FloorDiv(7, 2), 3);
  EXPECT_EQ(FloorDiv(-7, 2), -4);
  EXPECT_EQ(FloorDiv(-8, 2), -4);
  EXPECT_EQ(FloorDiv(-1, 16), -1);
}

TEST(Units, AlignUpGivesTheNextMultiple) {
  EXPECT_EQ(AlignUp(0, 16), 0);
  EXPECT_EQ(AlignUp(16, 16), 16);
  EXPECT_EQ(AlignUp(17, 16), 32);
}

TEST(Units, MixedTypesDivideInTheWiderOne) {
  const int64_t large = int64_t{1} << 40;
  static_assert(std::is_same_v<decltype(CeilDiv(int64_t{1}, 3)), int64_t>);
  EXPECT_EQ(CeilDiv(large + 1, 2), (large >> 1) + 1);
  EXPECT_EQ(AlignUp(int64_t{33}, 32), 64);
}

TEST(Say, JoinsTextCharactersTruthAndNumbers) {
  const std::string name = "ub.bytes";
  EXPECT_EQ(Say(name, " = ", 8, " B", ',', ' ', true, ' ', -3, ' ', uint8_t{200}),
            "ub.bytes = 8 B, true -3 200");
}

TEST(Say, WritesNumbersInTheirShortestExactDigits) {
  EXPECT_EQ(Say(0.1), "0.1");
  EXPECT_EQ(Say(0.1f), "0.1");
  EXPECT_EQ(Say(1850.0), "1850");
  EXPECT_EQ(Say(-1.5e-30), "-1.5e-30");
  EXPECT_EQ(Say(int64_t{-9223372036854775807}), "-9223372036854775807");
}

TEST(RequireUser, ThrowsTheJoinedMessageOnlyWhenNotOk) {
  EXPECT_NO_THROW(RequireUser(true, "never"));
  try {
    RequireUser(false, "a.cfg: ub.bytes = ", 8, ", must be at least ", 32);
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a.cfg: ub.bytes = 8, must be at least 32");
  }
}

}  // namespace
}  // namespace tilesim
