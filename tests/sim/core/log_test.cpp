// InstructionLog and what HazardChecker keeps: with many instructions nothing grows, and nothing is lost.
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/gm_reads.h"
#include "sim/core/hazard.h"
#include "sim/core/instruction_log.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;
using enum Memory;

Issued At(const char* name, const char* file, int line, int64_t tile = 0) {
  Issued issued;
  issued.name = name;
  issued.where = {.file = file, .line = line};
  issued.tile = {.names = {"k", nullptr, nullptr}, .indices = {tile, 0, 0}};
  return issued;
}

TEST(InstructionLog, NumbersCallsByTheirTextAndNotByWhereItLies) {
  const std::string name = "Mmad";
  const std::string file = "kernel.cpp";
  const std::string same_name = name;
  const std::string same_file = file;
  InstructionLog log;
  const auto site = [&](const std::string& n, const std::string& f, int line) {
    return log.At(log.Add(At(n.c_str(), f.c_str(), line), 0, 0)).site;
  };
  const uint32_t first = site(name, file, 7);
  EXPECT_EQ(site(same_name, same_file, 7), first);
  EXPECT_NE(site(name, file, 8), first);
  const std::string other_name = "Load";
  const std::string other_file = "other.cpp";
  EXPECT_NE(site(other_name, file, 7), first);
  EXPECT_NE(site(name, other_file, 7), first);
  for (int line = 100; line < 1000; ++line) {  // more calls than are remembered by their place
    site(name, file, line);
  }
  EXPECT_EQ(site(name, file, 7), first);
}

TEST(InstructionLog, RetiresWhatNobodyRefersToAndKeepsTheOrder) {
  InstructionLog log;
  std::vector<AccessId> held = {0};
  for (uint32_t i = 1; i <= 1000; ++i) {
    const AccessId id = log.Add(At("Probe", "kernel.cpp", 1, i / 10), 0, i);
    if (i % 7 == 0) {
      held.push_back(id);
    }
  }
  for (int again = 0; again < 2; ++again) {
    log.Retire([&](auto&& use) {
      for (AccessId& id : held) {
        use(id);
      }
    });
    EXPECT_EQ(log.size(), 142U);
    for (uint32_t i = 0; i < held.size(); ++i) {
      ASSERT_EQ(held[i], i);  // 0 stays "none"
      if (i != 0) {
        EXPECT_EQ(log.At(i).sequence, 7 * i);
        EXPECT_EQ(log.TileAt(i).Text(), "k " + std::to_string(7 * i / 10));
      }
    }
  }
}

TEST(GmReads, OfReadsAlikeTheLastIsKept) {
  GmReads reads;
  const GmReads::Read rows{.region = {.begin = 64, .block_bytes = 32, .count = 4, .stride_bytes = 128}};
  GmReads::Read other_call = rows;
  other_call.site = 1;
  GmReads::Read after_a_meeting = rows;
  after_a_meeting.knowledge = 1;
  GmReads::Read wider = rows;
  wider.region.stride_bytes = 256;
  reads.Add(rows, 1);
  reads.Add(other_call, 2);
  reads.Add(after_a_meeting, 3);
  reads.Add(wider, 4);
  reads.Add(rows, 5);
  std::vector<AccessId> order;
  reads.ForEach([&](const GmReads::Read& read, AccessId id) {
    order.push_back(id);
    EXPECT_EQ(read.region.stride_bytes, id == 4 ? 256U : 128U);
  });
  EXPECT_EQ(order, (std::vector<AccessId>{2, 3, 4, 5}));
}

// A loop like a kernel's: load, compute, store, each ordered by flags, over the same memory again and again.
TEST(Hazard, WhatIsKeptDoesNotGrowWithTheNumberOfInstructions) {
  std::vector<float> data(2048);
  LaunchOptions options{.mode = {.values = false, .time = false, .hazards = true}, .threads = 1};
  options.gm.Add(BufferOf("x", data));
  std::vector<float> out(2048);
  options.gm.Add(BufferOf("y", out));
  const uint64_t x = options.gm.buffers()[0].address;
  const uint64_t y = options.gm.buffers()[1].address;
  size_t most = 0;
  const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
    const auto hand_on = [&](Pipe src, Pipe dst) {
      core.SetFlag(src, dst, 0, {});
      core.WaitFlag(src, dst, 0, {});
    };
    for (int64_t i = 0; i < 50000; ++i) {
      const uint64_t at = static_cast<uint64_t>(i % 64) * 64;
      core.MarkTile({.names = {"i", nullptr, nullptr}, .indices = {i, 0, 0}});
      Do(core, {.on = kMte2, .regions = {Reads(kGm, x + at, x + at + 64), Writes(kL1, at, at + 64)}});
      hand_on(kMte2, kMte1);
      Do(core, {.on = kMte1, .regions = {Reads(kL1, at, at + 64), Writes(kL0A, 0, 512)}});
      hand_on(kMte1, kM);
      Do(core, {.on = kM, .regions = {Reads(kL0A, 0, 512), Writes(kL0C, 0, 1024)}});
      hand_on(kM, kFix);
      Do(core, {.on = kFix, .regions = {Reads(kL0C, 0, 1024), Writes(kGm, y + at, y + at + 64)}});
      hand_on(kFix, kM);
      hand_on(kM, kMte2);
      most = std::max(most, core.hazards()->held());
    }
  });
  EXPECT_EQ(TextOf(result), "");
  EXPECT_LT(most, 10000U);
}

