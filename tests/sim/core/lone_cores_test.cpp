// Cores run each by itself, and those that do what another one does at other places of GM.
#include "sim/core/lone_cores.h"

#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/core_tasks.h"
#include "sim/core/current_core.h"
#include "sim/core/replay.h"
#include "tests/sim/core/gm_probe.h"

namespace tilesim {
namespace {

constexpr uint64_t kBase = 1 << 20;
constexpr int64_t kCores = 6;

// Tasks of `sizes` bytes, one after another from core to core; `done` counts those that were worked on.
struct Kernel {
  std::vector<uint64_t> sizes;
  bool says = true;
  int* done;

  void operator()() const {
    Core& core = CurrentCore();
    uint64_t begin = kBase;
    for (size_t i = 0; i < sizes.size(); ++i, begin += 4096) {
      if (static_cast<int64_t>(i) % kCores != core.identity().block) {
        continue;
      }
      if (says && !core.BeginTask({.kind = {static_cast<int64_t>(sizes[i])}, .places = {{{kBase, begin}}}})) {
        continue;
      }
      ++*done;
      for (const uint64_t part : {uint64_t{0}, sizes[i]}) {
        core.Issue(GmProbe{Reads(Memory::kGm, begin + part, begin + part + sizes[i])}, {});
      }
    }
  }
};

struct Ran {
  LoneCores lone;
  int done = 0;
  int64_t cycles = 0;
};

Ran RunAll(const std::vector<uint64_t>& sizes, bool says, bool cost_only = false) {
  Ran ran;
  LaunchOptions options{
      .type = KernelType::kMixAic1_0, .blocks = kCores, .mode = {.hazards = false, .cost_only = cost_only}};
  options.gm.Add({.name = "x", .address = kBase, .size_bytes = 4096 * sizes.size(), .initialised = true});
  std::vector<size_t> all(CoresOf(options).size());
  std::iota(all.begin(), all.end(), size_t{0});
  const SocConfig soc = UnitSoc();
  ran.lone = RunLoneCores(soc, options, all, Kernel{sizes, says, &ran.done});
  ran.cycles = Replay(ran.lone.recording, soc).cycles;
  return ran;
}

TEST(LoneCores, RunEachSortOfCoreOnce) {
  const std::vector<uint64_t> sizes = {512, 512, 1024, 512, 512, 1024, 64, 512, 64};
  const Ran each = RunAll(sizes, false);
  EXPECT_EQ(each.done, 9);
  EXPECT_EQ(each.lone.sorts, 6U);
  const Ran sorts = RunAll(sizes, true);
  EXPECT_EQ(sorts.lone.sorts, 5U);  // 512 64; 512 512; 1024 64; 512 twice; 1024
  EXPECT_EQ(sorts.done, 8);
  EXPECT_EQ(sorts.cycles, each.cycles);
  for (size_t core = 0; core < each.lone.recording.recordings.size(); ++core) {
    const Recording& one = each.lone.recording.recordings[core];
    const Recording& other = sorts.lone.recording.recordings[core];
    ASSERT_EQ(one.moves(), other.moves());
    for (size_t move = 0; move < one.moves(); ++move) {
      EXPECT_EQ(one.GmBegin(move), other.GmBegin(move)) << "core " << core << ", move " << move;
    }
    EXPECT_EQ(each.lone.statistics[core].gm_read_bytes, sorts.lone.statistics[core].gm_read_bytes);
  }
}

TEST(LoneCores, TakeAndMoveTheSameWhereOnlyTheirCostIsRecorded) {
  const std::vector<uint64_t> sizes = {512, 512, 1024, 512, 512, 1024, 64, 512, 64};
  const Ran checked = RunAll(sizes, true);
  const Ran cost = RunAll(sizes, true, true);
  EXPECT_EQ(cost.cycles, checked.cycles);
  for (size_t core = 0; core < checked.lone.statistics.size(); ++core) {
    EXPECT_EQ(cost.lone.statistics[core].gm_read_bytes, checked.lone.statistics[core].gm_read_bytes);
    EXPECT_EQ(cost.lone.recording.recordings[core].runs(), checked.lone.recording.recordings[core].runs());
  }
  EXPECT_STREQ(Recording::Cursor(checked.lone.recording.recordings[0])->name, "GmProbe");
  EXPECT_STREQ(Recording::Cursor(cost.lone.recording.recordings[0])->name, "");
}

// Six cores with as many tasks of a kind as `kinds` has, on each the cube works as long as the kind says.
LoneCores RunPart(const std::vector<int64_t>& kinds, size_t part) {
  LaunchOptions options{.type = KernelType::kMixAic1_0, .blocks = kCores, .mode = {.hazards = false}};
  options.gm.Add({.name = "x", .address = kBase, .size_bytes = 4096 * kCores, .initialised = true});
  std::vector<size_t> all(CoresOf(options).size());
  std::iota(all.begin(), all.end(), size_t{0});
  return RunLoneCores(
      UnitSoc(), options, all,
      [&] {
        Core& core = CurrentCore();
        const uint64_t begin = kBase + static_cast<uint64_t>(core.identity().block) * 4096;
        for (const int64_t kind : kinds) {
          if (core.BeginTask({.kind = {kind}, .places = {{{kBase, begin}}}})) {
            core.Issue(GmProbe{Reads(Memory::kGm, begin, begin + 512)}, {});
            Do(core,
               Probe{.on = Pipe::kM, .regions = {}, .cost = {.busy_cycles = kind, .latency_cycles = 0}});
          }
        }
        Do(core, Probe{.on = Pipe::kFix,
                       .regions = {},
                       .cost = {.busy_cycles = 7, .latency_cycles = 0}});  // behind all tasks
      },
      part);
}

TEST(LoneCores, DoAPartOfTheTasksAndSayWhatIsLeft) {
  const auto kCube = static_cast<size_t>(Index(Pipe::kM));
  const LoneCores begun = RunPart({1000, 1000, 300, 1000}, 4);
  ASSERT_EQ(begun.rests.size(), 6U);
  for (size_t core = 0; core < 6; ++core) {
    EXPECT_TRUE(begun.rests[core].any);
    EXPECT_EQ(begun.rests[core].busy_cycles[kCube], 2000);  // of a kind that none has done nothing is known
    EXPECT_EQ(begun.recording.recordings[core].runs(), 2);
    EXPECT_EQ(begun.recording.recordings[core].moves(), 1U);
  }
  EXPECT_EQ(RunPart({1000, 1000, 300, 1000}, 2).rests[5].busy_cycles[kCube], 1000);
  EXPECT_EQ(RunPart({1000, 1000, 300, 1000}, 8).recording.recordings[0].runs(), 2);  // one at least
  EXPECT_TRUE(RunPart({1000, 1000, 300}, 4).rests.empty());                          // too few to part
  EXPECT_EQ(RunPart({1000}, 4).recording.recordings[0].runs(), 3);
}

TEST(LoneCores, ShowAtTheirBeginningThatTheyTakeTooLong) {
  const std::vector<int64_t> kinds(8, 1000);
  const int64_t cycles = Replay(RunPart(kinds, 1).recording, UnitSoc()).cycles;
  const LoneCores begun = RunPart(kinds, 4);
  EXPECT_TRUE(MayEndWithin(begun.recording, begun.rests, UnitSoc(), cycles));
  EXPECT_TRUE(MayEndWithin(begun.recording, begun.rests, UnitSoc(), 8100));
  EXPECT_FALSE(MayEndWithin(begun.recording, begun.rests, UnitSoc(), 8000));
  EXPECT_FALSE(MayEndWithin(begun.recording, begun.rests, UnitSoc(), 0));
}

// A task may touch nothing of a tensor; it must not name one that is not there, nor move what it has not.
TEST(LoneCores, RefusePlacesThatAreNotTheTasks) {
  LaunchOptions options{.type = KernelType::kMixAic1_0, .blocks = 2, .mode = {.hazards = false}};
  options.gm.Add({.name = "x", .address = kBase, .size_bytes = 4096, .initialised = true});
  options.gm.Add({.name = "y", .address = kBase + 4096, .size_bytes = 4096, .initialised = true});
  const std::vector<size_t> both = {0, 1};
  const SocConfig soc = UnitSoc();
  const auto run = [&](const std::array<TaskPlace, 4>& first, const std::array<TaskPlace, 4>& second) {
    const LoneCores lone = RunLoneCores(soc, options, both, [&] {
      Core& core = CurrentCore();
      if (core.BeginTask({.kind = {1}, .places = core.identity().block == 0 ? first : second})) {
        core.Issue(GmProbe{Reads(Memory::kGm, kBase + 4096, kBase + 4096 + 64)}, {});
      }
    });
    return lone.recording.recordings[1].GmBegin(0);
  };
  const TaskPlace y = {kBase + 4096, kBase + 4096};
  const TaskPlace further = {kBase + 4096, kBase + 4096 + 512};
  // the place of the first core in x is where y begins, that of the second below x
  EXPECT_EQ(run({{{kBase, kBase + 4096}, y}}, {{{kBase, kBase - 64}, further}}), 512U);
  EXPECT_THROW(run({{{64, 64}}}, {{{64, 64}}}), std::logic_error);               // in no buffer
  EXPECT_THROW(run({{y, y}}, {{y, further}}), std::logic_error);                 // one buffer twice
  EXPECT_THROW(run({{y}}, {{{kBase, kBase}}}), std::logic_error);                // another tensor
  EXPECT_THROW(run({{y}}, {{{kBase + 4096, kBase + 8192}}}), std::logic_error);  // moves leave it
}

}  // namespace
}  // namespace tilesim
