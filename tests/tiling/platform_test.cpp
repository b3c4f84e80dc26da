#include <gtest/gtest.h>

#include <utility>

#include "formats/error.h"
#include "platform/platform_ascendc.h"
#include "sim/soc/soc_config.h"

namespace {

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;
using platform_ascendc::PlatformAscendCManager;
using platform_ascendc::ReservedSize;

uint64_t SizeOf(const PlatformAscendC& platform, CoreMemType type) {
  uint64_t size = 1;
  platform.GetCoreMemSize(type, size);
  return size;
}
uint64_t RateOf(const PlatformAscendC& platform, CoreMemType type) {
  uint64_t rate = 1;
  platform.GetCoreMemBw(type, rate);
  return rate;
}

TEST(PlatformAscendC, TellsTheFiguresOfThePartThatTheProgramRunsOn) {
  const PlatformAscendC& platform = *PlatformAscendCManager::GetInstance();
  EXPECT_EQ(platform.GetCoreNum(), 24U);
  EXPECT_EQ(platform.GetCoreNumAic(), 24U);
  EXPECT_EQ(platform.GetCoreNumAiv(), 48U);
  EXPECT_EQ(platform.GetCoreNumVector(), 0U);
  EXPECT_EQ(platform.GetLibApiWorkSpaceSize(), 16777216U);
  EXPECT_EQ(platform.GetResCubeGroupWorkSpaceSize(), 1048576U);
  EXPECT_EQ(platform.GetResGroupBarrierWorkSpaceSize(), 1048576U);
  EXPECT_EQ(static_cast<int>(platform.GetSocVersion()), 1);
  EXPECT_EQ(platform.GetSocVersion(), platform_ascendc::SocVersion::ASCEND910B);
  EXPECT_EQ(platform.GetCurNpuArch(), NpuArch::DAV_2201);
  EXPECT_EQ(&platform, PlatformAscendCManager::GetInstance());
  EXPECT_EQ(PlatformAscendC().GetCoreNumAiv(), 48U);
}

TEST(PlatformAscendC, KeepsTheEndOfUbAndL1ForMessages) {
  const PlatformAscendC platform;
  EXPECT_EQ(SizeOf(platform, CoreMemType::UB), 192 * 1024 - 256U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::L1), 512 * 1024 - 256U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::L0_A), 65536U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::L0_B), 65536U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::L0_C), 131072U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::BT), 1024U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::FB), 2048U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::L2), 201326592U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::HBM), 68719476736U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::RESERVED), 0U);
  EXPECT_EQ(platform.soc().ub_bytes, 192 * 1024);
}

TEST(PlatformAscendC, ReservesWhatTheLastCallAsksFor) {
  PlatformAscendC platform;
  platform.ReserveLocalMemory(ReservedSize::RESERVED_SIZE_32K);
  EXPECT_EQ(SizeOf(platform, CoreMemType::UB), (192 - 32) * 1024 - 256U);
  platform.ReserveLocalMemory(ReservedSize::RESERVED_SIZE_8K);
  EXPECT_EQ(SizeOf(platform, CoreMemType::UB), (192 - 8) * 1024 - 256U);
  platform.ReserveLocalMemory(ReservedSize::RESERVED_SIZE_16K);
  EXPECT_EQ(SizeOf(platform, CoreMemType::UB), (192 - 16) * 1024 - 256U);
  EXPECT_EQ(SizeOf(platform, CoreMemType::L1), 512 * 1024 - 256U);
}

TEST(PlatformAscendC, TellsRatesInWholeBytesACycle) {
  const PlatformAscendC platform;
  EXPECT_EQ(RateOf(platform, CoreMemType::L2), 172U);
  EXPECT_EQ(RateOf(platform, CoreMemType::HBM), 78U);
  EXPECT_EQ(RateOf(platform, CoreMemType::UB), 126U);
  EXPECT_EQ(RateOf(platform, CoreMemType::L0_A), 256U);
  EXPECT_EQ(RateOf(platform, CoreMemType::L0_B), 128U);
  EXPECT_EQ(RateOf(platform, CoreMemType::L0_C), 116U);
  EXPECT_EQ(RateOf(platform, CoreMemType::RESERVED), 0U);
}

TEST(PlatformAscendC, CountsBlocksOfCoresThatBelongTogether) {
  const PlatformAscendC platform;
  struct CoreCounts {
    uint32_t slices, aic, aiv, blocks;
  };
  for (const CoreCounts& one :
       {CoreCounts{48, 24, 48, 24}, CoreCounts{47, 24, 48, 24}, CoreCounts{1, 24, 48, 1},
        CoreCounts{0, 24, 48, 0}, CoreCounts{20, 20, 20, 20}, CoreCounts{7, 0, 48, 7},
        CoreCounts{7, 24, 0, 7}, CoreCounts{7, 24, 12, 7}, CoreCounts{49, 24, 48, 0},
        CoreCounts{30, 5, 15, 10}}) {
    EXPECT_EQ(platform.CalcTschBlockDim(one.slices, one.aic, one.aiv), one.blocks)
        << one.slices << " " << one.aic;
    EXPECT_EQ(platform.CalcTschNumBlocks(one.slices, one.aic, one.aiv), one.blocks);
  }
}

TEST(PlatformAscendC, SaysWhyThereAreNoBlocks) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(PlatformAscendC().CalcTschBlockDim(49, 24, 48), 0U);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "CalcTschBlockDim: 49 slices on 48 AIVs are 25 blocks, there are 24 AICs\n");
}

TEST(PlatformAscendC, AnswersForThePartThatIsNamed) {
  EXPECT_EQ(PlatformAscendCManager::GetInstance("Ascend910B1")->GetCoreNumAic(),
            static_cast<uint32_t>(tilesim::LoadSoc("ascend910b1").aic_cores));
  EXPECT_EQ(PlatformAscendCManager::GetInstance("Ascend910B4")->GetCoreNumAic(), 20U);
  EXPECT_EQ(PlatformAscendCManager::GetInstance()->GetCoreNumAic(), 24U);
  EXPECT_THROW(PlatformAscendCManager::GetInstance("Ascend950"), tilesim::UserError);
}

TEST(PlatformAscendC, TakesAnyPartThatIsHandedIn) {
  tilesim::SocConfig soc = tilesim::LoadSoc("unit");
  soc.ub_bytes = 100;  // less than what is kept of it
  EXPECT_EQ(SizeOf(PlatformAscendC(soc), CoreMemType::UB), 0U);
  EXPECT_EQ(PlatformAscendC(soc).GetSocVersion(), platform_ascendc::SocVersion::RESERVED_VERSION);
}

}  // namespace
