// Recordings and their replay: what waits for what, what if something were free, and what a recording takes.
#include "sim/core/replay.h"

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;

constexpr KernelType kMix = KernelType::kMixAic1_0;

struct Recorded {
  SocConfig soc = UnitSoc();
  LaunchRecording recording;
  LaunchResult result;

  explicit Recorded(const std::function<void(Core&)>& kernel, int64_t blocks = 1, int threads = 1,
                    const std::vector<std::string>& settings = {})
      : soc(LoadSoc("unit", settings)) {
    const LaunchOptions options{.type = kMix,
                                .blocks = blocks,
                                .mode = {.hazards = false},
                                .threads = threads,
                                .recording = &recording};
    result = Launch(soc, options, [&] { kernel(CurrentCore()); });
    EXPECT_EQ(TextOf(result), "");
  }
};

struct Runs : ClockObserver {
  std::map<std::pair<int, int64_t>, TimedRun> at;
  void OnRun(const TimedRun& timed) override { at.emplace(std::pair(timed.core_index, timed.run), timed); }
  const TimedRun& operator[](int64_t run) { return at.at({0, run}); }
};

Probe On(Pipe pipe, int64_t busy_cycles, int64_t latency_cycles = 0) {
  return {.on = pipe, .cost = {.busy_cycles = busy_cycles, .latency_cycles = latency_cycles}};
}

// A load and a product, ten times, with one buffer between them.
void LoadAndMultiply(Core& core) {
  for (int i = 0; i < 10; ++i) {
    if (i > 0) {
      core.WaitFlag(kM, kMte1, 0, {});
    }
    Do(core, On(kMte1, 40));
    core.SetFlag(kMte1, kM, 0, {});
    core.WaitFlag(kMte1, kM, 0, {});
    Do(core, On(kM, 60));
    if (i < 9) {
      core.SetFlag(kM, kMte1, 0, {});
    }
  }
}

TEST(Replay, GivesTheTimesOfTheLaunch) {
  const Recorded recorded(LoadAndMultiply);
  const LaunchTimes times = Replay(recorded.recording, recorded.soc);
  EXPECT_EQ(times.cycles, recorded.result.cycles);
  EXPECT_EQ(times.cores[0].busy_cycles, recorded.result.cores[0].statistics.busy_cycles);
  EXPECT_EQ(times.cores[0].busy_cycles[static_cast<size_t>(kM)], 600);
  EXPECT_GE(times.cycles, 1000);
}

TEST(Replay, IsTheSameWhetherSomebodyWatchesOrNot) {
  const Recorded recorded(LoadAndMultiply, 2);
  Runs runs;
  EXPECT_EQ(Replay(recorded.recording, recorded.soc, {}, &runs).cycles, recorded.result.cycles);
  EXPECT_EQ(runs.at.size(), 2U * 20);
}

int64_t CyclesWithin(const LaunchRecording& recording, const SocConfig& soc, int64_t most_cycles,
                     const WhatIf& what_if = {}) {
  const std::optional<LaunchTimes> times = ReplayWithin(recording, soc, most_cycles, what_if);
  return times ? times->cycles : -1;
}

TEST(Replay, GivesUpWhereTheTimeIsNotEnough) {
  const Recorded recorded(LoadAndMultiply, 2);
  const int64_t cycles = recorded.result.cycles;
  EXPECT_EQ(CyclesWithin(recorded.recording, recorded.soc, cycles), cycles);
  EXPECT_EQ(CyclesWithin(recorded.recording, recorded.soc, 2 * cycles), cycles);
  EXPECT_FALSE(ReplayWithin(recorded.recording, recorded.soc, cycles - 1));
  EXPECT_FALSE(ReplayWithin(recorded.recording, recorded.soc, 0));
  const WhatIf free = WhatIf::Free(kMte1);
  const int64_t less = Replay(recorded.recording, recorded.soc, free).cycles;
  EXPECT_EQ(CyclesWithin(recorded.recording, recorded.soc, less, free), less);
}

TEST(Replay, SaysWhatAFreePipeWouldSave) {
  const Recorded recorded(LoadAndMultiply);
  const int64_t now = recorded.result.cycles;
  const LaunchTimes no_loads = Replay(recorded.recording, recorded.soc, WhatIf::Free(kMte1));
  EXPECT_EQ(no_loads.cycles, now - 10 * 40 + 2);  // the first product cannot start before its issue at 4
  EXPECT_EQ(no_loads.cores[0].busy_cycles[static_cast<size_t>(kMte1)], 0);
  EXPECT_EQ(Replay(recorded.recording, recorded.soc, WhatIf::Free(kFix)).cycles, now);
}

