// Cores of a launch that wait for each other's flags: when they go on, and who is blamed when they cannot.
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;

constexpr KernelType kMixOfOneCube = KernelType::kMixAic1_0;

TEST(LaunchFlags, ACrossCoreFlagWaitsForWhatItsPipeWaitsFor) {
  const LaunchResult result = LaunchOnUnit({.type = kMixOfOneCube, .threads = 1}, [](Core& core) {
    Do(core, {.on = kM, .cost = {.busy_cycles = 500}});
    core.SetFlag(kM, kFix, 0, {});
    core.WaitFlag(kM, kFix, 0, {});
    core.CrossCoreSet(0, kFix, 1, {});
    core.CrossCoreWait(1, {});
  });
  EXPECT_EQ(result.cycles, 501 + 1 + 1);  // the product, the flag, the cross-core flag
}

TEST(LaunchFlags, ADeadlockIsReportedOnceAndNamesItsCores) {
  for (const int threads : {1, 3}) {
    const LaunchResult result =
        LaunchOnUnit({.type = kMixOfOneCube, .blocks = 4, .threads = threads}, [](Core& core) {
          if (core.identity().block != 2) {
            Meet(core, 5);
          }
        });
    ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
    EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
    const std::string text = result.faults[0].Text();
    EXPECT_NE(text.find("AIC 0, CrossCoreWaitFlag"), std::string::npos) << text;
    EXPECT_NE(text.find("cross-core flag 5 is never raised"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("so do AIC 1, AIC 3")) << text;
  }
}

TEST(LaunchFlags, OnlyMixTypesHaveFlagsBetweenCores) {
  const auto run = [](KernelType type, bool waits, std::optional<int> mode) {
    return TextOf(LaunchOnUnit({.type = type, .threads = 1}, [&](Core& core) {
      const Pipe pipe = core.identity().kind == CoreKind::kAic ? kFix : kMte3;
      if (mode) {
        core.CrossCoreSet(*mode, pipe, 3, {});
      }
      if (waits) {
        core.CrossCoreWait(3, {});
      }
    }));
  };
  const auto expect_says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  for (const bool waits : {false, true}) {
    const std::optional<int> mode = waits ? std::nullopt : std::optional(0);
    expect_says(
        run(KernelType::kAicOnly, waits, mode),
        "[misuse] kernel type: is AIC_ONLY, whose cores have no flags for each other; launch the kernel "
        "as MIX_AIC_1_0 or another MIX type");
    expect_says(run(KernelType::kAivOnly, waits, mode),
                "is AIV_ONLY, whose cores have no flags for each other; "
                "launch the kernel as MIX_AIV_1_0");
  }
  for (const KernelType type :
       {KernelType::kMixAic1_0, KernelType::kMixAiv1_0, KernelType::kMixAic1_1, KernelType::kMixAic1_2}) {
    EXPECT_EQ(run(type, true, 0), "") << Name(type);
  }
  EXPECT_EQ(run(KernelType::kMixAic1_1, true, 2), "");
  EXPECT_EQ(run(KernelType::kMixAic1_2, true, 2), "");
  expect_says(run(KernelType::kMixAic1_0, false, 2),
              "[misuse] mode: is 2, which goes between the AIC and the AIVs of a block; the kernel type "
              "MIX_AIC_1_0 starts no AIVs: launch it as MIX_AIC_1_1 or MIX_AIC_1_2");
  expect_says(run(KernelType::kMixAiv1_0, false, 2), "MIX_AIV_1_0 starts no AICs");
  expect_says(run(KernelType::kMixAic1_2, false, 1),
              "[misuse] mode: is 1, which is for the two AIVs of a block; this is an AIC: use mode 0 or 2");
  expect_says(run(KernelType::kMixAiv1_0, false, 1),
              "the kernel type is MIX_AIV_1_0: launch it as MIX_AIC_1_2, or use mode 0");
}

TEST(LaunchFlags, Mode1JoinsTheTwoAivsOfABlock) {
  for (const bool both : {true, false}) {
    const LaunchResult result =
        LaunchOnUnit({.type = KernelType::kMixAic1_2, .blocks = 2, .threads = 1}, [&](Core& core) {
          if (core.identity().kind == CoreKind::kAiv && (both || core.identity().sub_block == 0)) {
            core.CrossCoreSet(1, kMte3, 3, {});
            core.CrossCoreWait(3, {});
          }
        });
    EXPECT_EQ(result.faults.size(), both ? 0U : 1U) << TextOf(result);
  }
}

TEST(LaunchFlags, EachSetCountsOnce) {
  for (const int64_t misses : {0, 1}) {
    const LaunchResult result =
        LaunchOnUnit({.type = kMixOfOneCube, .blocks = 2, .threads = 1}, [&](Core& core) {
          Meet(core, 1);
          Meet(core, 2);
          if (core.identity().block != misses) {
            Meet(core, 1);
          }
        });
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
  }
}

TEST(LaunchFlags, AFaultOfOneCoreExplainsWhyOthersWait) {
  const LaunchResult result =
      LaunchOnUnit({.type = kMixOfOneCube, .blocks = 4, .threads = 2}, [](Core& core) {
        if (core.identity().block == 2) {
          Do(core, {.on = kMte1, .regions = {Writes(Memory::kL0A, 0, 70000)}});
        }
        Meet(core, 5);
      });
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kBounds);
  EXPECT_EQ(result.faults[0].core, "AIC 2");
}

TEST(LaunchFlags, ACounterThatOverflowsNamesTheSet) {
  LaunchOptions options{.type = KernelType::kMixAic1_1, .threads = 1};
  const LaunchResult result = LaunchOnUnit(options, [](Core& core) {
    for (int i = 0; i < 16; ++i) {
      if (core.identity().kind == CoreKind::kAic) {
        core.CrossCoreSet(2, kFix, 6, {.file = "kernel.cpp", .line = 30});
      }
    }
    for (int i = 0; i < 15 && core.identity().kind == CoreKind::kAiv; ++i) {
      core.CrossCoreWait(6, {});
    }
  });
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  const std::string text = result.faults[0].Text();
  EXPECT_NE(text.find("AIC 0, CrossCoreSetFlag"), std::string::npos) << text;
  EXPECT_NE(
      text.find("kernel.cpp:30: [flag] flagId: the counter of cross-core flag 6 of AIV 0.0 would pass 15"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace tilesim
