// What kernels of a vector core are told of accesses that nothing orders.
#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

// V behind V and S behind V without a flag: the compiler's business, unless it is told to keep out of it.
TEST(VectorHazard, OrdersVAndSAsTheCompilerDoesUnlessStrict) {
  const auto kernel = [](bool barrier) {
    return [barrier] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      const LocalTensor<float> a = Part<float>(buffer, 0);
      Duplicate(a, 1.0F, 64);
      if (barrier) {
        SetFlag<HardEvent::V_S>(0);
        WaitFlag<HardEvent::V_S>(0);
      }
      a.GetValue(0);
    };
  };
  EXPECT_EQ(FaultsOn(kernel(false)), "");
  const std::string strict =
      FaultsOn(kernel(false), {.values = true, .time = true, .hazards = true, .strict_sync = true});
  ExpectSays(strict, "GetValue");
  ExpectSays(strict, "Duplicate");
  EXPECT_EQ(FaultsOn(kernel(true), {.values = true, .time = true, .hazards = true, .strict_sync = true}), "");
}

TEST(VectorHazard, FindsVBehindVWithoutABarrierWhereStrict) {
  const auto faults = [](bool strict, bool barrier) {
    return FaultsOn(
        [barrier] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          const LocalTensor<float> a = Part<float>(buffer, 0);
          Duplicate(a, 1.0F, 64);
          if (barrier) {
            PipeBarrier<PIPE_V>();
          }
          Adds(Part<float>(buffer, 1), a, 1.0F, 64);
        },
        {.values = true, .time = true, .hazards = true, .strict_sync = strict});
  };
  EXPECT_EQ(faults(false, false), "");
  EXPECT_EQ(faults(true, true), "");
  ExpectSays(faults(true, false), "Adds");
  ExpectSays(faults(true, false), "Duplicate");
}

// What V leaves in a register is there for the scalar unit when a flag says so, or the compiler sees to it.
TEST(VectorHazard, FindsReadsOfResultRegistersThatNothingOrdersWhereStrict) {
  struct Pair {
    const char* leaves;
    const char* reads;
    std::function<void(const LocalTensor<float>&)> run_leaving, run_reading;
  };
  const auto merge = [](const LocalTensor<float>& a) {
    Sort32(a[1024], a, a[256].ReinterpretCast<uint32_t>(), 2);
    PipeBarrier<PIPE_V>();
    const uint16_t lengths[4] = {32, 32, 0, 0};
    MrgSort(a[2048], MrgSortSrcList(a[1024], a[1088], a[1024], a[1024]), MrgSort4Info(lengths, false, 3, 1));
  };
  const Pair pairs[] = {{"WholeReduceMax", "GetReduceRepeatMaxMinSpr",
                         [](const LocalTensor<float>& a) { WholeReduceMax(a[512], a, 64, 1, 1, 1, 8); },
                         [](const LocalTensor<float>&) {
                           float best = 0;
                           float index = 0;
                           GetReduceRepeatMaxMinSpr<float>(best, index);
                         }},
                        {"MrgSort", "GetMrgSortResult", merge, [](const LocalTensor<float>&) {
                           uint16_t counts[4];
                           GetMrgSortResult(counts[0], counts[1], counts[2], counts[3]);
                         }}};
  for (const Pair& pair : pairs) {
    const auto faults = [&](bool strict, bool flag) {
      return FaultsOn(
          [&] {
            TPipe pipe;
            TBuf<TPosition::VECCALC> buffer;
            pipe.InitBuffer(buffer, 16384);
            const LocalTensor<float> a = buffer.Get<float>();
            Duplicate(a, 1.0F, 4096);
            PipeBarrier<PIPE_V>();
            pair.run_leaving(a);
            if (flag) {
              SetFlag<HardEvent::V_S>(0);
              WaitFlag<HardEvent::V_S>(0);
            }
            pair.run_reading(a);
          },
          {.values = true, .time = true, .hazards = true, .strict_sync = strict});
    };
    EXPECT_EQ(faults(false, false), "");
    EXPECT_EQ(faults(true, true), "");
    const std::string found = faults(true, false);
    ExpectSays(found, pair.leaves);
    ExpectSays(found, pair.reads);
    ExpectSays(found, "reads the register of ");
    ExpectSays(found, "and nothing orders the two: needs SetFlag/WaitFlag<V_S> between them");
  }
}

