// The vendor's way to run a kernel on a host, and the tiling macros.
#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "sim/host/tikicpulib.h"
#include "tests/sim/ascendc/kernel_run.h"

namespace {

using AscendC::GlobalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

struct CopyTiling {
  uint32_t count;
  uint32_t offset;
};

// dst[i] = src[i] + what was there, through L1, an equal share a block.
extern "C" __global__ __aicore__ void copy_kernel(GM_ADDR src, GM_ADDR dst, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  REGISTER_TILING_DEFAULT(CopyTiling);
  if ASCEND_IS_AIV {
    return;
  }
  GET_TILING_DATA(data, tiling);
  GET_TILING_DATA_WITH_STRUCT(CopyTiling, same, tiling);
  GET_TILING_DATA_MEMBER(CopyTiling, offset, offset, tiling);
  GET_TILING_DATA_PTR_WITH_STRUCT(CopyTiling, pointer, tiling);
  COPY_TILING_WITH_STRUCT(CopyTiling, tiling, copied);
  ascendc_assert(copied->count == data.count && same.count == data.count && offset == data.offset &&
                 pointer->count == data.count);
  TPipe pipe;  // ends atomic updates
  if (TILING_KEY_IS(7)) {
    AscendC::SetAtomicAdd<float>();
  }
  TBuf<TPosition::TSCM> buffer;
  pipe.InitBuffer(buffer, data.count * sizeof(float));
  GlobalTensor<float> from;
  GlobalTensor<float> to;
  const uint64_t first = offset + data.count * static_cast<uint64_t>(AscendC::GetBlockIdx());
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(src));
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(dst));
  AscendC::DataCopy(buffer.Get<float>(), from[first], data.count);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::DataCopy(to[first], buffer.Get<float>(), data.count);
  AscendC::SetAtomicNone();
}

class CpuDebug : public testing::Test {
 protected:
  float* src_ = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
  float* dst_ = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
  CopyTiling* tiling_ = static_cast<CopyTiling*>(AscendC::GmAlloc(sizeof(CopyTiling)));

  CpuDebug() {
    tilesim::SetCpuDebugSoc(tilesim::UnitSoc());
    AscendC::SetKernelMode(KernelMode::AIC_MODE);
    ICPU_SET_TILING_KEY(0);
    *tiling_ = {.count = 16, .offset = 0};
    for (int i = 0; i < 64; ++i) {
      src_[i] = static_cast<float>(i);
    }
  }
  ~CpuDebug() override {
    for (void* memory : {static_cast<void*>(src_), static_cast<void*>(dst_), static_cast<void*>(tiling_)}) {
      AscendC::GmFree(memory);
    }
  }
  void Run(uint32_t blocks) {
    ICPU_RUN_KF(copy_kernel, blocks, reinterpret_cast<GM_ADDR>(src_), reinterpret_cast<GM_ADDR>(dst_),
                reinterpret_cast<GM_ADDR>(tiling_));
  }
  std::string Message(uint32_t blocks) {
    Run(blocks);
    const tilesim::LaunchResult result = tilesim::TakeCpuDebugLaunch();
    return result.faults.empty() ? "" : result.faults.front().Text();
  }
};

TEST_F(CpuDebug, RunsAKernelOnEveryBlock) {
  Run(4);
  EXPECT_EQ(std::memcmp(src_, dst_, 256), 0);
  EXPECT_EQ(tilesim::LastCpuDebugLaunch().cores.size(), 4U);
  EXPECT_GT(tilesim::LastCpuDebugLaunch().cycles, 0);
  tiling_->offset = 32;
  ICPU_SET_TILING_KEY(7);
  Run(2);
  EXPECT_EQ(dst_[31], 31.0F);
  EXPECT_EQ(dst_[32], 64.0F);  // added
  EXPECT_EQ(dst_[63], 126.0F);
}

