// Cores that meet by words in GM: who waits for whom, what is ordered then, when they go on, and what is told
// where they cannot. And the flags that need no TPipe.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

constexpr int kCores = 4;

// What a kernel of these tests has: words to meet by, data that cores hand each other, room in UB.
struct Stage {
  Core& core = CurrentCore();
  TPipe pipe;
  TBuf<TPosition::VECCALC> room;
  GlobalTensor<int32_t> words;
  LocalTensor<int32_t> ub;
  uint64_t data = 0;
  int64_t self = AscendC::GetBlockIdx();

  void Write(int64_t slot) {
    const uint64_t at = data + 64 * static_cast<uint64_t>(slot);
    Do(core, {.on = Pipe::kMte3, .regions = {Writes(Memory::kGm, at, at + 64)}});
  }
  void Read(int64_t slot) {
    const uint64_t at = data + 64 * static_cast<uint64_t>(slot);
    Do(core, {.on = Pipe::kMte2, .regions = {Reads(Memory::kGm, at, at + 64)}});
  }
};

struct StagedRun {
  std::vector<int32_t> words = std::vector<int32_t>(1024);
  LaunchResult result;
};

StagedRun Staged(const std::function<void(Stage&)>& kernel, LaunchOptions options = {}) {
  StagedRun run;
  std::vector<float> data(1024);
  alignas(512) static thread_local int32_t aligned[1024];
  std::fill(std::begin(aligned), std::end(aligned), 0);
  options.type = KernelType::kAivOnly;
  options.blocks = options.blocks == 1 ? kCores : options.blocks;
  options.gm.Add({.name = "words",
                  .address = reinterpret_cast<uint64_t>(&aligned[0]),
                  .size_bytes = sizeof(aligned),
                  .initialised = true});
  options.gm.Add(BufferOf("data", data, false));
  int32_t* const words = &aligned[0];
  run.result = LaunchOnUnit(options, [&](Core&) {
    Stage stage;
    stage.pipe.InitBuffer(stage.room, 4096);
    stage.ub = stage.room.Get<int32_t>();
    stage.words.SetGlobalBuffer(words);
    stage.data = reinterpret_cast<uint64_t>(data.data());
    kernel(stage);
  });
  run.words.assign(std::begin(aligned), std::end(aligned));
  return run;
}
std::string FaultsOfStaged(const std::function<void(Stage&)>& kernel, const LaunchOptions& options = {}) {
  return TextOf(Staged(kernel, options).result);
}

TEST(SoftSync, OfAKernelsOwnIsToldAsAHazardThatSaysSo) {
  ExpectSays(FaultsOfStaged([](Stage& stage) {
               if (AscendC::GetBlockIdx() == 0) {
                 stage.words.SetValue(0, 1);
                 AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE,
                                                   AscendC::DcciDst::CACHELINE_OUT>(stage.words);
               } else if (AscendC::GetBlockIdx() == 1) {
                 (void)stage.words.GetValue(0);
               }
             }),
             "needs SyncAll or CrossCoreSetFlag/CrossCoreWaitFlag; a loop of the kernel's own that reads a "
             "word until another core has written it is not seen as an order, IBSet and IBWait are");
}

// In every mode, whatever the host's threads.
std::vector<LaunchOptions> Modes() {
  return {{.threads = 1},
          {.threads = 3},
          {.mode = {.values = false, .time = true, .hazards = true}, .threads = 1},
          {.mode = {.values = true, .time = false, .hazards = true}, .threads = 2}};
}

TEST(SoftSyncAll, OrdersAllCoresRoundAfterRound) {
  for (const LaunchOptions& options : Modes()) {
    const StagedRun run = Staged(
        [](Stage& stage) {
          for (int64_t round = 0; round < 3; ++round) {
            stage.Write(4 * round + stage.self);
            AscendC::SyncAll(stage.words, stage.ub);
            for (int64_t core = 0; core < kCores; ++core) {
              stage.Read(4 * round + core);
            }
          }
        },
        options);
    EXPECT_EQ(TextOf(run.result), "");
    for (size_t core = 0; options.mode.values && core < kCores; ++core) {
      EXPECT_EQ(run.words[core * 8], 3);
    }
  }
  EXPECT_NE(FaultsOfStaged([](Stage& stage) {
              stage.Write(stage.self);
              stage.Read((stage.self + 1) % kCores);
            }),
            "");
}

