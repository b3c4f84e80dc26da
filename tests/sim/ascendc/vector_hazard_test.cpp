// What kernels of a vector core are told of accesses that nothing orders.
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
                        {"GatherMask", "GetGatherMaskRemainCount",
                         [](const LocalTensor<float>& a) {
                           uint64_t kept = 0;
                           GatherMask(a[512], a, 1, false, 0, {1, 1, 8, 0}, kept);
                         },
                         [](const LocalTensor<float>&) { GetGatherMaskRemainCount(); }},
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

}  // namespace
}  // namespace tilesim