// GatherMask says how many it has kept: it waits for V itself.
TEST(VectorHazard, LetsGatherMaskReadItsOwnCountWhereStrict) {
  EXPECT_EQ(FaultsOn(
                [] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 4096);
                  const LocalTensor<float> a = buffer.Get<float>();
                  Duplicate(a, 1.0F, 1024);
                  PipeBarrier<PIPE_V>();
                  uint64_t kept = 0;
                  GatherMask(a[512], a, 1, false, 0, {1, 1, 8, 0}, kept);
                  EXPECT_EQ(GetGatherMaskRemainCount(), 32);
                },
                {.values = true, .time = true, .hazards = true, .strict_sync = true}),
            "");
}

TEST(VectorHazard, FindsMovesThatNothingOrdersBehindV) {
  Gm<float> gm(64);
  const auto faults = [&](bool flag) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          const LocalTensor<float> a = Part<float>(buffer, 0);
          Duplicate(a, 1.0F, 64);
          if (flag) {
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
          }
          DataCopy(gm.tensor(), a, 64);
        },
        {}, gm));
  };
  EXPECT_EQ(faults(true), "");
  ExpectSays(faults(false), "V_MTE3");
}

TEST(VectorHazard, TellsOfMovesAroundTheScalarCache) {
  Gm<float> gm(64);
  const auto faults = [&](bool clean) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          GlobalTensor<float> tensor = gm.tensor();
          tensor.SetValue(5, tensor.GetValue(4) + 2.0F);
          if (clean) {
            DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(tensor);
          }
          DataCopy(Part<float>(buffer, 0), tensor, 64);
        },
        {}, gm));
  };
  EXPECT_EQ(faults(true), "");
  EXPECT_EQ(gm.data()[5], 2.0F);
  ExpectSays(faults(false), "call DataCacheCleanAndInvalid before the move");
}

TEST(VectorHazard, TellsOfReadsThroughTheScalarCacheOfWhatAMoveHasWritten) {
  Gm<float> gm(64);
  const auto faults = [&](bool clean, uint64_t written) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          GlobalTensor<float> tensor = gm.tensor();
          Duplicate(Part<float>(buffer, 0), tensor.GetValue(0) + 1.0F, 8);
          PipeBarrier<PIPE_ALL>();
          DataCopy(tensor[written], Part<float>(buffer, 0), 8);
          PipeBarrier<PIPE_ALL>();
          if (clean) {
            DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(tensor);
          }
          tensor(0) = tensor(0) + 1.0F;
        },
        {}, gm));
  };
  EXPECT_EQ(faults(true, 0), "");
  EXPECT_EQ(faults(false, 16), "");  // another line
  EXPECT_EQ(faults(false, 8), "");   // other bytes of the line
  ExpectSays(faults(false, 0), "vector_hazard_test.cpp");
  ExpectSays(faults(false, 0), ") after GetValue had brought their line into the scalar unit's cache");
}

TEST(VectorHazard, TellsOfReadsOfWhatIsInAnotherCoresScalarCache) {
  Gm<int32_t> gm(64);
  const auto faults = [&](bool clean, bool by_move) {
    LaunchOptions options{.type = KernelType::kMixAiv1_0, .blocks = 2, .threads = 1};
    options.gm.Add(gm.buffer("gm"));
    return TextOf(LaunchOnUnit(options, [&](Core& /*core*/) {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      GlobalTensor<int32_t> tensor = gm.tensor();
      if (AscendC::GetBlockIdx() == 0) {
        tensor.SetValue(3, 42);
        if (clean) {
          DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(tensor);
        }
      }
      AscendC::SyncAll();
      if (AscendC::GetBlockIdx() == 1 && by_move) {
        DataCopy(Part<int32_t>(buffer, 0), tensor, 8);
      } else if (AscendC::GetBlockIdx() == 1) {
        EXPECT_EQ(tensor.GetValue(3), 42);
      }
    }));
  };
  for (const bool by_move : {false, true}) {
    EXPECT_EQ(faults(true, by_move), "") << by_move;
    ExpectSays(faults(false, by_move), "bytes [12, 16) were written by SetValue on AIV 0 (");
    ExpectSays(faults(false, by_move),
               ") and are still in the cache of its scalar unit; call DataCacheCleanAndInvalid");
  }
}