TEST(SoftSyncAll, TakesAWorkspaceThatEveryCoreZeroes) {
  for (const LaunchOptions& options : Modes()) {
    EXPECT_EQ(
        FaultsOfStaged(
            [](Stage& stage) {
              if (stage.self == 3) {  // comes late, behind a meeting that the others have by other words
                AscendC::IBWait(stage.words[512], stage.ub, 0, 0);
              } else if (stage.self == 0) {
                AscendC::IBSet(stage.words[512], stage.ub, 0, 0);
              }
              if (stage.core.mode().values) {
                auto* words = const_cast<int32_t*>(stage.words.GetPhyAddr());
                for (int i = 0; i < kCores * 8; ++i) {
                  words[i] = 0;
                }
              }
              AscendC::SyncAll(stage.words, stage.ub);
              AscendC::SyncAll(stage.words, stage.ub);
            },
            options),
        "");
  }
}

TEST(SoftSyncAll, OfSomeCoresLeavesTheOthersAlone) {
  EXPECT_EQ(FaultsOfStaged([](Stage& stage) {
              if (stage.self < 2) {
                stage.Write(stage.self);
                AscendC::SyncAll(stage.words, stage.ub, 2);
                stage.Read(1 - stage.self);
              }
            }),
            "");
}

TEST(SoftSyncAll, GoesOnWhenTheLastStoreIsThere) {
  const auto end = [](int64_t slow_cycles) {
    return Staged([&](Stage& stage) {
             if (stage.self == 2) {
               Do(stage.core, {.on = Pipe::kV, .cost = {.busy_cycles = slow_cycles}});
             }
             AscendC::SyncAll(stage.words, stage.ub);
           })
        .result.cycles;
  };
  EXPECT_EQ(end(5000) - end(3000), 2000);
  EXPECT_LT(end(3000), 4000);
}

TEST(SoftSyncAll, ThatCannotEndSaysWhy) {
  ExpectSays(
      FaultsOfStaged([](Stage& stage) {
        if (stage.self != 1) {
          AscendC::SyncAll(stage.words, stage.ub);
        }
      }),
      "[deadlock] gmWorkspace: AIV 1 has returned from the kernel without another call of it, so this core "
      "waits "
      "for ever: the word at byte 32 of GM buffer words is "
      "0, and all 4 together never come to 4; every core that takes part must call it as often, on GM that "
      "was zeroed before; so do AIV 2, AIV 3");
  ExpectSays(FaultsOfStaged([](Stage& stage) { AscendC::SyncAll(stage.words, stage.ub); }, {.blocks = 17}),
             "the launch starts 17 cores of this kind, unit has 16");
}

TEST(SoftSyncAll, NeedsATPipe) {
  ExpectSays(FaultsOf(
                 [] {
                   const LocalTensor<int32_t> ub(TPosition::VECCALC, 0, 1024, {});
                   AscendC::SyncAll(GlobalTensor<int32_t>(), ub);
                 },
                 KernelType::kAivOnly),
             "[misuse] takes its events from the core's TPipe, and there is none");
}

TEST(SoftSyncAll, LeftOutIsAHazard) {
  int line = 0;
  const auto kernel = [&line](Stage& stage) {
    stage.Write(stage.self);
    line = __LINE__ + 1;
    AscendC::SyncAll(stage.words, stage.ub);
    stage.Read((stage.self + 1) % kCores);
  };
  EXPECT_EQ(FaultsOfStaged(kernel), "");
  const SourceLine where{__FILE__, line};
  EXPECT_NE(FaultsOfStaged(kernel, {.threads = 1, .drop_sync = where}), "");
}

TEST(IBSet, HandsOverToOneWaitAndWaitsUntilItIsTaken) {
  for (const LaunchOptions& options : Modes()) {
    const StagedRun run = Staged(
        [](Stage& stage) {
          for (int64_t round = 0; round < 3; ++round) {
            if (stage.self == 1) {
              stage.Write(0);
              AscendC::IBSet(stage.words, stage.ub, 1, 2);
            } else if (stage.self == 3) {
              AscendC::IBWait(stage.words, stage.ub, 1, 2);
              stage.Read(0);
              AscendC::IBSet(stage.words, stage.ub, 3, 0);
            }
            if (stage.self == 1) {
              AscendC::IBWait(stage.words, stage.ub, 3, 0);
            }
          }
        },
        options);
    EXPECT_EQ(TextOf(run.result), "");
    EXPECT_EQ(run.words, std::vector<int32_t>(1024));
  }
  ExpectSays(FaultsOfStaged([](Stage& stage) {
               if (stage.self == 0) {
                 AscendC::IBWait(stage.words, stage.ub, 1, 2);
               }
             }),
             "[deadlock] gmWorkspace: waits for ever: the word at byte 288 of GM buffer words is 0 and "
             "never becomes 1");
}

