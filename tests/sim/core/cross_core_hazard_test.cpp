// Hazards between cores.
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;
using enum Memory;

struct TwoCores {
  std::vector<float> data = std::vector<float>(256);
  LaunchOptions options{.type = KernelType::kMixAic1_0, .blocks = 2, .threads = 1};
  uint64_t begin = reinterpret_cast<uint64_t>(data.data());
  TwoCores() { options.gm.Add(BufferOf("dw", data)); }
};

void MeetAll(Core& core, int id = 11) {
  core.BarrierAll({});
  core.CrossCoreSet(0, kFix, id, {});
  core.CrossCoreWait(id, {});
}

TEST(HazardBetweenCores, ConflictsInGmAreFoundAndNameBoth) {
  const TwoCores two;
  const auto run = [&](Use first, Use second, uint64_t offset, bool meet) {
    return LaunchOnUnit(two.options, [&](Core& core) {
      const bool leads = core.identity().block == 0;
      if (leads) {
        Do(core, {.on = kFix, .regions = {Bytes(kGm, first, two.begin, two.begin + 64)}});
      }
      if (meet) {
        MeetAll(core);
      }
      if (!leads) {
        Do(core, {.on = kFix, .regions = {Bytes(kGm, second, two.begin + offset, two.begin + offset + 64)}});
      }
    });
  };
  const LaunchResult result = run(Use::kWrite, Use::kRead, 60, false);
  ASSERT_EQ(result.faults.size(), 1U);
  const std::string text = result.faults[0].Text();
  EXPECT_NE(text.find("AIC 1, Probe on FIX"), std::string::npos) << text;
  EXPECT_NE(text.find("reads GM buffer dw bytes [60, 64) that AIC 0 writes with Probe on FIX"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag"), std::string::npos) << text;
  EXPECT_EQ(run(Use::kRead, Use::kWrite, 0, false).faults.size(), 1U);
  EXPECT_EQ(run(Use::kWrite, Use::kAtomic, 0, false).faults.size(), 1U);
  EXPECT_TRUE(run(Use::kAtomic, Use::kAtomic, 0, false).faults.empty());
  EXPECT_TRUE(run(Use::kRead, Use::kRead, 0, false).faults.empty());
  EXPECT_TRUE(run(Use::kWrite, Use::kRead, 64, false).faults.empty());
  EXPECT_TRUE(run(Use::kWrite, Use::kRead, 0, true).faults.empty());
  EXPECT_TRUE(run(Use::kRead, Use::kWrite, 0, true).faults.empty());
}

TEST(HazardBetweenCores, OnePairOfLinesIsOneFaultForAllPairsOfCores) {
  TwoCores cores;
  cores.options.blocks = 5;
  const LaunchResult result = LaunchOnUnit(cores.options, [&](Core& core) {
    if (core.identity().block == 0) {
      Do(core, {.on = kFix, .regions = {Writes(kGm, cores.begin, cores.begin + 64)}});
    } else {
      Do(core, {.on = kMte2, .regions = {Reads(kGm, cores.begin, cores.begin + 64)}});
    }
  });
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  const std::string text = result.faults[0].Text();
  EXPECT_NE(text.find("AIC 1, Probe on MTE2"), std::string::npos) << text;
  EXPECT_NE(text.find("; so it is with 3 other pairs of cores"), std::string::npos) << text;
}

TEST(HazardBetweenCores, AnUpdateOfWhatNobodyWroteSaysHowToEndAtomics) {
  std::vector<float> data(64);
  GmBuffer buffer = BufferOf("sums", data);
  buffer.initialised = false;
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .threads = 1};
  options.gm.Add(buffer);
  const std::string text = TextOf(LaunchOnUnit(options, [&](Core& core) {
    Do(core, {.on = kMte3, .regions = {Bytes(kGm, Use::kAtomic, buffer.address, buffer.address + 64)}});
  }));
  EXPECT_NE(text.find("never written; fill them first, or call SetAtomicNone if they are to be written only"),
            std::string::npos)
      << text;
}

// Core 0 writes two neighbouring blocks from one line; what happens between them and before core 1 reads is a
// test's.
std::string TwoBlocks(const std::function<void(Core&)>& between, const std::function<void(Core&)>& after,
                      int block_read) {
  const TwoCores two;
  return TextOf(LaunchOnUnit(two.options, [&](Core& core) {
    const bool leads = core.identity().block == 0;
    for (int i = 0; i < 2; ++i) {
      const uint64_t at = two.begin + 64 * static_cast<uint64_t>(i);
      if (leads) {
        Do(core, {.on = kFix, .regions = {Writes(kGm, at, at + 64)}});
      }
      (i == 0 ? between : after)(core);
    }
    if (!leads) {
      const uint64_t at = two.begin + 64 * static_cast<uint64_t>(block_read);
      Do(core, {.on = kMte2, .regions = {Reads(kGm, at, at + 64)}});
    }
  }));
}

TEST(HazardBetweenCores, AMeetingDoesNotCoverWhatFollowsIt) {
  const auto set = [](Core& core) { core.CrossCoreSet(0, kFix, 3, {}); };
  const auto wait = [](Core& core) { core.CrossCoreWait(3, {}); };
  const auto meet = [](Core& core) { MeetAll(core); };
  const auto nothing = [](Core&) {};
  EXPECT_EQ(TwoBlocks(meet, nothing, 0), "");
  EXPECT_NE(TwoBlocks(meet, nothing, 1), "");
  EXPECT_EQ(TwoBlocks(set, wait, 0), "");
  EXPECT_NE(TwoBlocks(set, wait, 1), "");
  EXPECT_EQ(TwoBlocks(nothing, meet, 1), "");
}

TEST(HazardBetweenCores, AFlagOfAnotherPipeDoesNotCoverWhatThatPipeHasNotHeardOf) {
  const TwoCores two;
  for (const Use use : {Use::kWrite, Use::kAtomic}) {
    for (const uint64_t block_read : {uint64_t{0}, uint64_t{1}}) {
      const LaunchResult result = LaunchOnUnit(two.options, [&](Core& core) {
        if (core.identity().block == 0) {
          for (uint64_t i = 0; i < 2; ++i) {
            Do(core, {.on = kFix, .regions = {Bytes(kGm, use, two.begin + 64 * i, two.begin + 64 * i + 64)}});
            if (i == 0) {
              core.SetFlag(kFix, kM, 0, {});
              core.WaitFlag(kFix, kM, 0, {});
            }
          }
        }
        core.CrossCoreSet(0, kM, 3, {});  // promises the first block
        core.CrossCoreWait(3, {});
        if (core.identity().block == 1) {
          const uint64_t at = two.begin + 64 * block_read;
          Do(core, {.on = kMte2, .regions = {Reads(kGm, at, at + 64)}});
        }
      });
      EXPECT_EQ(result.faults.size(), block_read) << TextOf(result);
    }
  }
}

TEST(HazardBetweenCores, ABlockThatWasCompleteInTimeIsNotBlamedForItsNeighbour) {
  const TwoCores two;
  const LaunchResult result = LaunchOnUnit(two.options, [&](Core& core) {
    if (core.identity().block == 0) {
      for (int i = 1; i >= 0; --i) {
        const uint64_t at = two.begin + 64 * static_cast<uint64_t>(i);
        Do(core, {.on = kFix, .regions = {Writes(kGm, at, at + 64)}});
        Do(core, {.on = kFix, .regions = {Writes(kGm, at + 512, at + 520)}});
        if (i == 1) {
          core.SetFlag(kFix, kMte1, 0, {});
          core.WaitFlag(kFix, kMte1, 0, {});
        }
      }
    }
    core.CrossCoreSet(0, kMte1, 3, {});  // promises the first block
    core.CrossCoreWait(3, {});
    if (core.identity().block == 1) {
      Do(core, {.on = kMte2, .regions = {Reads(kGm, two.begin + 64, two.begin + 128)}});
    }
  });
  EXPECT_TRUE(result.faults.empty()) << TextOf(result);
}

TEST(HazardBetweenCores, ThousandsOfAccessesAreKeptApart) {
  std::vector<float> data(40000);
  LaunchOptions options{.type = KernelType::kMixAic1_0, .blocks = 2, .threads = 1};
  options.gm.Add(BufferOf("dw", data));
  const uint64_t begin = options.gm.buffers()[0].address;
  for (const uint64_t at : {uint64_t{16 * 4999}, uint64_t{16 * 4999 + 8}}) {
    const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
      if (core.identity().block == 0) {
        for (uint64_t i = 0; i < 5000; ++i) {  // 8 of each 16 bytes, in an order that is not theirs
          const uint64_t block = begin + 16 * (i * 7 % 5000);
          Do(core, {.on = kFix, .regions = {Writes(Memory::kGm, block, block + 8)}});
        }
      } else {
        Do(core, {.on = kMte2, .regions = {Reads(Memory::kGm, begin + at, begin + at + 8)}});
      }
    });
    EXPECT_EQ(result.faults.size(), at % 16 == 0 ? 1U : 0U) << TextOf(result);
  }
}

