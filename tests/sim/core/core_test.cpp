// The door of a core: operand checks, flags, unit flags, and what faults say.
#include "sim/core/core.h"

#include <vector>

#include "gtest/gtest.h"
#include "sim/core/replay.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;
using enum Memory;

// The text of the one fault of a kernel on one AIC without hazards looked for; "" where there is none.
std::string FaultOf(const std::function<void(Core&)>& kernel, KernelType type = KernelType::kAicOnly) {
  LaunchOptions options{.type = type, .mode = {.hazards = false}, .threads = 1};
  const LaunchResult result = LaunchOnUnit(options, kernel);
  EXPECT_LE(result.faults.size(), 1U) << TextOf(result);
  return TextOf(result);
}

void ExpectSays(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Core, OperandsMayReachTheEndOfAMemoryAndNoFurther) {
  EXPECT_EQ(FaultOf([](Core& core) { Do(core, {.regions = {Writes(kL0A, 65504, 65536)}}); }), "");
  ExpectSays(FaultOf([](Core& core) { Do(core, {.regions = {Writes(kL0A, 65505, 65537)}}); }),
             "dst: bytes [65505, 65537) of L0A pass the end of the memory at 65536 by 1 bytes");
}

TEST(Core, OperandsStayInTheirTensorsBuffer) {
  Region region = Writes(kL1, 64, 96);
  region.limit = 96;
  EXPECT_EQ(FaultOf([&](Core& core) { Do(core, {.regions = {region}}); }), "");
  region.limit = 95;
  ExpectSays(FaultOf([&](Core& core) { Do(core, {.regions = {region}}); }),
             "pass the end of the tensor's buffer at 95");
}

TEST(Core, TheLastBlockOfAStridedOperandCounts) {
  Region region = Writes(kL0A, 0, 512);
  region.count = 2;
  region.stride_bytes = 1024;
  region.outer_count = 3;
  region.outer_stride_bytes = 32000;
  EXPECT_EQ(region.end(), 2U * 32000 + 1024 + 512);
  EXPECT_EQ(FaultOf([&](Core& core) { Do(core, {.regions = {region}}); }), "");  // 65536 is all of L0A
  region.stride_bytes += 16;
  ExpectSays(FaultOf([&](Core& core) { Do(core, {.regions = {region}}); }),
             "bytes [0, 65552) of L0A pass the end");
}

TEST(Core, AlignmentIsChecked) {
  Region region = Writes(kL1, 40, 72);
  region.align_bytes = 32;
  ExpectSays(
      FaultOf([&](Core& core) { Do(core, {.regions = {region}}); }),
      "[misaligned] dst: its address 40 in L1 must be a multiple of 32 bytes; the nearest below is 32");
}

TEST(Core, AMemoryOfTheOtherKindOfCoreIsAFault) {
  ExpectSays(FaultOf([](Core& core) { Do(core, {.regions = {Writes(kUb, 0, 32)}}); }),
             "lies in UB, which an AIC core does not have");
  ExpectSays(FaultOf([](Core& core) { Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 32)}}); },
                     KernelType::kAivOnly),
             "lies in L1, which an AIV core does not have");
}

TEST(Core, GmOperandsLieInBuffersOfTheLaunch) {
  std::vector<float> data(16);
  const auto run = [&](const Region& region) {
    LaunchOptions options{.mode = {.hazards = false}, .threads = 1};
    options.gm.Add(BufferOf("x", data));
    return TextOf(LaunchOnUnit(options, [&](Core& core) {
      core.registers().atomic_dtype = DType::kFp32;
      Do(core, {.on = kMte3, .regions = {region}});
    }));
  };
  const auto begin = reinterpret_cast<uint64_t>(data.data());
  EXPECT_EQ(run(Reads(kGm, begin, begin + 64)), "");
  ExpectSays(run(Reads(kGm, begin + 32, begin + 65)),
             "bytes [32, 65) of GM buffer x pass the end of the buffer by 1");
  ExpectSays(run(Reads(kGm, begin + 64, begin + 65)), "is in no buffer of this launch");
  Region named = Reads(kGm, begin, begin + 48);
  named.limit = begin + 40;
  ExpectSays(run(named), "pass the end of the tensor's size given to SetGlobalBuffer by 8 bytes");
  ExpectSays(run(Updates(begin + 2, begin + 6)), "is in the middle of an element of fp32");
}

