// Where a core's time went: of programs whose times can be told by hand, and sums of programs at random.
#include <random>

#include "gtest/gtest.h"
#include "tests/sim/explain/recorded.h"

namespace tilesim {
namespace {

using enum Pipe;

std::array<PipeAccount, kNumPipes> Accounts(const Recorded& recorded, int core = 0) {
  return AccountsOf(recorded.runs, core, recorded.times.cores[static_cast<size_t>(core)]);
}
const PipeAccount& Of(const std::array<PipeAccount, kNumPipes>& accounts, Pipe pipe) {
  return accounts[static_cast<size_t>(Index(pipe))];
}

TEST(CoreAccount, AnIdlePipeWaitsForWhatWasReallyAtWork) {
  const Recorded recorded([](Core& core) {
    Do(core, On(kMte2, 100, 20));  // 1..101, result at 121
    Hand(core, kMte2, kMte1);      // the flag is up at 122
    Do(core, On(kMte1, 30));       // 122..152
    Hand(core, kMte1, kM);         // up at 153
    Do(core, On(kM, 50));          // 153..203
  });
  const auto accounts = Accounts(recorded);
  const Account& m = Of(accounts, kM).idle;
  EXPECT_EQ(m.Of(Cause::kIssue), 1);
  EXPECT_EQ(m.Of(Cause::kWork, kMte2), 100);
  EXPECT_EQ(m.Of(Cause::kLatency, kMte2), 20);
  EXPECT_EQ(m.Of(Cause::kWork, kMte1), 30);
  EXPECT_EQ(m.Of(Cause::kFlag), 2);
  EXPECT_EQ(m.total(), 153);
  EXPECT_EQ(Of(accounts, kM).busy.Of(Cause::kWork, kM), 50);
  const Account& mte1 = Of(accounts, kMte1).idle;
  EXPECT_EQ(mte1.Of(Cause::kTail), 203 - 152);
  EXPECT_EQ(mte1.Of(Cause::kWork, kMte2), 100);
  EXPECT_EQ(Of(accounts, kFix).idle.Of(Cause::kUnused), 203);
}

TEST(CoreAccount, TheCriticalPathLeavesOutWhatWasHidden) {
  const Recorded recorded([](Core& core) {
    Do(core, On(kMte1, 10));   // 1..11
    Hand(core, kMte1, kM);     // up at 12
    Do(core, On(kMte1, 40));   // issued at 4, 11..51
    Hand(core, kMte1, kM, 1);  // up at 52
    Do(core, On(kM, 100));     // 52..152
    Do(core, On(kFix, 60));    // hidden
  });
  const std::vector<Stretch> path = CriticalPath(recorded.runs, 0, recorded.times.cores[0]);
  const Account account = AccountOf(path);
  EXPECT_EQ(account.Of(Cause::kWork, kM), 100);
  EXPECT_EQ(account.Of(Cause::kWork, kMte1), 50);
  EXPECT_EQ(account.Of(Cause::kFlag), 1);
  EXPECT_EQ(account.Of(Cause::kIssue), 1);
  EXPECT_EQ(account.Of(Cause::kWork, kFix), 0);
  EXPECT_EQ(account.total(), 152);
}

TEST(CoreAccount, AFullQueueIsACauseOfItsOwn) {
  const Recorded recorded(
      [](Core& core) {
        Do(core, On(kMte1, 100));  // 1..101
        Do(core, On(kMte1, 10));   // in the queue until 101
        Do(core, On(kMte1, 10));   // issued when that has started
        Do(core, On(kM, 10));      // 103..113
      },
      1, {"queue.mte1=1"});
  const auto accounts = Accounts(recorded);
  EXPECT_EQ(Of(accounts, kM).idle.Of(Cause::kQueue, kMte1), 101);
  EXPECT_EQ(Of(accounts, kM).idle.Of(Cause::kIssue), 2);
  EXPECT_EQ(Of(accounts, kS).idle.Of(Cause::kQueue, kMte1), 101 - 2);
}

TEST(CoreAccount, TheScalarUnitThatWaitsForTheEndIsIdle) {
  const Recorded recorded([](Core& core) {
    Do(core, On(kMte1, 100, 5));  // 1..101, result at 106
    core.BarrierAll({});          // until 107
  });
  const auto accounts = Accounts(recorded);
  EXPECT_EQ(recorded.times.cores[0].end_cycle, 107);
  EXPECT_EQ(Of(accounts, kS).busy.total(), 1);
  EXPECT_EQ(Of(accounts, kS).idle.Of(Cause::kWork, kMte1), 100);
  EXPECT_EQ(Of(accounts, kS).idle.Of(Cause::kLatency, kMte1), 5);
  EXPECT_EQ(Of(accounts, kS).idle.Of(Cause::kBarrier), 1);
  const Account path = AccountOf(CriticalPath(recorded.runs, 0, recorded.times.cores[0]));
  EXPECT_EQ(path.Of(Cause::kWork, kMte1), 100);
  EXPECT_EQ(path.Of(Cause::kBarrier), 1);
}

TEST(CoreAccount, BarriersAndLatenciesAreToldApart) {
  const Recorded recorded([](Core& core) {
    Do(core, On(kM, 10, 7));  // 1..11, result at 18
    core.Barrier(kM, {});     // until 19
    Do(core, On(kM, 10));     // 19..29
  });
  const PipeAccount m = Of(Accounts(recorded), kM);
  EXPECT_EQ(m.idle.Of(Cause::kLatency, kM), 7);
  EXPECT_EQ(m.idle.Of(Cause::kBarrier), 1);
  EXPECT_EQ(m.busy.total(), 20);
}

TEST(CoreAccount, WaitingForOtherCoresIsACauseAndThePathGoesOnOverThem) {
  const Recorded recorded(
      [](Core& core) {
        if (core.identity().block == 1) {
          Do(core, On(kMte1, 500));
        }
        Meet(core, 3);
        Do(core, On(kM, core.identity().block == 0 ? 100 : 10));
      },
      2);
  const auto accounts = Accounts(recorded);
  EXPECT_GE(Of(accounts, kM).idle.Of(Cause::kCrossCore), 500);
  const Account path = AccountOf(CriticalPath(recorded.runs, 0, recorded.times.cores[0]));
  EXPECT_EQ(path.Of(Cause::kWork, kMte1), 500);
  EXPECT_EQ(path.Of(Cause::kWork, kM), 100);
  EXPECT_EQ(path.total(), recorded.times.cores[0].end_cycle);
}

TEST(CoreAccount, AFlagThatIsSetLateIsTheScalarUnitsFault) {
  const Recorded recorded([](Core& core) {
    Do(core, On(kMte1, 10));  // 1..11
    core.Record([](Recording& to) { to.Scalar(200); });
    Hand(core, kMte1, kM);  // set at 202
    Do(core, On(kM, 10));
  });
  const Account m = Of(Accounts(recorded), kM).idle;
  EXPECT_GE(m.Of(Cause::kIssue), 190);
  EXPECT_EQ(m.total() + 10, recorded.times.cores[0].end_cycle);
}

bool HaveEvents(Pipe a, Pipe b) { return a != b && !(a == kMte2 && b == kFix) && !(a == kFix && b == kMte2); }

// Pipes, flags, barriers and scalar work as they come.
void AtRandom(Core& core, unsigned seed) {
  std::mt19937 random(seed + static_cast<unsigned>(core.identity().block));
  const std::vector<Pipe> pipes = {kMte1, kMte2, kM, kFix};
  for (int i = 0; i < 300; ++i) {
    const Pipe pipe = pipes[random() % pipes.size()];
    const Pipe other = pipes[random() % pipes.size()];
    switch (random() % 8) {
      case 0:
        if (HaveEvents(pipe, other)) {
          Hand(core, pipe, other, static_cast<int>(random() % 8));
        }
        break;
      case 1:
        core.Barrier(pipe, {});
        break;
      case 2:
        random() % 8 == 0 ? core.BarrierAll({})
                          : core.Record([&](Recording& to) { to.Scalar(random() % 20); });
        break;
      default:
        Do(core, On(pipe, static_cast<int64_t>(random() % 50), static_cast<int64_t>(random() % 30)));
    }
    if (i == 150) {
      Meet(core, 1);
    }
  }
}

TEST(CoreAccount, EachPipesCausesAndThePathAddUpToTheCyclesOfAnyProgram) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int64_t blocks = 1 + seed % 3;
    const Recorded recorded([&](Core& core) { AtRandom(core, seed * 100); }, blocks,
                            {"queue.mte1=" + std::to_string(1 + seed % 4), "queue.m=2", "queue.fix=1"});
    const RunKeeper& runs = recorded.runs;
    for (int core = 0; core < blocks; ++core) {
      const CoreTimes& times = recorded.times.cores[static_cast<size_t>(core)];
      for (const PipeAccount& account : AccountsOf(runs, core, times)) {
        EXPECT_EQ(account.cycles(), times.end_cycle);
        for (const Account* part : {&account.busy, &account.idle}) {
          for (const Account::Item& item : part->Items()) {
            EXPECT_GT(item.cycles, 0) << TextOf(item.cause, item.pipe);
          }
        }
      }
      const std::vector<Stretch> path = CriticalPath(runs, core, times);
      int64_t at = 0;
      for (const Stretch& stretch : path) {
        ASSERT_EQ(stretch.begin, at);
        ASSERT_GT(stretch.end, stretch.begin);
        at = stretch.end;
      }
      EXPECT_EQ(at, times.end_cycle);
    }
  }
}

// A pipe's busy time is what the clock counted.
TEST(CoreAccount, BusyIsWhatTheClockCounted) {
  const Recorded recorded([](Core& core) { AtRandom(core, 7); }, 2);
  const auto accounts = Accounts(recorded, 1);
  for (const Pipe pipe : {kMte1, kMte2, kM, kFix}) {
    EXPECT_EQ(Of(accounts, pipe).busy.total(),
              recorded.times.cores[1].busy_cycles[static_cast<size_t>(pipe)]);
  }
  // of what the scalar unit waits for between two instructions the account knows the last alone
  const int64_t issuing = recorded.times.cores[1].busy_cycles[static_cast<size_t>(kS)];
  EXPECT_LE(Of(accounts, kS).busy.total(), issuing);
  EXPECT_GE(Of(accounts, kS).busy.total(), issuing * 9 / 10);
}

}  // namespace
}  // namespace tilesim