TEST(HazardBetweenCores, AFlagCoversOnlyWhatItsPipeHadFinished) {
  const TwoCores two;
  for (const Pipe pipe : {kFix, kMte3}) {
    const LaunchResult result = LaunchOnUnit(two.options, [&](Core& core) {
      if (core.identity().block == 0) {
        Do(core, {.on = kFix, .regions = {Writes(kGm, two.begin, two.begin + 64)}});
      }
      core.CrossCoreSet(0, pipe, 3, {});  // no barrier: promises `pipe` alone
      core.CrossCoreWait(3, {});
      if (core.identity().block == 1) {
        Do(core, {.on = kMte2, .regions = {Reads(kGm, two.begin, two.begin + 64)}});
      }
    });
    EXPECT_EQ(result.faults.size(), pipe == kFix ? 0U : 1U) << Name(pipe) << "\n" << TextOf(result);
  }
}

TEST(HazardBetweenCores, ACoreMayReadWhatItWroteOnceItsOwnFlagCameBack) {
  const TwoCores two;
  const LaunchResult result = LaunchOnUnit(two.options, [&](Core& core) {
    const uint64_t own = two.begin + 512 * static_cast<uint64_t>(core.identity().block);
    Do(core, {.on = kFix, .regions = {Writes(kGm, own, own + 64)}});
    core.CrossCoreSet(0, kFix, 3, {});
    core.CrossCoreWait(3, {});
    Do(core, {.on = kMte2, .regions = {Reads(kGm, own, own + 64)}});
  });
  EXPECT_TRUE(result.faults.empty()) << TextOf(result);
}

TEST(HazardBetweenCores, WhatAnotherCoreWroteCountsAsWrittenOnceTheyMet) {
  std::vector<float> data(256);
  LaunchOptions options{.type = KernelType::kMixAic1_0, .blocks = 2, .threads = 1};
  options.gm.Add(BufferOf("ws", data, false));
  const uint64_t begin = options.gm.buffers()[0].address;
  const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
    const uint64_t own = begin + 512 * static_cast<uint64_t>(core.identity().block);
    const uint64_t other = begin + 512 * static_cast<uint64_t>(1 - core.identity().block);
    Do(core, {.on = kFix, .regions = {Writes(kGm, own, own + 512)}});
    MeetAll(core);
    Do(core, {.on = kMte2, .regions = {Reads(kGm, other, other + 512)}});
  });
  EXPECT_TRUE(result.faults.empty()) << TextOf(result);
}

}  // namespace
}  // namespace tilesim
