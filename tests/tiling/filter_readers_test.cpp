#include "tiling/conv_backprop/filter_readers.h"

#include <gtest/gtest.h>

namespace tilesim {
namespace {

TEST(PartReaders, TellWhetherAPartIsInL2AndWhoReadItLast) {
  PartReaders readers(1000, 8);
  readers.Read(7, 0, 100);
  readers.Read(7, 1, 100);
  EXPECT_FALSE(readers.FoundBy(7, 0).in_l2);
  EXPECT_EQ(readers.FoundBy(7, 0).together, 2);
  EXPECT_TRUE(readers.IsRead(7));
  EXPECT_FALSE(readers.InL2(7));  // not from a step before
  readers.NextStep();
  EXPECT_FALSE(readers.IsRead(7));
  EXPECT_TRUE(readers.InL2(7));
  readers.Read(7, 1, 100);
  EXPECT_TRUE(readers.FoundBy(7, 1).in_l2);
  EXPECT_FALSE(readers.FoundBy(7, 1).by_other);
  EXPECT_TRUE(readers.FoundBy(7, 0).by_other);
  EXPECT_EQ(readers.FoundBy(7, 1).together, 1);
}

// A part that was read at the beginning of a step has left L2 when that and the steps since have fetched
// more.
TEST(PartReaders, ForgetWhatMoreThanL2HoldsWasFetchedAfter) {
  for (const double later : {900.0, 901.0}) {
    PartReaders readers(1000, 8);
    readers.Read(1, 0, 100);
    readers.NextStep();
    readers.Read(2, 0, later);
    readers.NextStep();
    EXPECT_EQ(readers.InL2(1), later == 900) << later;
    EXPECT_TRUE(readers.InL2(2)) << later;
    readers.Read(1, 1, 100);
    EXPECT_EQ(readers.FoundBy(1, 1).in_l2, later == 900) << later;
  }
}

TEST(PartReaders, HoldAsManyPartsAsTheyAreMadeFor) {
  constexpr int64_t kParts = 1000;
  PartReaders readers(1e9, kParts);
  for (int64_t part = 0; part < kParts; ++part) {
    readers.Read(part << 20, part, 1);  // far apart, and near each other by hash
  }
  readers.NextStep();
  for (int64_t part = 0; part < kParts; ++part) {
    EXPECT_TRUE(readers.InL2(part << 20));
    EXPECT_FALSE(readers.InL2((part << 20) + 1));
  }
}

}  // namespace
}  // namespace tilesim
