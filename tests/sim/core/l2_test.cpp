// L2: what is found where. What that means for the time of moves: shared_gm_test.cpp.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/l2_cache.h"

namespace tilesim {
namespace {

L2Cache CacheOf(const std::vector<std::string>& settings = {}) { return L2Cache(LoadSoc("unit", settings)); }

L2Traffic Touch(L2Cache& l2, uint64_t begin, uint64_t end, Use use = Use::kRead, int core = 0) {
  L2Traffic traffic;
  l2.Touch(begin, end, use, core, traffic);
  return traffic;
}

TEST(L2Cache, FindsWhatWasTouchedBefore) {
  L2Cache l2 = CacheOf();
  EXPECT_EQ(Touch(l2, 0, 20000).bytes.miss, 20096);  // 157 sectors
  const L2Traffic again = Touch(l2, 0, 20000);
  EXPECT_EQ(again.bytes.hit, 20000);
  EXPECT_EQ(again.bytes.miss, 0);
  EXPECT_EQ(l2.held_lines(), 40);
}

TEST(L2Cache, FetchesTheSectorsThatAreTouchedAndNoMore) {
  L2Cache l2 = CacheOf();
  EXPECT_EQ(Touch(l2, 32, 64).bytes.miss, 128);
  EXPECT_EQ(Touch(l2, 0, 128).bytes.hit, 128);
  EXPECT_EQ(Touch(l2, 128, 129).bytes.miss, 128);  // of the same line
  const L2Traffic rest = Touch(l2, 100, 1000);
  EXPECT_EQ(rest.bytes.hit, 156);   // [100, 256)
  EXPECT_EQ(rest.bytes.miss, 768);  // [256, 1024)
  EXPECT_EQ(l2.held_lines(), 2);
}

TEST(L2Cache, WritesGoToL2AndReachHbmWhenTheyAreReplaced) {
  L2Cache l2 = CacheOf({"memory.l2_bytes=16384"});  // two groups of 64 sectors
  const L2Traffic write = Touch(l2, 0, 8000, Use::kWrite);
  EXPECT_EQ(write.bytes.hit, 8000);
  EXPECT_EQ(write.bytes.miss + write.behind_bytes + write.written_back_bytes, 0);
  EXPECT_EQ(Touch(l2, 0, 8000).bytes.hit, 8000);
  EXPECT_EQ(Touch(l2, 8192, 16384).written_back_bytes, 0);
  EXPECT_EQ(Touch(l2, 16384, 24576).written_back_bytes, 63 * 128);  // the written sectors
  EXPECT_EQ(Touch(l2, 0, 128).bytes.miss, 128);
  EXPECT_EQ(Touch(l2, 16384, 24576).bytes.hit, 8192);
}

TEST(L2Cache, AnAtomicUpdateFetchesWhatItMisses) {
  L2Cache l2 = CacheOf();
  const L2Traffic update = Touch(l2, 0, 64, Use::kAtomic);
  EXPECT_EQ(update.bytes.hit, 64);
  EXPECT_EQ(update.behind_bytes, 128);
  EXPECT_EQ(Touch(l2, 0, 64, Use::kAtomic).behind_bytes, 0);
}

TEST(L2Cache, WithoutAllocationWritesThatMissGoToHbm) {
  L2Cache l2 = CacheOf({"l2.write_allocate=0"});
  Touch(l2, 0, 128);
  const L2Traffic write = Touch(l2, 64, 320, Use::kWrite);
  EXPECT_EQ(write.bytes.hit, 64);
  EXPECT_EQ(write.bytes.miss, 192);
  EXPECT_EQ(Touch(l2, 128, 256).bytes.miss, 128);
}

TEST(L2Cache, ASweepThatJustFitsHitsAndALongerOneNeverDoes) {
  for (const uint64_t groups : {4U, 5U}) {
    L2Cache l2 = CacheOf({"memory.l2_bytes=32768"});
    int64_t hit = 0;
    for (int pass = 0; pass < 3; ++pass) {
      for (uint64_t i = 0; i < groups; ++i) {
        hit += Touch(l2, i * 8192, (i + 1) * 8192).bytes.hit;
      }
    }
    EXPECT_EQ(hit, groups == 4 ? 2 * 32768 : 0);
    EXPECT_EQ(l2.held_lines(), 64);
  }
}

TEST(L2Cache, TellsHitsWhereAnotherCoreWasTheLastToRead) {
  L2Cache l2 = CacheOf();
  EXPECT_EQ(Touch(l2, 0, 1024, Use::kRead, 0).shared_bytes, 0);  // nobody has
  EXPECT_EQ(Touch(l2, 0, 1024, Use::kRead, 0).shared_bytes, 0);
  EXPECT_EQ(Touch(l2, 512, 1536, Use::kRead, 1).shared_bytes, 512);  // what hits
  EXPECT_EQ(Touch(l2, 512, 1536, Use::kRead, 1).shared_bytes, 0);
  EXPECT_EQ(Touch(l2, 512, 1536, Use::kWrite, 0).shared_bytes, 0);
  EXPECT_EQ(Touch(l2, 512, 1536, Use::kRead, 0).shared_bytes, 1024);
  const L2Traffic small = Touch(l2, 640, 648, Use::kRead, 1);
  EXPECT_EQ(small.shared_bytes, 8);
  EXPECT_EQ(small.shared_request_bytes, 256);
  EXPECT_EQ(Touch(l2, 640, 800, Use::kRead, 0).shared_request_bytes, 512);
}

TEST(L2Cache, TellsWhichMoveFetchedWhatIsFoundButNotTheMoveItself) {
  L2Cache l2 = CacheOf();
  l2.NextMove();
  EXPECT_EQ(Touch(l2, 0, 128).fetched_by, 0U);
  EXPECT_EQ(Touch(l2, 0, 256).fetched_by, 0U);
  l2.NextMove();
  EXPECT_EQ(Touch(l2, 0, 256).fetched_by, 1U);
}

}  // namespace
}  // namespace tilesim
