#include "sim/core/summary.h"

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

TEST(LaunchSummary, RatiosAreMeansOverTheCoresThatCount) {
  const SocConfig soc = UnitSoc();
  LaunchResult result;
  result.cycles = 200;
  for (int i = 0; i < 4; ++i) {
    CoreResult core;
    core.identity.kind = i < 2 ? CoreKind::kAic : CoreKind::kAiv;
    core.statistics.busy_cycles[static_cast<size_t>(Pipe::kMte2)] = 50 * (i + 1);
    core.statistics.busy_cycles[static_cast<size_t>(Pipe::kV)] = i < 2 ? 0 : 100;
    core.statistics.busy_cycles[static_cast<size_t>(Pipe::kM)] = i < 2 ? 100 * i : 0;
    core.statistics.busy_cycles[static_cast<size_t>(Pipe::kS)] = 10 * (i + 1);
    core.statistics.instructions[static_cast<size_t>(Pipe::kM)] = 10;
    core.statistics.sync_instructions = 10;
    core.statistics.gm_read_bytes = 1000;
    core.statistics.gm_write_bytes = 10;
    core.statistics.l2_hit_bytes = 750;
    core.statistics.l2_miss_bytes = 250;
    result.cores.push_back(core);
  }
  const LaunchSummary summary = Summarise(soc, result);
  EXPECT_DOUBLE_EQ(summary.ratio(Pipe::kMte2), 75.0 / 200);  // of the AICs
  EXPECT_DOUBLE_EQ(summary.ratio(Pipe::kM), 50.0 / 200);
  EXPECT_DOUBLE_EQ(summary.ratio(Pipe::kV), 100.0 / 200);  // of the AIVs
  EXPECT_DOUBLE_EQ(summary.ratio(Pipe::kS), 15.0 / 200);   // of the AICs
  EXPECT_DOUBLE_EQ(summary.ratio(Pipe::kFix), 0);
  EXPECT_EQ(summary.gm_read_bytes, 4000);
  EXPECT_EQ(summary.gm_write_bytes, 40);
  EXPECT_DOUBLE_EQ(summary.l2_hit_ratio, 0.75);
  EXPECT_EQ(summary.work.cube_cycles, 100);
  EXPECT_EQ(summary.work.gm_read_bytes, 1000);
}

TEST(LaunchSummary, ALaunchThatDidNothingHasZeros) {
  const LaunchSummary summary = Summarise(UnitSoc(), LaunchOnUnit([](Core&) {}));
  EXPECT_EQ(summary.ratio(Pipe::kM), 0);
  EXPECT_EQ(summary.l2_hit_ratio, 0);
  EXPECT_EQ(summary.lower_bound.time_us, 2);  // 1 us and 1 us for a core
  EXPECT_EQ(Name(summary.lower_bound.by), "launch");
}

TEST(LowerBound, IsTheLargestPartOnTheBestNumberOfCores) {
  SocConfig soc = UnitSoc(4);  // 1 MHz; 32 B a cycle a core, 64 B from HBM in all
  soc.launch_us_per_core = 0;
  const auto bound = [&](const Work& work) { return LowerBoundOf(soc, work, 4); };
  EXPECT_EQ(bound({.cube_cycles = 4000}).time_us, 1 + 1000);
  EXPECT_EQ(bound({.cube_cycles = 4000}).by, Bound::kCube);
  EXPECT_EQ(bound({.cube_cycles = 4000}).cores, 4);
  const LowerBound parts = bound({.cube_cycles = 4000, .gm_read_bytes = 640, .gm_write_bytes = 320});
  EXPECT_EQ(parts.part(Bound::kLaunch), 1);
  EXPECT_EQ(parts.part(Bound::kCube), 1000);
  EXPECT_EQ(parts.part(Bound::kGmRead), 10);
  EXPECT_EQ(parts.part(Bound::kGmWrite), 2.5);
  EXPECT_EQ(bound({.cube_cycles = 3000, .gm_read_bytes = 64 * 2000}).time_us,
            1 + 2000);  // not 4 x 32 B a cycle
  EXPECT_EQ(bound({.cube_cycles = 3000, .gm_read_bytes = 64 * 2000}).by, Bound::kGmRead);
  EXPECT_EQ(bound({.gm_read_bytes = 64, .gm_write_bytes = 32 * 4 * 7}).time_us, 1 + 7);
  EXPECT_EQ(Name(bound({.gm_read_bytes = 64, .gm_write_bytes = 32 * 4 * 7}).by), "gm_write");
  EXPECT_EQ(LowerBoundOf(soc, {.gm_write_bytes = 32 * 8 * 7}, 8).time_us, 1 + 7);  // two AIVs an AIC
  soc.launch_us_per_core = 600;
  EXPECT_EQ(bound({.cube_cycles = 1000}).time_us, 1 + 600 + 1000);  // a second core costs more than it saves
}

TEST(LowerBound, IsNeverAboveASimulatedTime) {
  const SocConfig soc = UnitSoc();
  const LaunchResult result = LaunchOnUnit({.blocks = 3, .threads = 1}, [](Core& core) {
    for (int i = 0; i < 10; ++i) {
      Do(core, {.on = Pipe::kM, .cost = {.busy_cycles = 90, .latency_cycles = 3}});
    }
  });
  const LaunchSummary summary = Summarise(soc, result);
  EXPECT_LT(summary.lower_bound.time_us, result.time_us);
  EXPECT_GT(summary.lower_bound.time_us, 0.2 * result.time_us);
}

}  // namespace
}  // namespace tilesim