TEST(Replay, MayBeAskedOfAPartWithOtherFigures) {
  const Recorded recorded([](Core& core) {
    for (int i = 0; i < 4; ++i) {
      Do(core, On(kM, 100));
    }
    Do(core, On(kMte1, 200));
  });
  EXPECT_EQ(recorded.result.cycles, 401);
  const std::vector<std::string> short_queue = {"queue.m=1"};
  EXPECT_EQ(Replay(recorded.recording, LoadSoc("unit", short_queue)).cycles,
            203 + 200);  // MTE1 issued at 203
}

TEST(Replay, NamesWhatAnInstructionWaitedForLast) {
  const Recorded recorded([](Core& core) {
    Do(core, On(kMte1, 40));  // 0: 1..41
    Do(core, On(kMte1, 10));  // 1: 41..51, its pipe
    core.SetFlag(kMte1, kM, 3, {});
    core.WaitFlag(kMte1, kM, 3, {});
    Do(core, On(kM, 10, 7));  // 2: a flag
    core.Barrier(kM, {});
    Do(core, On(kM, 10));   // 3: a barrier
    Do(core, On(kFix, 5));  // 4: its issue
    core.BarrierAll({});
    Do(core, On(kFix, 5));  // 5: the scalar unit, that waited for all
  });
  Runs runs;
  Replay(recorded.recording, recorded.soc, {}, &runs);
  EXPECT_EQ(runs[0].reason.why, Wait::kIssue);
  EXPECT_EQ(runs[1].reason.why, Wait::kPipe);
  EXPECT_EQ(runs[1].reason.run, 0);
  EXPECT_EQ(runs[1].reason.until, runs[0].span.free);
  EXPECT_EQ(runs[2].reason.why, Wait::kFlag);
  EXPECT_EQ(runs[2].reason.by, kMte1);
  EXPECT_EQ(runs[2].reason.run, 1);
  EXPECT_EQ(runs[2].reason.until, runs[2].span.start);
  EXPECT_EQ(runs[3].reason.why, Wait::kBarrier);
  EXPECT_EQ(runs[3].reason.run, 2);
  EXPECT_EQ(runs[3].span.start, runs[2].span.done + recorded.soc.barrier_cycles);
  EXPECT_EQ(runs[4].reason.why, Wait::kIssue);
  EXPECT_EQ(runs[4].span.start, runs[4].span.issue);
  EXPECT_EQ(runs[5].reason.why, Wait::kBarrier);
  EXPECT_EQ(runs[5].reason.run, 3);
  EXPECT_EQ(runs[5].span.start, runs[5].span.issue);
  EXPECT_EQ(runs[5].reason.until, runs[5].span.issue - recorded.soc.scalar_issue_cycles);
}

TEST(Replay, NamesAFullQueueAndAUnitFlag) {
  const Recorded recorded(
      [](Core& core) {
        Do(core, On(kMte1, 100));  // 0: 1..101
        Do(core, On(kMte1, 100));  // 1: 101..201
        Do(core, On(kFix, 1));     // 2: at once
        Do(core, On(kMte1, 1));    // 3: stops the scalar unit until 1 has started
        Do(core, On(kFix, 1));     // 4: issued behind it
        Do(core, {.on = kM,
                  .regions = {Writes(Memory::kL0C, 0, 1024)},
                  .cost = {.busy_cycles = 50},
                  .unit_flag = 3});
        Do(core, {.on = kFix, .regions = {Reads(Memory::kL0C, 0, 1024)}, .unit_flag = 3});  // 6
      },
      1, 1, {"queue.mte1=1"});
  Runs runs;
  Replay(recorded.recording, recorded.soc, {}, &runs);
  EXPECT_EQ(runs[4].reason.why, Wait::kQueue);
  EXPECT_EQ(runs[4].reason.by, kMte1);
  EXPECT_EQ(runs[4].reason.run, 1);
  EXPECT_EQ(runs[4].reason.until, 101);
  EXPECT_EQ(runs[6].reason.why, Wait::kUnitFlag);
  EXPECT_EQ(runs[6].reason.by, kM);
  EXPECT_EQ(runs[6].reason.run, 5);
}