// Also where that core has returned from the kernel since.
TEST(VectorHazard, TellsOfReadsOfWhatIsInTheScalarCacheOfACoreThatHasEnded) {
  Gm<int32_t> gm(64);
  LaunchOptions options{.type = KernelType::kMixAiv1_0, .blocks = 2, .threads = 1};
  options.gm.Add(gm.buffer("gm"));
  ExpectSays(TextOf(LaunchOnUnit(options,
                                 [&](Core& /*core*/) {
                                   const GlobalTensor<int32_t> tensor = gm.tensor();
                                   if (AscendC::GetBlockIdx() == 0) {
                                     tensor.SetValue(3, 42);
                                   }
                                   AscendC::SyncAll();
                                   if (AscendC::GetBlockIdx() == 1) {
                                     for (int i = 0; i < 20; ++i) {  // gives the other its turn
                                       (void)tensor.GetValue(40);
                                     }
                                     (void)tensor.GetValue(3);
                                   }
                                 })),
             "bytes [12, 16) were written by SetValue on AIV 0 (");
}

// The end of a kernel cleans no cache.
TEST(VectorHazard, TellsOfWhatTheScalarCacheStillHoldsAtTheKernelsEnd) {
  Gm<int32_t> gm(64);
  const auto notices = [&](const std::function<void(const GlobalTensor<int32_t>&)>& kernel,
                           const std::set<uint64_t>* results = nullptr) {
    LaunchOptions options{.type = KernelType::kMixAiv1_0, .blocks = 2, .threads = 1};
    options.gm.Add(gm.buffer("gm"));
    options.results = results;
    const LaunchResult result = LaunchOnUnit(options, [&](Core& /*core*/) { kernel(gm.tensor()); });
    std::string all;
    for (const std::string& notice : result.notices) {
      all += notice + "\n";
    }
    return all;
  };
  const auto write = [](const GlobalTensor<int32_t>& tensor) {
    for (int i = 0; i < 4; ++i) {
      tensor.SetValue(static_cast<uint64_t>(14 + i + 32 * AscendC::GetBlockIdx()), i);
    }
  };
  EXPECT_EQ(notices([&](const GlobalTensor<int32_t>& tensor) {
              write(tensor);
              DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(tensor);
            }),
            "");
  EXPECT_EQ(
      notices([&](const GlobalTensor<int32_t>& tensor) { tensor.GetPhyAddr()[AscendC::GetBlockIdx()] = 1; }),
      "");
  const std::string all = notices(write);
  ExpectSays(all, "SetValue (");
  ExpectSays(all,
             ") on AIV 0: at the kernel's end the scalar unit's cache still holds GM buffer gm bytes "
             "[56, 72), which may never reach GM; call DataCacheCleanAndInvalid behind the last");
  EXPECT_EQ(std::ranges::count(all, '\n'), 1) << all;  // the other core's are of the same line of the source
  ExpectSays(
      notices([&](const GlobalTensor<int32_t>& tensor) {
        for (const uint64_t far : {0, 40}) {  // in lines of their own
          tensor.SetValue(far, 1);
        }
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(tensor);
      }),
      "on AIV 0: at the kernel's end the scalar unit's cache still holds GM buffer gm bytes [160, 164)");
  const std::set<uint64_t> results;
  EXPECT_EQ(notices(write, &results), "");  // nobody asks for the bytes
  ExpectSays(notices([](const GlobalTensor<int32_t>& tensor) {
               if (AscendC::GetBlockIdx() == 1) {
                 tensor(8) += 1;
               }
             }),
             "on AIV 1: at the kernel's end the scalar unit's cache still holds GM buffer gm bytes [32, 36)");
}

}  // namespace
}  // namespace tilesim
