// L2's slices: who meets whom in them, and what that leaves a read.
#include "sim/core/l2_slices.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tilesim {
namespace {

constexpr uint64_t kSliceBytes = 32768;
constexpr uint64_t kTurnBytes = 8 * kSliceBytes;
constexpr int64_t kRows = 128;

// Rows of 128 bytes, `stride` apart, in slices that answer a line in two cycles.
struct SlicesProbe {
  explicit SlicesProbe(size_t cores) : slices(Soc(), cores), starts(cores, 0) {}

  static SocConfig Soc() {
    return LoadSoc("unit", std::vector<std::string>{"l2.slices=8", "l2.slice_bytes=32768",
                                                    "l2.slice_lines_per_cycle=0.5"});
  }
  void Announce(size_t core, uint64_t begin, uint64_t stride = 1024, Use use = Use::kRead) {
    slices.Announce(
        core, slices.Of({.use = use, .block_bytes = 128, .count = kRows, .stride_bytes = stride}, begin));
  }
  int64_t CyclesOf(size_t core, int64_t start = 0) const { return slices.CyclesOf(core, start, starts); }

  L2Slices slices;
  std::vector<int64_t> starts;
};

TEST(L2Slices, ACoreAloneTakesItsLinesFromOneSliceAfterTheOther) {
  SlicesProbe probe(1);
  probe.Announce(0, 0);
  EXPECT_EQ(probe.CyclesOf(0), 2 * kRows);
}

TEST(L2Slices, RowsFarApartComeFromSeveralSlicesAtOnce) {
  SlicesProbe probe(1);
  probe.Announce(0, 0, 2048);
  EXPECT_EQ(probe.CyclesOf(0), kRows);
  probe.Announce(0, 0, 8192);
  EXPECT_EQ(probe.CyclesOf(0), 2 * kRows / 8);
  probe.Announce(0, 0, 1 << 20);  // there are no more
  EXPECT_EQ(probe.CyclesOf(0), 2 * kRows / 8);
}

TEST(L2Slices, AsManySlicesAnswerAsWhatIsAskedForAheadReaches) {
  SocConfig soc = SlicesProbe::Soc();
  const auto width = [&](int64_t lines_ahead) {
    soc.l2_lines_ahead = lines_ahead;
    return L2Slices(soc, 1)
        .Of({.block_bytes = 128, .count = kRows, .stride_bytes = kSliceBytes / 8}, 0)
        .width;
  };
  EXPECT_EQ(width(1), 1);
  EXPECT_EQ(width(16), 2);
  EXPECT_EQ(width(32), 4);
}

TEST(L2Slices, CoresTakeTurnsWhereTheyMeet) {
  const auto of_two = [](uint64_t begin) {
    SlicesProbe probe(2);
    probe.Announce(0, 0);
    probe.Announce(1, begin);
    EXPECT_EQ(probe.CyclesOf(0), probe.CyclesOf(1)) << begin;
    return probe.CyclesOf(0);
  };
  EXPECT_EQ(of_two(0), 2 * 2 * kRows);
  EXPECT_EQ(of_two(kSliceBytes), 2 * kRows);
  EXPECT_EQ(of_two(kTurnBytes / 2), 2 * kRows);
  EXPECT_EQ(of_two(kTurnBytes), 2 * 2 * kRows);
  EXPECT_EQ(of_two(kTurnBytes + kSliceBytes), 2 * kRows);
}

TEST(L2Slices, OneThatReadsFromAllSlicesTakesAPartOfEach) {
  SlicesProbe probe(2);
  probe.Announce(0, 0);
  probe.Announce(1, 0, 8192);
  EXPECT_EQ(probe.CyclesOf(0), 2 * kRows + 2 * kRows / 8);
  EXPECT_EQ(probe.CyclesOf(1), 2 * kRows / 8 + 2 * kRows / 8);
}

TEST(L2Slices, ACoreInTheMiddleOfItsReadIsWhereItHasCome) {
  SlicesProbe probe(2);
  probe.Announce(1, 0);
  probe.slices.Begin(1, 0, 400);  // 128 rows: four slices, 100 cycles each
  probe.starts = {0, 400};
  probe.Announce(0, kSliceBytes);
  for (const int64_t start : {0, 120, 220, 400}) {
    probe.starts[0] = start;
    EXPECT_EQ(probe.CyclesOf(0, start), start == 120 || start == 400 ? 2 * 2 * kRows : 2 * kRows) << start;
    if (start == 220) {
      probe.Announce(1, kSliceBytes);  // what it is about to read next
    }
  }
}

TEST(L2Slices, WritesAreNotCounted) {
  SlicesProbe probe(2);
  probe.Announce(0, 0);
  probe.Announce(1, 0, 1024, Use::kWrite);
  EXPECT_EQ(probe.CyclesOf(0), 2 * kRows);
  EXPECT_EQ(probe.CyclesOf(1), 0);
}

TEST(L2Slices, ALineCountsAsOneHoweverLittleOfItIsAskedFor) {
  SlicesProbe probe(1);
  const auto lines = [&](uint64_t begin, uint64_t bytes, uint64_t stride) {
    return probe.slices.Of({.block_bytes = bytes, .count = 64, .stride_bytes = stride}, begin).lines;
  };
  EXPECT_EQ(lines(0, 32, 512), 64);
  EXPECT_EQ(lines(0, 512, 1024), 64);
  EXPECT_EQ(lines(0, 513, 1024), 128);
  EXPECT_EQ(lines(0, 512, 512), 64);         // one run
  EXPECT_EQ(lines(0, 257, 1000), 64 * 1.5);  // half of the places cut it
}

}  // namespace
}  // namespace tilesim