TEST(Replay, NamesTheCoreThatOthersWaitedFor) {
  const Recorded recorded(
      [](Core& core) {
        if (core.identity().block == 1) {
          Do(core, On(kFix, 1000));
        }
        core.CrossCoreSet(0, kFix, 5, {});
        core.CrossCoreWait(5, {});
        Do(core, On(kMte1, 10));
      },
      2, 2);
  Runs runs;
  Replay(recorded.recording, recorded.soc, {}, &runs);
  for (const auto& [place, timed] : runs.at) {
    if (timed.step.pipe == kMte1) {
      EXPECT_EQ(timed.reason.why, Wait::kCrossCore) << place.first;
      EXPECT_EQ(timed.reason.core, 1);
      EXPECT_EQ(timed.reason.run, 0);
      EXPECT_EQ(timed.span.start, 1001 + recorded.soc.cross_core_cycles + 1);
    }
  }
}

// From the last end backwards, every instruction starts when what it waited for lets it: the critical path
// has no gaps but those of issuing.
TEST(Replay, ReasonsLeadFromTheEndToTheBeginning) {
  const Recorded recorded(LoadAndMultiply);
  Runs runs;
  Replay(recorded.recording, recorded.soc, {}, &runs);
  int64_t run = 19;
  int steps = 1;
  for (; runs[run].reason.run >= 0; ++steps) {
    const int64_t before = runs[run].reason.run;
    EXPECT_LT(before, run);
    EXPECT_LE(runs[run].span.start - runs[before].span.done, 2);
    run = before;
  }
  EXPECT_EQ(run, 0);
  EXPECT_EQ(steps, 20);
}

TEST(Recording, KeepsWhatRecursOnce) {
  const Recorded few(LoadAndMultiply);
  const Recording& recording = few.recording.recordings[0];
  EXPECT_EQ(recording.size(), 10U * 6 - 2);
  EXPECT_EQ(recording.runs(), 20);
  EXPECT_EQ(recording.distinct_steps(), 6U);
  const Recorded many([](Core& core) {
    for (int i = 0; i < 3000; ++i) {
      Do(core, On(kM, i));
    }
  });
  ASSERT_EQ(many.recording.recordings[0].distinct_steps(), 3000U);
  for (Recording::Cursor step(many.recording.recordings[0]); !step.AtEnd(); ++step) {
    ASSERT_EQ(step->cost.busy_cycles, static_cast<int64_t>(step.place()));
  }
}

TEST(Recording, TakesNoMoreThanItMay) {
  Recording recording;
  recording.SetMostBytes(1 << 20);
  std::string told;
  std::mt19937 random(1);
  try {
    for (;;) {
      recording.Barrier(static_cast<Pipe>(random() % kNumPipes));  // nothing recurs for long
    }
  } catch (const UserError& error) {
    told = error.what();
  }
  // of 4 bytes a step; while they are copied there are half as many once more
  EXPECT_EQ(
      told,
      "what a core does takes more than 1 MiB to record, its part of half of the memory that is free, after "
      "131072 steps; give a smaller case, or --mode functional, which records nothing");
  EXPECT_EQ(recording.size(), 131072U);
  recording.SetMostBytes(UINT64_MAX);
  recording.Barrier(kM);
  EXPECT_EQ(recording.size(), 131073U);
}

TEST(Recording, TakesTheMemoryOfOneRoundOfALoop) {
  Recording recording;
  recording.SetMostBytes(1 << 20);
  constexpr int64_t kRounds = 1'000'000;
  for (int64_t round = 0; round < kRounds; ++round) {
    recording.SetFlag(kMte1, kM, 0);
    recording.WaitFlag(kMte1, kM, 0);
    recording.Scalar(3);
  }
  recording.BarrierAll();
  ASSERT_EQ(recording.size(), size_t{3} * kRounds + 1);
  constexpr std::array kRound = {Step::Kind::kSetFlag, Step::Kind::kWaitFlag, Step::Kind::kScalar};
  Recording::Cursor step(recording);
  for (; step.place() < size_t{3} * kRounds; ++step) {
    ASSERT_EQ(step->kind, kRound[step.place() % 3]) << step.place();
  }
  EXPECT_EQ(step->kind, Step::Kind::kBarrierAll);
  recording.CutTo(300'001);
  EXPECT_EQ(Recording::Cursor(recording, 300'000)->kind, Step::Kind::kSetFlag);
}

TEST(Recording, IsEmptyWithoutTime) {
  LaunchRecording recording;
  LaunchOptions options{.mode = {.time = false}, .threads = 1, .recording = &recording};
  LaunchOnUnit(options, [](Core& core) { Do(core, On(kM, 10)); });
  EXPECT_TRUE(recording.recordings.empty());
}

}  // namespace
}  // namespace tilesim
