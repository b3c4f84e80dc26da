// Launch and CoreScheduler: cores in rounds, errors, and nothing that depends on host threads.
#include "sim/core/launch.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/gm_window.h"
#include "sim/core/scheduler.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

using enum Pipe;

constexpr KernelType kMix = KernelType::kMixAic1_0;

TEST(CoreScheduler, RunsEachCoreInRoundsAndSettlesInAscendingOrder) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> settled;
    std::vector<int> steps(5);
    int round = 0;
    CoreScheduler* scheduler = nullptr;
    CoreScheduler::Hooks hooks{.body =
                                   [&](int core) {
                                     for (int i = 0; i < core; ++i) {
                                       ++steps[static_cast<size_t>(core)];
                                       scheduler->Rest(core);
                                     }
                                   },
                               .settle = [&](int core) { settled.push_back(round * 10 + core); },
                               .end_round = [&] { ++round; },
                               .can_resume = [](int) { return true; },
                               .give_up = [](int) { FAIL(); }};
    CoreScheduler made(5, threads, hooks);
    scheduler = &made;
    made.Run();
    EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_EQ(settled, (std::vector<int>{0, 1, 2, 3, 4, 11, 12, 13, 14, 22, 23, 24, 33, 34, 44})) << threads;
  }
}

TEST(CoreScheduler, GoesOnWithTheNextCoreOnTheThreadOfOneThatHasEnded) {
  std::set<std::thread::id> threads;
  CoreScheduler scheduler(20, 1,
                          {.body = [&](int) { threads.insert(std::this_thread::get_id()); },
                           .settle = [](int) {},
                           .end_round = [] {},
                           .can_resume = [](int) { return true; },
                           .give_up = [](int) { FAIL(); }});
  scheduler.Run();
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(Launch, StartsTheCoresOfTheKernelType) {
  const auto cores = [](KernelType type) {
    std::string text;
    for (const CoreResult& core :
         LaunchOnUnit({.type = type, .blocks = 2, .threads = 1}, [](Core&) {}).cores) {
      text += core.identity.Name() + ";";
    }
    return text;
  };
  EXPECT_EQ(cores(KernelType::kAicOnly), "AIC 0;AIC 1;");
  EXPECT_EQ(cores(KernelType::kAivOnly), "AIV 0;AIV 1;");
  EXPECT_EQ(cores(KernelType::kMixAic1_0), "AIC 0;AIC 1;");
  EXPECT_EQ(cores(KernelType::kMixAiv1_0), "AIV 0;AIV 1;");
  EXPECT_EQ(cores(KernelType::kMixAic1_1), "AIC 0;AIC 1;AIV 0.0;AIV 1.0;");
  EXPECT_EQ(cores(KernelType::kMixAic1_2), "AIC 0;AIC 1;AIV 0.0;AIV 0.1;AIV 1.0;AIV 1.1;");
}

TEST(Launch, StartsTheFirstBlocksOnlyWhereAskedTo) {
  const LaunchResult result =
      LaunchOnUnit({.type = KernelType::kMixAic1_2, .blocks = 100, .only_first = 1, .threads = 1},
                   [](Core& core) { EXPECT_EQ(core.identity().num_blocks, 100); });
  EXPECT_EQ(result.cores.size(), 3U);
}

TEST(Launch, KnowsWhatWasWrittenBeforeItAndTellsWhatIsAfterIt) {
  std::vector<uint8_t> bytes(128);
  const auto begin = reinterpret_cast<uint64_t>(bytes.data());
  IntervalSet written;
  written.Add(begin, begin + 32);
  LaunchOptions options{.type = KernelType::kAicOnly, .threads = 1, .written_gm = &written};
  options.gm.Add(BufferOf("w", bytes, false));
  const auto run = [&](uint64_t from) {
    return TextOf(LaunchOnUnit(options, [&](Core& core) {
      Do(core, {.on = kMte2, .regions = {Reads(Memory::kGm, begin + from, begin + from + 32)}});
      Do(core, {.on = kFix, .regions = {Writes(Memory::kGm, begin + 64, begin + 96)}});
    }));
  };
  EXPECT_EQ(run(0).find("uninitialised"), std::string::npos);
  EXPECT_TRUE(written.Holds(begin + 64, begin + 96));
  EXPECT_FALSE(written.Meets(begin + 32, begin + 64));
  EXPECT_FALSE(written.Meets(begin + 96, begin + 128));
}

TEST(Launch, StopsACoreThatIssuesOnAndOnWithoutProgress) {
  std::vector<uint8_t> bytes(64);
  const auto begin = reinterpret_cast<uint64_t>(bytes.data());
  for (const bool stores : {false, true}) {
    LaunchOptions options{.type = KernelType::kAicOnly, .watchdog = 10, .threads = 1};
    options.gm.Add(BufferOf("x", bytes));
    const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
      for (int i = 0; i < 20; ++i) {
        Do(core, {.on = kMte1});
        if (stores && i == 9) {
          Do(core, {.on = kFix, .regions = {Writes(Memory::kGm, begin, begin + 32)}});
        }
      }
    });
    EXPECT_EQ(result.completed, stores);
    EXPECT_EQ(TextOf(result).find("no store to GM and no flag between cores in the last 10 instructions") ==
                  std::string::npos,
              stores);
  }
}