TEST(Core, AFaultNamesCorePipeInstructionOperandCycleTileAndLine) {
  const std::string text = FaultOf([](Core& core) {
    core.MarkTile({.names = {"m", "n", nullptr}, .indices = {2, 7, 0}});
    Do(core, {.on = kMte1});
    core.Issue(Probe{.regions = {Writes(kL0A, 0, 70000)}}, {.file = "kernel.cpp", .line = 12});
  });
  EXPECT_EQ(
      text,
      "AIC 0, Probe on MTE1 at cycle 1, tile m 2, n 7, kernel.cpp:12: [out of bounds] dst: bytes [0, 70000) "
      "of L0A "
      "pass the end of the memory at 65536 by 4464 bytes; make the buffer larger or the move smaller\n");
}

TEST(Core, FlagsUsedAgainstTheRulesAreFaults) {
  ExpectSays(FaultOf([](Core& core) {
               core.SetFlag(kMte1, kM, 3, {});
               core.SetFlag(kMte1, kM, 3, {});
             }),
             "[flag] eventID: MTE1_M flag 3 is set already, by SetFlag; wait for it before it is set again");
  ExpectSays(
      FaultOf([](Core& core) { core.WaitFlag(kMte1, kM, 2, {}); }),
      "[deadlock] eventID: no SetFlag<MTE1_M>(2) before it, so the pipe would wait for ever; nobody has "
      "set it so far");
  ExpectSays(FaultOf([](Core& core) { core.SetFlag(kM, kFix, 7, {}); }), "M_FIX flag 7 is still set");
  ExpectSays(FaultOf([](Core& core) { core.SetFlag(kM, kFix, 8, {}); }), "is 8, allowed 0..7");
  ExpectSays(FaultOf([](Core& core) { core.SetFlag(kM, kFix, -1, {}); }), "is -1, allowed 0..7");
  ExpectSays(FaultOf([](Core& core) { core.SetFlag(kMte2, kV, 0, {}); }),
             "MTE2_V does not exist on an AIC core");
  ExpectSays(FaultOf([](Core& core) { core.Barrier(kS, {}); }), "PIPE_S is not allowed");
  ExpectSays(FaultOf([](Core& core) { core.CrossCoreSet(4, kFix, 0, {}); }, KernelType::kMixAic1_0),
             "is 4, allowed 0, 1, 2 on this part");
  EXPECT_EQ(FaultOf([](Core& core) {
              for (int i = 0; i < 3; ++i) {
                core.SetFlag(kMte1, kM, 3, {});
                core.WaitFlag(kMte1, kM, 3, {});
              }
            }),
            "");
}

TEST(Core, UnitFlagsHandBlocksOverAndHoldTimeBack) {
  LaunchRecording recording;
  LaunchOptions options{.mode = {.hazards = false}, .threads = 1, .recording = &recording};
  const LaunchResult result = LaunchOnUnit(options, [](Core& core) {
    const Cost cost{.busy_cycles = 10, .latency_cycles = 4};
    for (int i = 0; i < 2; ++i) {
      Do(core, {.on = kM, .regions = {Writes(kL0C, 0, 1024)}, .cost = cost, .unit_flag = 2});
      Do(core, {.on = kM, .regions = {Writes(kL0C, 0, 1024)}, .cost = cost, .unit_flag = 3});
      Do(core, {.on = kFix, .regions = {Reads(kL0C, 0, 1024)}, .cost = cost, .unit_flag = 3});
    }
  });
  EXPECT_EQ(TextOf(result), "");
  struct Starts : ClockObserver {
    std::vector<int64_t> all;
    void OnRun(const TimedRun& timed) override { all.push_back(timed.span.start); }
  } starts;
  Replay(recording, UnitSoc(), {}, &starts);
  // Mmads at 1 and 11, results at 25; Fixpipe 25..35; then the blocks are empty
  EXPECT_EQ(starts.all, (std::vector<int64_t>{1, 11, 25, 35, 45, 59}));
}

