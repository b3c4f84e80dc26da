#include "sim/core/timeline.h"

#include "gtest/gtest.h"

namespace tilesim {
namespace {

TimelineCosts CostsWithQueue(int64_t depth) {
  TimelineCosts costs{.scalar_issue_cycles = 1, .flag_cycles = 3, .barrier_cycles = 5, .queue_depth = {}};
  costs.queue_depth.fill(depth);
  costs.queue_depth[static_cast<size_t>(Pipe::kS)] = 0;
  return costs;
}
constexpr Cost kTen{.busy_cycles = 10, .latency_cycles = 4};

TEST(Timeline, APipeRunsInOrderAndOverlapsLatency) {
  Timeline timeline(CostsWithQueue(8));
  const Span first = timeline.Run(Pipe::kM, kTen);
  EXPECT_EQ(first.issue, 1);
  EXPECT_EQ(first.start, 1);
  EXPECT_EQ(first.free, 11);
  EXPECT_EQ(first.done, 15);
  const Span second = timeline.Run(Pipe::kM, kTen);
  EXPECT_EQ(second.ready, 2);   // nothing but the pipe held it
  EXPECT_EQ(second.start, 11);  // not the 15 at which the result of the first is there
}

TEST(Timeline, PipesRunAtTheSameTime) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kM, kTen);
  EXPECT_EQ(timeline.Run(Pipe::kMte1, kTen).start, 2);
  EXPECT_EQ(timeline.End().at, 16);
}

TEST(Timeline, AFullQueueHoldsTheScalarUnitUntilItsOldestEntryStarts) {
  Timeline timeline(CostsWithQueue(2));
  for (const int64_t start : {1, 11, 21}) {
    EXPECT_EQ(timeline.Run(Pipe::kM, kTen).start, start);
  }
  EXPECT_EQ(timeline.scalar().at, 3);
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).issue, 12);     // the second started at 11
  EXPECT_EQ(timeline.Run(Pipe::kMte1, kTen).issue, 13);  // other pipes wait with the scalar unit
}

TEST(Timeline, AnUnlimitedQueueNeverHoldsTheScalarUnit) {
  Timeline timeline(CostsWithQueue(0));
  for (int i = 1; i <= 100; ++i) {
    EXPECT_EQ(timeline.Run(Pipe::kM, kTen).issue, i);
  }
}

TEST(Timeline, WaitHoldsThePipeUntilTheFlag) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kMte1, kTen);             // done at 15
  timeline.SetFlag(Pipe::kMte1, Pipe::kM, 0);  // up at 18
  timeline.WaitFlag(Pipe::kMte1, Pipe::kM, 0);
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).start, 18);     // t, and not t - 1
  EXPECT_EQ(timeline.Run(Pipe::kMte1, kTen).start, 11);  // the setter is not held back
}

TEST(Timeline, AFlagThatIsUpAlreadyCostsOnlyItsIssue) {
  Timeline timeline(CostsWithQueue(8));
  timeline.SetFlag(Pipe::kMte1, Pipe::kM, 0);  // up at 1 + 3
  timeline.AdvanceScalar(10);
  timeline.WaitFlag(Pipe::kMte1, Pipe::kM, 0);
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).start, 13);  // issue of set, ten, wait, itself
}

TEST(Timeline, ASetWaitsForWhatItsPipeWaitsFor) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kMte2, {.busy_cycles = 100, .latency_cycles = 0});  // done at 101
  timeline.SetFlag(Pipe::kMte2, Pipe::kMte1, 0);                         // up at 104
  timeline.WaitFlag(Pipe::kMte2, Pipe::kMte1, 0);
  EXPECT_EQ(timeline.Signal(Pipe::kMte1).at, 104);
  timeline.SetFlag(Pipe::kMte1, Pipe::kM, 0);
  timeline.WaitFlag(Pipe::kMte1, Pipe::kM, 0);
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).start, 107);
}

TEST(Timeline, FlagsOfOtherPairsAndIdsAreApart) {
  Timeline timeline(CostsWithQueue(8));
  timeline.SetFlag(Pipe::kMte1, Pipe::kM, 1);
  timeline.Run(Pipe::kMte1, {.busy_cycles = 100, .latency_cycles = 0});
  timeline.SetFlag(Pipe::kMte1, Pipe::kM, 0);
  timeline.WaitFlag(Pipe::kMte1, Pipe::kM, 1);
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).start, 5);
}

TEST(Timeline, AWaitOfTheScalarUnitStopsAllIssue) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kMte2, kTen);             // done at 15
  timeline.SetFlag(Pipe::kMte2, Pipe::kS, 0);  // up at 18
  timeline.WaitFlag(Pipe::kMte2, Pipe::kS, 0);
  EXPECT_EQ(timeline.Run(Pipe::kMte1, kTen).issue, 19);
}

TEST(Timeline, ABarrierWaitsForTheResultsOfItsPipeAlone) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kM, kTen);  // free at 11, done at 15
  timeline.Barrier(Pipe::kM);
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).start, 20);
  EXPECT_EQ(timeline.Run(Pipe::kMte1, kTen).start, 4);
}

TEST(Timeline, ABarrierOfAllHoldsEveryPipe) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kM, kTen);
  timeline.BarrierAll();  // at 15 + 5
  EXPECT_EQ(timeline.Run(Pipe::kFix, kTen).issue, 21);
}

TEST(Timeline, ScalarInstructionsHoldTheScalarUnit) {
  Timeline timeline(CostsWithQueue(8));
  timeline.Run(Pipe::kS, kTen);  // done at 15
  EXPECT_EQ(timeline.Run(Pipe::kM, kTen).issue, 16);
}

TEST(Timeline, HoldAllUntilActsOnEveryPipeAndTheScalarUnit) {
  Timeline timeline(CostsWithQueue(8));
  timeline.HoldAllUntil({.at = 50});
  EXPECT_EQ(timeline.Run(Pipe::kMte3, kTen).start, 51);
  EXPECT_EQ(timeline.End().at, 65);
}

}  // namespace
}  // namespace tilesim
