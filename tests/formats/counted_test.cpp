#include "formats/counted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tilesim {
namespace {

TEST(Counted, HasOneOfAThingAndSeveralThings) {
  EXPECT_EQ(Counted(1, "block"), "1 block");
  EXPECT_EQ(Counted(0, "block"), "0 blocks");
  EXPECT_EQ(Counted(uint64_t{58}, "block"), "58 blocks");
  EXPECT_EQ(Counted(1, "matrix", "matrices"), "1 matrix");
  EXPECT_EQ(Counted(2, "matrix", "matrices"), "2 matrices");
}

}  // namespace
}  // namespace tilesim