TEST(Core, UnitFlagsThatNobodyFlipsAreDeadlocks) {
  const Probe fill{.on = kM, .regions = {Writes(kL0C, 1024, 2048)}, .unit_flag = 3};
  Region gaps = Reads(kL0C, 1024, 1088);  // 64 bytes of fractals 1 and 3
  gaps.count = 2;
  gaps.stride_bytes = 2048;
  const Probe take{.on = kFix, .regions = {gaps}, .unit_flag = 3};
  ExpectSays(FaultOf([&](Core& core) {
               Do(core, fill);
               Do(core, fill);
             }),
             "the unit flag of L0C block 2 is still full");
  ExpectSays(FaultOf([&](Core& core) {
               Do(core, fill);
               Do(core, take);
             }),
             "the unit flag of L0C block 6 is empty");
  EXPECT_EQ(FaultOf([&](Core& core) {  // fractal 2 is in the gap
              Do(core, fill);
              Do(core, {.on = kM, .regions = {Writes(kL0C, 3072, 4096)}, .unit_flag = 3});
              Do(core, take);
              Do(core, fill);
              Do(core, {.on = kFix, .regions = {Reads(kL0C, 1024, 2048)}, .unit_flag = 3});
            }),
            "");
}

// A product of 100 rows fills its last fractal, of which Fixpipe takes four rows.
TEST(Core, TheUnitFlagsOfAFractalAreHandedBackTogether) {
  EXPECT_EQ(FaultOf([](Core& core) {
              for (int i = 0; i < 2; ++i) {
                Do(core, {.on = kM, .regions = {Writes(kL0C, 1024, 2048)}, .unit_flag = 3});
                Do(core, {.on = kFix, .regions = {Reads(kL0C, 1024, 1280)}, .unit_flag = 3});
              }
            }),
            "");
}

TEST(Core, CountsWhatItDid) {
  std::vector<float> data(64);
  LaunchOptions options{.threads = 1};
  options.gm.Add(BufferOf("x", data));
  const uint64_t begin = options.gm.buffers()[0].address;
  const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
    Do(core, {.on = kMte2, .regions = {Reads(kGm, begin, begin + 256), Writes(kL1, 0, 256)}});
    core.SetFlag(kMte2, kMte3, 0, {});
    core.WaitFlag(kMte2, kMte3, 0, {});
    core.BarrierAll({});
    Do(core, {.on = kMte3,
              .regions = {Reads(kL1, 0, 64), Writes(kGm, begin, begin + 64)},
              .cost = {.busy_cycles = 7}});
  });
  EXPECT_EQ(TextOf(result), "");
  const CoreStatistics& statistics = result.cores.at(0).statistics;
  EXPECT_EQ(statistics.instructions[static_cast<size_t>(kMte2)], 1);
  EXPECT_EQ(statistics.busy_cycles[static_cast<size_t>(kMte3)], 7);
  EXPECT_EQ(statistics.sync_instructions, 3);
  EXPECT_EQ(statistics.gm_read_bytes, 256);
  EXPECT_EQ(statistics.gm_write_bytes, 64);
  EXPECT_EQ(result.Instructions(), 5);
  EXPECT_EQ(result.cycles, statistics.end_cycle);
}

TEST(Core, FaultsOfFlagsNameTheCallsBeforeThem) {
  const auto at = [](int line) { return SourceLine{.file = "k.cpp", .line = line}; };
  ExpectSays(FaultOf([&](Core& core) {
               core.SetFlag(kMte1, kM, 3, at(7), "EnQue of a queue");
               core.SetFlag(kMte1, kM, 3, at(9));
             }),
             "MTE1_M flag 3 is set already, by EnQue of a queue (k.cpp:7); wait for it");
  ExpectSays(FaultOf([&](Core& core) {
               core.SetFlag(kMte1, kM, 3, at(7));
               core.WaitFlag(kMte1, kM, 3, at(8));
               core.WaitFlag(kMte1, kM, 3, at(9));
             }),
             "the last to set it was SetFlag (k.cpp:7), for which WaitFlag (k.cpp:8) has waited");
  const std::string left = FaultOf([&](Core& core) { core.SetFlag(kMte1, kM, 3, at(7)); });
  ExpectSays(left, "AIC 0, end of kernel on S");
  ExpectSays(left, "k.cpp:7: [flag] MTE1_M flag 3 is still set, by SetFlag; every SetFlag");
}

