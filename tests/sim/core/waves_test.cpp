// Launches of more blocks than the part has cores, and what a kernel prints.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/replay.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

// Cycles of an AIC_ONLY launch on `cores` cores whose block i takes cycles[i] on MTE1.
int64_t CyclesOf(const std::vector<int64_t>& cycles, int cores) {
  const SocConfig soc = UnitSoc(cores);
  return Launch(soc, {.blocks = static_cast<int64_t>(cycles.size()), .threads = 1},
                [&] {
                  Core& core = CurrentCore();
                  const auto own = cycles[static_cast<size_t>(core.identity().block)];
                  Do(core, {.on = Pipe::kMte1, .cost = {.busy_cycles = own}});
                })
      .cycles;
}

TEST(Waves, ABlockStartsWhereTheFirstOneBeforeItEnds) {
  EXPECT_EQ(CyclesOf({100, 100}, 2), 101);  // a cycle of issue
  EXPECT_EQ(CyclesOf({100, 100, 100}, 2), 202);
  EXPECT_EQ(CyclesOf({100, 100, 100, 100}, 2), 202);
  EXPECT_EQ(CyclesOf({300, 100, 100, 100}, 2), 303);  // three short ones beside the long one
  EXPECT_EQ(CyclesOf({100, 300, 100, 50}, 2), 301);
  EXPECT_EQ(CyclesOf({10, 10, 10, 10, 10, 10, 10}, 1), 7 * 11);
}

TEST(Waves, EveryBlockRunsOnceWhateverTheThreads) {
  for (const int threads : {1, 3}) {
    std::vector<int> runs(50);
    const LaunchResult result =
        Launch(UnitSoc(2), {.type = KernelType::kAivOnly, .blocks = 50, .threads = threads},
               [&] { ++runs[static_cast<size_t>(CurrentCore().identity().block)]; });
    EXPECT_EQ(runs, std::vector<int>(50, 1));
    EXPECT_EQ(result.cores.size(), 50U);
    EXPECT_TRUE(result.completed);
  }
}

TEST(Printed, IsCoreByCoreWithAPrefixALine) {
  for (const int threads : {1, 3}) {
    const LaunchResult result = LaunchOnUnit({.blocks = 2, .threads = threads}, [](Core& core) {
      const std::string prefix = core.identity().Name() + ": ";
      core.Print("a", prefix);
      core.Print("b\n\nc", prefix);
      core.Print("", prefix);
    });
    EXPECT_EQ(result.printed, "AIC 0: ab\nAIC 0: \nAIC 0: c\nAIC 1: ab\nAIC 1: \nAIC 1: c\n");
  }
}

TEST(CyclesAlone, IsWhatTheCoreHasIssuedSoFar) {
  LaunchOnUnit([](Core& core) {
    EXPECT_EQ(core.CyclesAlone(), 0);
    Do(core, {.on = Pipe::kS, .cost = {.busy_cycles = 100}});
    EXPECT_EQ(core.CyclesAlone(), 101);
  });
  LaunchOnUnit({.type = KernelType::kMixAic1_0, .blocks = 2, .threads = 1}, [](Core& core) {
    Meet(core, 3);
    EXPECT_GT(core.CyclesAlone(), 0);
  });
}

}  // namespace
}  // namespace tilesim
