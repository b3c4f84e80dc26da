// ByteRuns and AccessHistory against sets of bytes.
#include "sim/core/byte_runs.h"

#include <array>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/access_history.h"
#include "tests/sim/core/random_region.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using enum Pipe;

constexpr uint64_t kBytes = 4096;
using BytesHeld = std::vector<bool>;

BytesHeld BytesOf(const Region& region) {
  BytesHeld bytes(kBytes);
  region.ForEachRun([&](uint64_t begin, uint64_t end) {
    std::fill(bytes.begin() + static_cast<int64_t>(begin), bytes.begin() + static_cast<int64_t>(end), true);
  });
  return bytes;
}

bool HaveCommon(const BytesHeld& a, const BytesHeld& b) {
  for (size_t i = 0; i < kBytes; ++i) {
    if (a[i] && b[i]) {
      return true;
    }
  }
  return false;
}

class Runs : public testing::TestWithParam<unsigned> {
 protected:
  std::mt19937 random_{GetParam()};
};

TEST_P(Runs, AreTheBytesOfTheirRegion) {
  for (int step = 0; step < 400; ++step) {
    const Region region = RandomRegion(random_, 0, kBytes);
    BytesHeld bytes(kBytes);
    ForEachByteRuns(region, [&](const ByteRuns& runs) {
      uint64_t last_end = 0;
      runs.ForEachRun([&](uint64_t begin, uint64_t end) {
        EXPECT_GE(begin, last_end);  // ascending, sharing nothing
        for (uint64_t at = last_end; at < end; ++at) {
          const ByteRuns::Run found = runs.EndingAfter(at);
          ASSERT_EQ(found.begin, begin);
          ASSERT_EQ(found.end, end);
        }
        last_end = end;
        std::fill(bytes.begin() + static_cast<int64_t>(begin), bytes.begin() + static_cast<int64_t>(end),
                  true);
      });
      EXPECT_EQ(last_end, runs.end());
      EXPECT_EQ(runs.EndingAfter(last_end).end, 0U);
    });
    EXPECT_EQ(bytes, BytesOf(region));
  }
}

TEST_P(Runs, MeetAndCoverAsTheirBytesDo) {
  int meetings = 0;
  int apart = 0;
  for (int step = 0; step < Repetitions(3000); ++step) {
    const Region a = RandomRegion(random_, 0, kBytes);
    const Region b = RandomRegion(random_, 0, kBytes);
    bool meet = false;
    bool covers = false;
    ForEachByteRuns(a, [&](const ByteRuns& one) {
      ForEachByteRuns(b, [&](const ByteRuns& other) {
        const bool these = Meet(one, other);
        EXPECT_EQ(Meet(other, one), these);
        meet = meet || these;
      });
      covers = covers || (RunsOf(b).groups == 1 && Covers(one, RunsOf(b).runs));
    });
    const BytesHeld bytes_a = BytesOf(a);
    const BytesHeld bytes_b = BytesOf(b);
    ASSERT_EQ(meet, HaveCommon(bytes_a, bytes_b));
    (meet ? meetings : apart) += 1;
    if (covers) {
      for (size_t i = 0; i < kBytes; ++i) {
        ASSERT_TRUE(bytes_a[i] || !bytes_b[i]);
      }
    }
  }
  EXPECT_GT(meetings, PartOf(300));
  EXPECT_GT(apart, PartOf(300));
}

TEST_P(Runs, PagesHoldAllOfThemOnce) {
  for (int step = 0; step < 400; ++step) {
    ForEachByteRuns(RandomRegion(random_, 0, kBytes), [&](const ByteRuns& runs) {
      for (const int shift : {4, 7, 10, 63}) {
        std::vector<uint64_t> pages;
        runs.ForEachPage(shift, [&](uint64_t page) { pages.push_back(page); });
        EXPECT_TRUE(std::ranges::is_sorted(pages));
        const std::set<uint64_t> all(pages.begin(), pages.end());
        EXPECT_EQ(all.size(), pages.size());
        runs.ForEachRun([&](uint64_t begin, uint64_t end) {
          for (uint64_t at = begin; at < end; ++at) {
            ASSERT_TRUE(all.contains(at >> shift));
          }
        });
      }
    });
  }
}