// The end of a tensor is no end of its memory.
TEST(Core, WhatPassesTheTensorAloneIsToldOnceAndDone) {
  int runs = 0;
  Region region = Writes(kL1, 0, 96);
  region.limit = 64;
  const auto run = [&](uint64_t end) {
    runs = 0;
    region.block_bytes = end;
    return LaunchOnUnit([&](Core& core) {
      for (int i = 0; i < 3; ++i) {
        Do(core, {.on = kMte2, .regions = {region}, .run = [&](Core&) { ++runs; }});
        core.BarrierAll({});
      }
    });
  };
  const LaunchResult within = run(96);
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(within.completed);
  ASSERT_EQ(within.faults.size(), 1U) << TextOf(within);
  ExpectSays(TextOf(within), "bytes [0, 96) of L1 pass the end of the tensor's buffer at 64 by 32 bytes");
  const LaunchResult beyond = run(uint64_t{1} << 30);
  EXPECT_EQ(runs, 0);
  EXPECT_FALSE(beyond.completed);
}

TEST(Core, AnAddressInANeighbouringBufferIsToldByItsDistance) {
  std::vector<float> both(64);
  LaunchOptions options{.threads = 1};
  const auto begin = reinterpret_cast<uint64_t>(both.data());
  options.gm.Add({.name = "x", .address = begin, .size_bytes = 128});
  options.gm.Add({.name = "y", .address = begin + 128, .size_bytes = 128});
  Region region = Reads(kGm, begin + 160, begin + 192);
  region.limit = begin + 128;
  ExpectSays(
      TextOf(LaunchOnUnit(options, [&](Core& core) { Do(core, {.on = kMte2, .regions = {region}}); })),
      "begins 32 bytes behind the end of GM buffer x, which its tensor was made from, at byte 32 of GM "
      "buffer y; x has 128 bytes");
}

TEST(Core, WhatIsOffIsNotDone) {
  int runs = 0;
  for (const bool on : {false, true}) {
    LaunchOptions options{.mode = {.values = on, .time = on, .hazards = on}, .threads = 1};
    const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
      EXPECT_EQ(core.l1() != nullptr, on);
      Region unwritten = Reads(kL1, 0, 32);
      unwritten.decides = "matter";
      Do(core, {.on = kMte1, .regions = {unwritten}, .run = [&](Core&) { ++runs; }});
    });
    EXPECT_EQ(runs, on ? 1 : 0);
    EXPECT_EQ(result.cycles > 0, on);
    EXPECT_EQ(result.faults.size(), on ? 1U : 0U);
  }
}

TEST(Core, ASynchronisingCallCanBeLeftOutByItsLine) {
  std::set<SyncSite> sites;
  const auto kernel = [](Core& core) {
    core.SetFlag(kMte2, kMte1, 0, {.file = "/some/where/kernel.cpp", .line = 5});
    core.WaitFlag(kMte2, kMte1, 0, {.file = "/some/where/kernel.cpp", .line = 6});
  };
  EXPECT_EQ(TextOf(LaunchOnUnit({.threads = 1, .sync_sites = &sites}, kernel)), "");
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites.begin()->call, "SetFlag");
  const LaunchResult no_set = LaunchOnUnit({.threads = 1, .drop_sync = SourceLine{"kernel.cpp", 5}}, kernel);
  ASSERT_EQ(no_set.faults.size(), 1U);
  EXPECT_EQ(no_set.faults[0].kind, FaultKind::kDeadlock);
  const LaunchResult no_wait = LaunchOnUnit({.threads = 1, .drop_sync = SourceLine{"kernel.cpp", 6}}, kernel);
  ASSERT_EQ(no_wait.faults.size(), 1U);
  EXPECT_EQ(no_wait.faults[0].kind, FaultKind::kFlag);
}

}  // namespace
}  // namespace tilesim