TEST(Launch, StopsACoreThatPrintsOnAndOnWithoutProgress) {
  for (const int64_t prints : {10, 11}) {
    const LaunchResult result =
        LaunchOnUnit({.type = KernelType::kAicOnly, .watchdog = 10, .threads = 1}, [&](Core& core) {
          core.At("printf", kS, {});
          for (int64_t i = 0; i < prints; ++i) {
            core.Print("waits\n", "");
            EXPECT_EQ(core.CallsSoFar(), i + 1);
          }
        });
    EXPECT_EQ(result.completed, prints == 10);
    EXPECT_EQ(
        TextOf(result).find("printf on S at cycle 0: [deadlock] no store to GM and no flag between cores in "
                            "the last 10 instructions and prints: ") != std::string::npos,
        prints == 11)
        << TextOf(result);
  }
}

TEST(Launch, RefusesMoreBlocksThanThePartHas) {
  const SocConfig soc = UnitSoc(3);
  const auto message = [&](KernelType type, int64_t blocks) {
    try {
      Launch(soc, {.type = type, .blocks = blocks, .threads = 1}, [] {});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(kMix, 3), "");
  EXPECT_NE(message(kMix, 4).find("launch: 4 blocks, unit has 3 AICs"), std::string::npos);
  EXPECT_NE(message(kMix, 4).find("use 1..3"), std::string::npos);
  EXPECT_EQ(message(kMix, 0), "launch: 0 blocks; give 1 or more");
  EXPECT_EQ(message(KernelType::kMixAiv1_0, 6), "");
  EXPECT_NE(message(KernelType::kMixAiv1_0, 7).find("has 6 AIVs"), std::string::npos);
  EXPECT_EQ(message(KernelType::kAicOnly, 4), "");  // no flags between cores: in waves
  EXPECT_EQ(message(KernelType::kAivOnly, 7), "");
  EXPECT_NE(message(KernelType::kAivOnly, 65536).find("launch: 65536 blocks, allowed 1..65535"),
            std::string::npos);
  SocConfig one_aiv = soc;
  one_aiv.aiv_per_aic = 1;
  EXPECT_THROW(Launch(one_aiv, {.type = KernelType::kMixAic1_2, .threads = 1}, [] {}), UserError);
}

TEST(Launch, TimeIsTheBusiestCoresAndTheLaunch) {
  const LaunchResult result = LaunchOnUnit({.type = kMix, .blocks = 3, .threads = 1}, [](Core& core) {
    for (int64_t i = 0; i <= core.identity().block; ++i) {
      Do(core, {.on = kMte1, .cost = {.busy_cycles = 100}});
    }
  });
  EXPECT_EQ(result.cycles, 301);
  EXPECT_DOUBLE_EQ(result.time_us, 301.0 + 1 + 3);  // the part unit: 1 MHz, 1 us and 1 us a core
}

TEST(Launch, CoresMeetInTime) {
  const LaunchResult result = LaunchOnUnit({.type = kMix, .blocks = 2, .threads = 2}, [](Core& core) {
    if (core.identity().block == 1) {
      Do(core, {.on = kFix, .cost = {.busy_cycles = 1000}});
    }
    Meet(core, 11);
  });
  EXPECT_GE(result.cycles, 1001);
  EXPECT_EQ(result.cores[0].statistics.end_cycle, result.cores[1].statistics.end_cycle);
}

TEST(Launch, OtherExceptionsAreThrownOn) {
  for (const int threads : {1, 3}) {
    try {
      LaunchOnUnit({.type = kMix, .blocks = 4, .threads = threads}, [](Core& core) {
        if (core.identity().block >= 2) {
          throw std::runtime_error("of block " + std::to_string(core.identity().block));
        }
        Meet(core, 1);
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "of block 2");
    }
  }
}

TEST(Launch, ThereIsNoCoreOutsideALaunch) { EXPECT_THROW(CurrentCore(), UserError); }

// Sums whose rounding depends on their order, from many cores into one place; a round of plain writes; reads
// back.
TEST(Launch, ResultsDoNotDependOnTheNumberOfThreads) {
  struct Run {
    std::vector<float> sums;
    std::vector<float> read_back;
    std::vector<int64_t> ends;
    int64_t cycles = 0;
  };
  const auto run = [](int threads) {
    Run out{.sums = std::vector<float>(1000), .read_back = std::vector<float>(8), .ends = {}, .cycles = 0};
    LaunchOptions options{.type = kMix, .blocks = 8, .threads = threads};
    options.gm.Add(BufferOf("sums", out.sums));
    options.gm.Add(BufferOf("back", out.read_back));
    const uint64_t sums = options.gm.buffers()[0].address;
    const LaunchResult result = LaunchOnUnit(options, [&](Core& core) {
      const auto block = static_cast<size_t>(core.identity().block);
      for (int round = 0; round < 3; ++round) {
        std::vector<float> part(1000);
        for (size_t i = 0; i < part.size(); ++i) {
          part[i] = 1.0F / static_cast<float>(3 + 7 * i + 13 * block + static_cast<size_t>(round));
        }
        for (int again = 0; again < 20; ++again) {
          Do(core, {.on = kFix,
                    .regions = {Updates(sums, sums + 4000)},
                    .cost = {.busy_cycles = static_cast<int64_t>(100 + block)},
                    .run = [&](Core& on) {
                      on.gm().Atomic(AtomicOp::kAdd, DType::kFp32, sums, part.data(), part.size());
                      float seen = 0;
                      on.gm().Read(sums + 4 * block, &seen, 4);  // must not land anything early
                    }});
        }
        Meet(core, round);
        if (round == 1) {
          core.gm().Read(sums, &out.read_back[block], 4);
        }
        Meet(core, 8);
      }
    });
    EXPECT_EQ(TextOf(result), "");
    for (const CoreResult& core : result.cores) {
      out.ends.push_back(core.statistics.end_cycle);
    }
    out.cycles = result.cycles;
    return out;
  };
  const Run one = run(1);
  for (const int threads : {2, 5}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Run other = run(threads);
      EXPECT_EQ(other.sums, one.sums);
      EXPECT_EQ(other.read_back, one.read_back);
      EXPECT_EQ(other.ends, one.ends);
      EXPECT_EQ(other.cycles, one.cycles);
    }
  }
}

TEST(Launch, WhatCoresDoAlikeIsOneFault) {
  const LaunchResult result =
      LaunchOnUnit({.type = KernelType::kAivOnly, .blocks = 8, .threads = 2}, [](Core& core) {
        Do(core, {.on = kMte2, .regions = {Writes(Memory::kUb, 0, 32)}});
        Do(core, {.on = kMte3, .regions = {Writes(Memory::kUb, 0, 32)}});
        if (core.identity().block == 5) {
          core.SetFlag(kMte2, kV, 1, SourceLine::Here());
        }
      });
  ASSERT_EQ(result.faults.size(), 2U) << TextOf(result);
  EXPECT_EQ(result.faults[0].cores, 8);
  EXPECT_EQ(result.faults[0].core, "AIV 0");
  EXPECT_EQ(result.faults[0].Text().find("on 8 cores, first AIV 0, Probe on MTE3"), 0U);
  EXPECT_EQ(result.faults[1].Text().find("AIV 5, end of kernel on S"), 0U) << TextOf(result);
}

TEST(Launch, FaultsThatDifferInTheirBytesAreOneToo) {
  const LaunchResult result =
      LaunchOnUnit({.type = KernelType::kAivOnly, .blocks = 6, .threads = 2}, [](Core& core) {
        const uint64_t begin = 64 * static_cast<uint64_t>(core.identity().block);
        Do(core, {.on = kMte2, .regions = {Writes(Memory::kUb, begin, begin + 32)}});
        Do(core, {.on = kMte3, .regions = {Writes(Memory::kUb, begin, begin + 32)}});
      });
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  EXPECT_EQ(result.faults[0].cores, 6);
  EXPECT_NE(result.faults[0].Text().find("UB bytes [0, 32)"), std::string::npos) << TextOf(result);
}

TEST(Launch, FaultsComeInTheOrderOfCoresWhateverTheThreads) {
  const auto run = [](int threads) {
    return TextOf(LaunchOnUnit({.type = kMix, .blocks = 6, .threads = threads}, [](Core& core) {
      Do(core, {.on = kMte2, .regions = {Writes(Memory::kL1, 0, 32)}});
      Do(core, {.on = kMte1, .regions = {Reads(Memory::kL1, 0, 64)}});
      core.SetFlag(kM, kFix, 1, {});
    }));
  };
  const std::string one = run(1);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1 + 6) << one;  // flags without a line each
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(5), one);
}

}  // namespace
}  // namespace tilesim