struct Byte {
  AccessId writer = 0;
  bool atomic = false;
  std::array<AccessId, kNumPipes> readers{};
};

std::set<AccessId> IdsOf(const Byte& byte) {
  std::set<AccessId> ids(byte.readers.begin(), byte.readers.end());
  ids.insert(byte.writer);
  return ids;
}

// What a look at the history shows of these bytes.
std::set<AccessId> Shown(const AccessHistory& history, const ByteRuns& bytes) {
  std::set<AccessId> ids;
  for (int pipe = 0; pipe < kNumPipes; ++pipe) {
    history.AnyAfter(static_cast<Pipe>(pipe), 0, [&](const AccessHistory::Access& access, AccessId id) {
      if (Meet(access.bytes, bytes)) {
        ids.insert(id);
      }
      return false;
    });
  }
  return ids;
}

TEST_P(Runs, HistoryShowsWhatIsThereAndKnowsEachByteExactly) {
  AccessHistory history;
  std::vector<Byte> bytes(kBytes);
  for (AccessId id = 1; id <= static_cast<AccessId>(Repetitions(6000)); ++id) {
    const auto pipe = static_cast<Pipe>(random_() % kNumPipes);
    const Use use = random_() % 8 == 0 ? (random_() % 2 == 0 ? Use::kWrite : Use::kAtomic) : Use::kRead;
    ForEachByteRuns(RandomRegion(random_, 0, kBytes), [&](const ByteRuns& runs) {
      std::set<AccessId> there;
      runs.ForEachRun([&](uint64_t begin, uint64_t end) {
        for (uint64_t at = begin; at < end; ++at) {
          there.merge(IdsOf(bytes[at]));
          if (use == Use::kRead) {
            bytes[at].readers[static_cast<size_t>(pipe)] = id;
          } else {
            bytes[at] = {.writer = id, .atomic = use == Use::kAtomic, .readers = {}};
          }
        }
      });
      const std::set<AccessId> shown = Shown(history, runs);
      there.erase(0);
      EXPECT_TRUE(std::ranges::includes(shown, there)) << "access " << id;
      history.Record(pipe, {.bytes = runs, .use = use}, id, id);
    });
    if (id % 16 == 0) {
      const ByteRuns probe = RunsOf(RandomRegion(random_, 0, kBytes)).runs;
      AccessMap exact = history.Exact(probe.begin, probe.end());
      probe.ForEachRun([&](uint64_t begin, uint64_t end) {
        exact.Visit(begin, end, [&](uint64_t at, const AccessMap::Segment& segment) {
          for (; at < segment.end; ++at) {
            ASSERT_EQ(segment.writer, bytes[at].writer) << "byte " << at;
            ASSERT_EQ(segment.writer != 0 && segment.atomic, bytes[at].atomic);
            ASSERT_EQ(segment.readers, bytes[at].readers);
          }
        });
      });
    }
    EXPECT_LE(history.size(), 2 * AccessHistory::kFew);
  }
}

TEST_P(Runs, HistoryShowsOfAPipeWhatCameAfterANumber) {
  AccessHistory history;
  const auto access = [](uint64_t at) {
    return AccessHistory::Access{.bytes = {.begin = at, .run_bytes = 4}, .use = Use::kRead};
  };
  std::vector<AccessId> last(8);
  for (AccessId id = 1; id <= 200; ++id) {
    const AccessId told_late = id % 2 == 0 ? id - 1 : id + 1;
    const uint64_t at = random_() % last.size();
    if (last[at] < told_late) {
      last[at] = told_late;
      history.Record(kV, access(at * 4), told_late, told_late);
    }
    const uint32_t after = static_cast<uint32_t>(random_() % 200);
    std::set<AccessId> shown;
    history.AnyAfter(kV, after, [&](const AccessHistory::Access&, AccessId shows) {
      shown.insert(shows);
      return false;
    });
    std::set<AccessId> expected(last.begin(), last.end());
    std::erase_if(expected, [&](AccessId known) { return known <= after; });
    EXPECT_EQ(shown, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Runs, testing::Range(1U, 5U));

}  // namespace
}  // namespace tilesim
