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