TEST(WaitPreBlock, LetsCoresPassInTheirOrder) {
  for (const LaunchOptions& options : Modes()) {
    std::vector<int64_t> order;  // only one core at a time adds to it
    const StagedRun run = Staged(
        [&](Stage& stage) {
          AscendC::InitDetermineComputeWorkspace(stage.words, stage.ub);
          for (int round = 0; round < 2; ++round) {
            AscendC::WaitPreBlock(stage.words, stage.ub);
            stage.Write(0);
            order.push_back(stage.self);
            AscendC::NotifyNextBlock(stage.words, stage.ub);
          }
        },
        options);
    EXPECT_EQ(TextOf(run.result), "");
    EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  }
  ExpectSays(FaultsOfStaged([](Stage& stage) { AscendC::WaitPreBlock(stage.words, stage.ub); }),
             "comes before InitDetermineComputeWorkspace");
}

TEST(GroupBarrier, LetsWaitersPassWhenAllHaveArrived) {
  for (const LaunchOptions& options : Modes()) {
    const StagedRun run = Staged(
        [](Stage& stage) {
          auto* const words = reinterpret_cast<GM_ADDR>(const_cast<int32_t*>(stage.words.GetPhyAddr()));
          AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE> barrier(words, 3, 2);
          EXPECT_EQ(barrier.GetWorkspaceLen(), 3U * 512);
          for (int64_t round = 0; round < 3; ++round) {
            if (stage.self < 3) {
              stage.Write(4 * round + stage.self);
              barrier.Arrive(static_cast<uint32_t>(stage.self));
            }
            if (stage.self >= 2) {
              barrier.Wait(static_cast<uint32_t>(stage.self - 2));
              stage.Read(4 * round);
              stage.Read(4 * round + 1);
            }
          }
        },
        options);
    EXPECT_EQ(TextOf(run.result), "");
    if (options.mode.values) {
      EXPECT_EQ(run.words[0], 9);
      EXPECT_EQ(run.words[16], 6);
    }
  }
  ExpectSays(FaultsOfStaged([](Stage& stage) {
               auto* const words = reinterpret_cast<GM_ADDR>(const_cast<int32_t*>(stage.words.GetPhyAddr()));
               AscendC::GroupBarrier<AscendC::PipeMode::MTE3_MODE> barrier(words, 5, 2);
             }),
             "arriveSize");
}

TEST(KfcWorkspace, MovesOn) {
  uint8_t bytes[8] = {};
  AscendC::KfcWorkspace workspace(&bytes[0]);
  workspace.UpdateKfcWorkspace(5);
  EXPECT_EQ(workspace.GetKfcWorkspace(), &bytes[5]);
}

TEST(SyncAll, SaysWhoReturnedWithoutIt) {
  const LaunchResult result = RunKernel(
      [] {
        if (AscendC::GetBlockIdx() != 2) {
          AscendC::SyncAll();
        }
      },
      KernelType::kMixAiv1_0, 4);
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  ExpectSays(TextOf(result), "AIV 0, SyncAll on S");
  ExpectSays(TextOf(result),
             "cross-core flag 14 is never raised: AIV 2 has returned from the kernel without setting it");
}

TEST(Flags, HaveTheirCompilersNames) {
  EXPECT_EQ(FaultsOf(
                [] {
                  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
                  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
                  pipe_barrier(PIPE_V);
                  pipe_barrier(PIPE_ALL);
                  AscendC::TQueSync<PIPE_V, PIPE_MTE3> sync;
                  sync.SetFlag(1);
                  sync.WaitFlag(1);
                  AscendC::DataSyncBarrier<AscendC::MemDsbT::ALL>();
                  AscendC::DataSyncBarrier<AscendC::MemDsbT::UB>();
                  AscendC::Mutex::Lock<PIPE_V>(AscendC::AllocMutexID());
                  AscendC::Mutex::Unlock<PIPE_V>(0);
                  AscendC::ReleaseMutexID(0);
                  AscendC::SetNextTaskStart();
                  AscendC::WaitPreTaskEnd();
                },
                KernelType::kAivOnly),
            "");
  ExpectSays(FaultsOf([] { set_flag(PIPE_MTE2, PIPE_V, 0); }), "MTE2_V does not exist on an AIC core");
  ExpectSays(FaultsOf([] { wait_flag(PIPE_M, PIPE_S, 7); }), "no SetFlag<M_S>(7) before it");
}

template <AscendC::HardEvent... events>
void SetAndWaitForEach() {
  (AscendC::SetFlag<events>(2), ...);
  (AscendC::WaitFlag<events>(2), ...);
}

TEST(Flags, OfACubeCoreAreAllThatItsPipesHave) {
  using enum AscendC::HardEvent;
  EXPECT_EQ(FaultsOf([] {
              SetAndWaitForEach<MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE3_MTE1, MTE1_MTE3, MTE2_M, M_MTE2,
                                M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
                                FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX>();
            }),
            "");
}

}  // namespace
}  // namespace tilesim