TEST(Hazard, AnInstructionOfLongAgoIsStillNamed) {
  LaunchOptions options{.mode = {.values = true, .time = false, .hazards = true}, .threads = 1};
  const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
    core.MarkTile({.names = {"k", nullptr, nullptr}, .indices = {5, 0, 0}});
    Do(core, {.on = kMte2, .regions = {Writes(kL1, 0, 64)}}, {.file = "kernel.cpp", .line = 12});
    for (int64_t i = 0; i < 20000; ++i) {
      core.MarkTile({.names = {"k", nullptr, nullptr}, .indices = {6 + i, 0, 0}});
      Do(core, {.on = kMte2, .regions = {Writes(kL1, 64, 128)}}, {.file = "kernel.cpp", .line = 13});
      core.Barrier(kMte2, {});
    }
    Do(core, {.on = kMte1, .regions = {Reads(kL1, 32, 64)}}, {.file = "kernel.cpp", .line = 20});
  });
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  const std::string& what = result.faults[0].what;
  EXPECT_NE(what.find("that Probe on MTE2 (kernel.cpp:12, tile k 5) writes"), std::string::npos) << what;
}

// One core reads the same bytes twice and promises some of that to another, which then writes them.
TEST(HazardBetweenCores, OfReadsAlikeEachCounts) {
  std::vector<float> data(64);
  LaunchOptions options{.type = KernelType::kMixAic1_0, .blocks = 2, .threads = 1};
  options.gm.Add(BufferOf("x", data));
  const uint64_t x = options.gm.buffers()[0].address;
  for (const int promised : {1, 2}) {
    const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
      for (int read = 1; read <= 2 && core.identity().block == 0; ++read) {
        Do(core, {.on = kMte2, .regions = {Reads(kGm, x, x + 64)}});
        if (read == promised) {
          core.SetFlag(kMte2, kMte1, 0, {});
          core.WaitFlag(kMte2, kMte1, 0, {});
        }
      }
      core.CrossCoreSet(0, kMte1, 3, {});
      core.CrossCoreWait(3, {});
      if (core.identity().block == 1) {
        Do(core, {.on = kMte3, .regions = {Writes(kGm, x, x + 4)}});
      }
    });
    EXPECT_EQ(result.faults.size(), promised == 2 ? 0U : 1U) << TextOf(result);
  }
}

// A program at random: accesses, flags, barriers and meetings of two cores. `fillers` instructions that touch
// nothing follow each access.
std::string FaultsAtRandom(unsigned seed, int fillers) {
  std::vector<float> data(64);
  LaunchOptions options{.type = KernelType::kMixAic1_0,
                        .blocks = 2,
                        .mode = {.values = false, .time = false, .hazards = true},
                        .threads = 1};
  options.gm.Add({.name = "x", .address = 4096, .size_bytes = 256});
  return TextOf(LaunchOnUnit(options, [&](Core& core) {
    std::mt19937 random(seed + static_cast<unsigned>(core.identity().block));
    std::mt19937 meetings(seed);  // alike on both cores
    constexpr Pipe kPipes[] = {kMte1, kMte2, kM, kFix};
    constexpr Pipe kPairs[][2] = {{kMte2, kMte1}, {kMte1, kM}, {kM, kFix}, {kFix, kM}, {kM, kMte2}};
    std::vector<bool> set(5);
    for (int step = 0; step < 300; ++step) {
      core.MarkTile({.names = {"step", nullptr, nullptr}, .indices = {step, 0, 0}});
      const uint64_t begin = random() % 8 * 32;
      const uint64_t end = std::min<uint64_t>(256, begin + 32 + random() % 3 * 32);
      const Memory memory = random() % 2 == 0 ? kL1 : kGm;
      const uint64_t base = memory == kGm ? 4096 : 0;
      const Use use = random() % 3 == 0 ? Use::kWrite : Use::kRead;
      Do(core, {.on = kPipes[random() % 4], .regions = {Bytes(memory, use, base + begin, base + end)}},
         {.file = "kernel.cpp", .line = static_cast<int>(1 + random() % 6)});
      for (int i = 0; i < fillers; ++i) {
        Do(core, {.on = kMte3}, {.file = "filler.cpp", .line = 1});
      }
      const size_t pair = random() % 5;
      set[pair] ? core.WaitFlag(kPairs[pair][0], kPairs[pair][1], 0, {})
                : core.SetFlag(kPairs[pair][0], kPairs[pair][1], 0, {});
      set[pair] = !set[pair];
      if (random() % 16 == 0) {
        core.BarrierAll({});
      }
      if (meetings() % 24 == 0) {
        core.CrossCoreSet(0, kFix, 2, {});
        core.CrossCoreWait(2, {});
      }
    }
  }));
}

TEST(Hazard, ForgettingInstructionsChangesNoFault) {
  size_t found = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::string all_kept = FaultsAtRandom(seed, 0);
    EXPECT_EQ(FaultsAtRandom(seed, 40), all_kept);
    found += all_kept.size();
  }
  EXPECT_GT(found, 1000U);
}

}  // namespace
}  // namespace tilesim
