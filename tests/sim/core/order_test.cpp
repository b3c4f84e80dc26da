// HappensBefore, IntervalSet and AccessMap.
#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/access_map.h"
#include "sim/core/happens_before.h"
#include "sim/core/interval_set.h"

namespace tilesim {
namespace {

using enum Pipe;

TEST(HappensBefore, NothingIsOrderedWithoutFlags) {
  HappensBefore order;
  const uint32_t load = order.Issue(kMte2);
  EXPECT_FALSE(order.Ordered(kMte1, kMte2, load));
  EXPECT_FALSE(order.Ordered(kMte2, kMte2, load));
}

TEST(HappensBefore, AFlagOrdersWhatWasIssuedBeforeItsSet) {
  HappensBefore order;
  const uint32_t before = order.Issue(kMte2);
  order.SetFlag(kMte2, kMte1, 0);
  const uint32_t after = order.Issue(kMte2);
  EXPECT_FALSE(order.Ordered(kMte1, kMte2, before));  // not waited for yet
  order.WaitFlag(kMte2, kMte1, 0);
  EXPECT_TRUE(order.Ordered(kMte1, kMte2, before));
  EXPECT_FALSE(order.Ordered(kMte1, kMte2, after));
  EXPECT_FALSE(order.Ordered(kM, kMte2, before));
}

TEST(HappensBefore, FlagsAreTransitive) {
  HappensBefore order;
  const uint32_t load = order.Issue(kMte2);
  order.SetFlag(kMte2, kMte1, 0);
  order.WaitFlag(kMte2, kMte1, 0);
  order.SetFlag(kMte1, kM, 3);
  order.WaitFlag(kMte1, kM, 3);
  EXPECT_TRUE(order.Ordered(kM, kMte2, load));
}

TEST(HappensBefore, AScalarWaitOrdersEveryPipe) {
  HappensBefore order;
  const uint32_t load = order.Issue(kMte2);
  order.SetFlag(kMte2, kS, 0);
  order.WaitFlag(kMte2, kS, 0);
  EXPECT_TRUE(order.Ordered(kFix, kMte2, load));
}

TEST(HappensBefore, BarriersOrderTheirPipeOrAll) {
  HappensBefore order;
  const uint32_t product = order.Issue(kM);
  order.Barrier(kM);
  EXPECT_TRUE(order.Ordered(kM, kM, product));
  EXPECT_FALSE(order.Ordered(kFix, kM, product));
  order.BarrierAll();
  EXPECT_TRUE(order.Ordered(kFix, kM, product));
}

TEST(HappensBefore, CoresLearnFromEachOtherAndHearOfThemselves) {
  HappensBefore a;
  HappensBefore b;
  const uint32_t store = a.Issue(kFix);
  b.Learn(0, a.Promise(kFix), 1);
  ASSERT_EQ(b.foreign().size(), 1U);
  EXPECT_EQ(b.foreign()[0][static_cast<size_t>(kFix)], store);
  const uint32_t load = b.Issue(kMte2);
  EXPECT_FALSE(a.Ordered(kMte2, kFix, store));
  a.Learn(1, b.Promise(kMte2), 0);  // b has seen the store, so it is complete
  EXPECT_TRUE(a.Ordered(kMte2, kFix, store));
  EXPECT_EQ(a.foreign()[1][static_cast<size_t>(kMte2)], load);
}

class RandomRanges : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr uint64_t kBytes = 96;
  std::mt19937 random_{GetParam()};
  std::pair<uint64_t, uint64_t> Range() {
    const uint64_t a = random_() % kBytes;
    return {a, a + 1 + random_() % std::min<uint64_t>(kBytes - a, 24)};
  }
};

TEST_P(RandomRanges, IntervalSetIsASetOfBytes) {
  IntervalSet set;
  std::vector<bool> bytes(kBytes);
  for (int step = 0; step < 300; ++step) {
    if (step % 40 == 39) {  // start again
      set = {};
      bytes.assign(kBytes, false);
    }
    const auto [begin, end] = Range();
    std::fill(bytes.begin() + static_cast<int64_t>(begin), bytes.begin() + static_cast<int64_t>(end), true);
    set.Add(begin, end);
    const auto [from, to] = Range();
    const auto first = bytes.begin() + static_cast<int64_t>(from);
    const auto last = bytes.begin() + static_cast<int64_t>(to);
    EXPECT_EQ(set.FirstGap(from, to), static_cast<uint64_t>(std::find(first, last, false) - bytes.begin()));
    EXPECT_EQ(set.Meets(from, to), std::find(first, last, true) != last);
  }
}

TEST_P(RandomRanges, AccessMapRemembersEachByte) {
  struct Byte {
    AccessId writer = 0;
    bool atomic = false;
    std::array<AccessId, kNumPipes> readers{};
  };
  AccessMap map;
  std::vector<Byte> bytes(kBytes);
  for (AccessId id = 1; id <= 300; ++id) {
    const auto [begin, end] = Range();
    const auto pipe = static_cast<Pipe>(random_() % kNumPipes);
    const bool writes = random_() % 3 == 0;
    const bool atomic = random_() % 2 == 0;
    if (writes) {
      map.Write(begin, end, id, atomic);
    } else {
      map.Read(begin, end, pipe, id);
    }
    for (uint64_t at = begin; at < end; ++at) {
      if (writes) {
        bytes[at] = {.writer = id, .atomic = atomic, .readers = {}};
      } else {
        bytes[at].readers[static_cast<size_t>(pipe)] = id;
      }
    }
    const auto [from, to] = Range();
    uint64_t covered = from;
    map.Visit(from, to, [&](uint64_t at, AccessMap::Segment& segment) {
      EXPECT_EQ(at, covered);
      ASSERT_GT(segment.end, at);
      covered = segment.end;
      for (; at < segment.end; ++at) {
        EXPECT_EQ(segment.writer, bytes[at].writer) << "byte " << at;
        EXPECT_EQ(segment.atomic, bytes[at].atomic);
        EXPECT_EQ(segment.readers, bytes[at].readers);
      }
    });
    EXPECT_EQ(covered, to);
  }
  EXPECT_LE(map.size(), kBytes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRanges, testing::Range(1U, 9U));

}  // namespace
}  // namespace tilesim