TEST_F(CpuDebug, TilingDataThatIsNotThereIsAFault) {
  CopyTiling* const whole = std::exchange(tiling_, nullptr);
  tilesim::ExpectSays(Message(1), "tiling: is null; hand the kernel the address of its tiling data");
  tiling_ = static_cast<CopyTiling*>(AscendC::GmAlloc(sizeof(CopyTiling) - 4));
  tilesim::ExpectSays(Message(1), "the struct has 8 bytes, and GM buffer ");
  AscendC::GmFree(std::exchange(tiling_, whole));
}

TEST_F(CpuDebug, StartsTheCoresOfTheMode) {
  for (const auto& [mode, cores] :
       {std::pair{KernelMode::MIX_MODE, 6U}, std::pair{KernelMode::MIX_AIC_1_1, 4U},
        std::pair{KernelMode::AIV_MODE, 2U}}) {
    AscendC::SetKernelMode(mode);
    AscendC::simulator::RunKernel(2, [] {});
    EXPECT_EQ(tilesim::LastCpuDebugLaunch().cores.size(), cores);
  }
}

TEST_F(CpuDebug, ServesSeveralHostThreads) {
  const auto work = [] {
    for (int i = 0; i < 30; ++i) {
      AscendC::SetKernelMode(KernelMode::AIC_MODE);
      auto* src = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
      auto* dst = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
      auto* tiling = static_cast<CopyTiling*>(AscendC::GmAlloc(sizeof(CopyTiling)));
      *tiling = {.count = 16, .offset = 0};
      std::fill(src, src + 64, static_cast<float>(i));
      ICPU_RUN_KF(copy_kernel, 4, reinterpret_cast<GM_ADDR>(src), reinterpret_cast<GM_ADDR>(dst),
                  reinterpret_cast<GM_ADDR>(tiling));
      EXPECT_EQ(std::count(dst, dst + 64, static_cast<float>(i)), 64);
      EXPECT_EQ(tilesim::LastCpuDebugLaunch().cores.size(), 4U);
      AscendC::GmFree(src);
      AscendC::GmFree(dst);
      AscendC::GmFree(tiling);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_F(CpuDebug, HasFlagsBetweenCoresInEveryMode) {
  for (const KernelMode mode : {KernelMode::AIC_MODE, KernelMode::AIV_MODE, KernelMode::MIX_MODE}) {
    AscendC::SetKernelMode(mode);
    AscendC::simulator::RunKernel(2, [] {
      AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(3);
      AscendC::CrossCoreWaitFlag(3);
    });
    EXPECT_TRUE(tilesim::LastCpuDebugLaunch().faults.empty());
  }
}

TEST_F(CpuDebug, KeepsFaultsAndGoesOn) {
  tiling_->offset = 56;
  tilesim::ExpectSays(Message(1), "[out of bounds] src: bytes [224, 288) of GM buffer GmAlloc ");
  tiling_->count = 8;
  EXPECT_EQ(Message(1), "");
  tiling_->count = 200000;
  tilesim::ExpectSays(Message(1), "[over capacity]");
}

TEST_F(CpuDebug, MemoryThatGmAllocDidNotGiveIsNoGm) {
  float other[64] = {};
  ICPU_RUN_KF(copy_kernel, 1, reinterpret_cast<GM_ADDR>(other), reinterpret_cast<GM_ADDR>(dst_),
              reinterpret_cast<GM_ADDR>(tiling_));
  const tilesim::LaunchResult result = tilesim::TakeCpuDebugLaunch();
  ASSERT_FALSE(result.faults.empty());
  tilesim::ExpectSays(result.faults.front().Text(), "is in no buffer of this launch");
}

TEST(GmAlloc, GivesAlignedZeros) {
  auto* memory = static_cast<char*>(AscendC::GmAlloc(1000));
  EXPECT_EQ(reinterpret_cast<uint64_t>(memory) % 512, 0U);
  EXPECT_EQ(std::count(memory, memory + 1000, '\0'), 1000);
  AscendC::GmFree(memory);
  AscendC::GmFree(AscendC::GmAlloc(0));
  AscendC::GmFree(nullptr);
}

}  // namespace
