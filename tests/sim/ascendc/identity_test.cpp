// Where a kernel runs, how cores meet, and calls on cores of the wrong kind.
#include <mutex>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

// "kind block_idx GetBlockIdx GetBlockNum GetSubBlockIdx GetTaskRation" of each core of a launch of two
// blocks.
std::string Identities(KernelType type) {
  std::string text;
  RunKernel(
      [&] {
        const int kinds = (ASCEND_IS_AIC ? 1 : 0) + (ASCEND_IS_AIV ? 2 : 0) + (ASCEND_IS_NOT_AIC ? 4 : 0) +
                          (ASCEND_IS_NOT_AIV ? 8 : 0);
        EXPECT_EQ(kinds, g_coreType == AscendC::AIC ? 9 : 6);
        text += Say(ASCEND_IS_AIC ? "C" : "V", static_cast<int64_t>(block_idx), AscendC::GetBlockIdx(),
                    AscendC::GetBlockNum(), AscendC::GetSubBlockIdx(), AscendC::GetTaskRation(), " ");
      },
      type, 2);
  return text;
}

TEST(Identity, FollowsTheKernelType) {
  EXPECT_EQ(Identities(KernelType::kAicOnly), "C00201 C11201 ");
  EXPECT_EQ(Identities(KernelType::kAivOnly), "V00201 V11201 ");
  EXPECT_EQ(Identities(KernelType::kMixAic1_0), "C00201 C11201 ");
  EXPECT_EQ(Identities(KernelType::kMixAiv1_0), "V00201 V11201 ");
  EXPECT_EQ(Identities(KernelType::kMixAic1_1), "C00201 C11201 V00201 V11201 ");
  EXPECT_EQ(Identities(KernelType::kMixAic1_2), "C00201 C11201 V00202 V01212 V12202 V13212 ");
}

// Every core writes its part of GM, all meet, every core reads everything. `meet` false: hazards must be
// found.
std::string MeetAndRead(KernelType type, int64_t blocks, const std::function<void()>& meet) {
  std::vector<float> data(1024);
  LaunchOptions options{.type = type, .blocks = blocks, .threads = 1};
  options.gm.Add(BufferOf("ws", data, false));
  const uint64_t begin = options.gm.buffers()[0].address;
  return TextOf(LaunchOnUnit(options, [&](Core& core) {
    const uint64_t own = begin + 64 * static_cast<uint64_t>(core.identity().index);
    const auto cores = static_cast<uint64_t>(CoresOf(options).size());
    Do(core, {.on = Pipe::kMte3, .regions = {Writes(Memory::kGm, own, own + 64)}});
    meet();
    Do(core, {.on = Pipe::kMte2, .regions = {Reads(Memory::kGm, begin, begin + 64 * cores)}});
  }));
}

TEST(SyncAll, OrdersAllCoresOfAMixedLaunch) {
  for (const KernelType type : {KernelType::kMixAic1_1, KernelType::kMixAic1_2}) {
    EXPECT_EQ(MeetAndRead(type, 3, [] { AscendC::SyncAll<false>(); }), "");
    EXPECT_EQ(MeetAndRead(type, 3,
                          [] {
                            AscendC::SyncAll<false>();
                            AscendC::SyncAll<false>();
                          }),
              "");
    EXPECT_NE(MeetAndRead(type, 3, [] {}), "");
  }
}

TEST(SyncAll, OrdersAllVectorCores) {
  EXPECT_EQ(MeetAndRead(KernelType::kMixAiv1_0, 4, [] { AscendC::SyncAll(); }), "");
  EXPECT_NE(MeetAndRead(KernelType::kMixAiv1_0, 4, [] {}), "");
}

TEST(SyncAll, OfVectorCoresDoesNotHoldCubeCores) {
  EXPECT_NE(MeetAndRead(KernelType::kMixAic1_2, 2, [] { AscendC::SyncAll<true>(); }),
            "");  // cubes are not ordered
  EXPECT_EQ(TextOf(RunKernel([] { AscendC::SyncAll<true>(); }, KernelType::kMixAic1_2, 2)), "");
}

TEST(SyncAll, IsRefusedWhereTheKernelTypeHasNoWayToMeet) {
  const std::string none = "whose cores have no flags for each other; launch the kernel as ";
  ExpectSays(FaultsOf([] { AscendC::SyncAll(); }, KernelType::kAivOnly), "SyncAll on S");
  ExpectSays(FaultsOf([] { AscendC::SyncAll(); }, KernelType::kAivOnly), none + "MIX_AIV_1_0");
  ExpectSays(FaultsOf([] { AscendC::SyncAll<false>(); }, KernelType::kAicOnly), none + "MIX_AIC_1_0");
  ExpectSays(FaultsOf([] { AscendC::SyncAll<false>(); }, KernelType::kMixAic1_0), "starts no AIVs");
  ExpectSays(FaultsOf([] { AscendC::SyncAll<false>(); }, KernelType::kMixAiv1_0), "starts no AICs");
  EXPECT_EQ(FaultsOf([] { AscendC::SyncAll<true>(); }, KernelType::kAicOnly), "");  // not for cubes
}

TEST(SyncAll, ThatOneCoreMissesIsADeadlockToldOnce) {
  const LaunchResult result = RunKernel(
      [] {
        if (!(ASCEND_IS_AIV && AscendC::GetBlockIdx() == 3)) {
          AscendC::SyncAll<false>();
        }
      },
      KernelType::kMixAic1_2, 2);
  ASSERT_EQ(result.faults.size(), 1U) << TextOf(result);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
  ExpectSays(TextOf(result), "identity_test.cpp:");
}

TEST(CrossCoreFlag, Mode2HandsOverFromAivToAic) {
  std::vector<float> data(64);
  LaunchOptions options{.type = KernelType::kMixAic1_2, .threads = 1};
  options.gm.Add(BufferOf("ws", data, false));
  const uint64_t begin = options.gm.buffers()[0].address;
  const auto run = [&](bool first_sets, bool second_sets) {
    return TextOf(LaunchOnUnit(options, [&](Core& core) {
      if ASCEND_IS_AIV {
        const auto own = begin + 64 * static_cast<uint64_t>(AscendC::GetSubBlockIdx());
        Do(core, {.on = Pipe::kMte3, .regions = {Writes(Memory::kGm, own, own + 64)}});
        if (AscendC::GetSubBlockIdx() == 0 ? first_sets : second_sets) {
          AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(6);
        }
      } else {
        AscendC::CrossCoreWaitFlag(6);
        Do(core, {.on = Pipe::kMte2, .regions = {Reads(Memory::kGm, begin, begin + 128)}});
      }
    }));
  };
  EXPECT_EQ(run(true, true), "");
  ExpectSays(run(true, false), "AIC 0, CrossCoreWaitFlag");
}

TEST(CrossCoreFlag, OfOneCoreAloneComesBackToIt) {
  EXPECT_EQ(FaultsOf(
                [] {
                  AscendC::CrossCoreSetFlag<0, PIPE_FIX>(15);
                  AscendC::CrossCoreWaitFlag<0, PIPE_S>(15);
                },
                KernelType::kMixAic1_0),
            "");
}

// Calls of the cube on a vector core and calls on UB on a cube core.
TEST(WrongCore, CallsAreSilentNoOps) {
  const LaunchResult result = RunKernel(
      [] {
        std::vector<half> host(1024);
        TPipe pipe;
        TBuf<TPosition::A1> l1;
        TBuf<TPosition::A2> l0a;
        TBuf<TPosition::B2> l0b;
        TBuf<TPosition::CO1> l0c;
        TBuf<TPosition::VECIN> ub;
        pipe.InitBuffer(l1, 1024);
        pipe.InitBuffer(l0a, 1024);
        pipe.InitBuffer(l0b, 1024);
        pipe.InitBuffer(l0c, 1024);
        pipe.InitBuffer(ub, 1024);
        GlobalTensor<half> gm;  // in no buffer of the launch: touching it would be a fault
        gm.SetGlobalBuffer(host.data());
        if ASCEND_IS_AIC {
          AscendC::DataCopy(ub.Get<half>(), gm, 16);
          AscendC::DataCopy(ub.Get<half>(), gm, AscendC::DataCopyParams(1, 1, 0, 0));
          AscendC::DataCopy(gm, ub.Get<half>(), 16);
          AscendC::DataCopy(gm, ub.Get<half>(), AscendC::DataCopyParams(1, 1, 0, 0));
        } else {
          const LocalTensor<half> src = l1.Get<half>();
          AscendC::DataCopy(src, gm, 16);
          AscendC::DataCopy(src, gm, AscendC::DataCopyParams(1, 1, 0, 0));
          AscendC::DataCopy(gm, src, 16);
          AscendC::DataCopy(gm, src, AscendC::DataCopyParams(1, 1, 0, 0));
          AscendC::DataCopy(src, gm, AscendC::Nd2NzParams(1, 1, 16, 0, 16, 1, 1, 0));
          AscendC::InitConstValue(src, {1, 1, 0, half(0)});
          AscendC::LoadData(l0a.Get<half>(), src, AscendC::LoadData2DParams(0, 1, 1, 0, 0, false, 0));
          AscendC::LoadData(l0a.Get<half>(), src, AscendC::LoadData3DParamsV2<half>());
          AscendC::LoadDataWithTranspose(l0b.Get<half>(), src,
                                         AscendC::LoadData2dTransposeParams(0, 1, 1, 0, 0));
          AscendC::Mmad(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(),
                        AscendC::MmadParams(16, 16, 16, false));
          AscendC::MmadImpl(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(),
                            AscendC::MmadParams(16, 16, 16, false));
          AscendC::Fixpipe<half, float, AscendC::CFG_NZ>(gm, l0c.Get<float>(),
                                                         AscendC::FixpipeParamsV220(16, 16, 16, 16, false));
        }
      },
      KernelType::kMixAic1_1);
  EXPECT_EQ(TextOf(result), "");
  for (const CoreResult& core : result.cores) {
    for (const int64_t count : core.statistics.instructions) {
      EXPECT_EQ(count, 0);
    }
  }
}

TEST(Registers, AreSetByTheApi) {
  RunKernel([] {
    CoreRegisters& registers = CurrentCore().registers();
    AscendC::SetAtomicAdd<half>();
    EXPECT_EQ(registers.atomic, AtomicOp::kAdd);
    EXPECT_EQ(registers.atomic_dtype, DType::kFp16);
    AscendC::SetAtomicMax<float>();
    EXPECT_EQ(registers.atomic, AtomicOp::kMax);
    AscendC::SetAtomicMin<int32_t>();
    EXPECT_EQ(registers.atomic, AtomicOp::kMin);
    EXPECT_EQ(registers.atomic_dtype, DType::kInt32);
    AscendC::SetAtomicNone();
    EXPECT_EQ(registers.atomic, AtomicOp::kNone);
    AscendC::SetHF32Mode(true);
    EXPECT_TRUE(registers.hf32);
    AscendC::SetHF32Mode(AscendC::HF32Mode::DISABLE);
    EXPECT_FALSE(registers.hf32);
    AscendC::SetHF32Mode(AscendC::HF32Mode::ENABLE);
    EXPECT_TRUE(registers.hf32);
    AscendC::SetHF32TransMode(AscendC::HF32TransMode::NEAREST_ZERO);
    EXPECT_TRUE(registers.hf32_ties_away);
    const uint8_t pads[4] = {1, 2, 3, 4};
    AscendC::SetFmatrix(5, 6, pads, AscendC::FmatrixMode::FMATRIX_RIGHT);
    EXPECT_EQ(registers.feature_map[1].height, 5);
    EXPECT_EQ(registers.feature_map[1].width, 6);
    EXPECT_EQ(registers.feature_map[1].pad, (std::array<int64_t, 4>{1, 2, 3, 4}));
    EXPECT_EQ(registers.feature_map[0].height, 0);
    AscendC::SetLoadDataRepeat(AscendC::LoadDataRepeatParam(7, 2, 1));
    EXPECT_EQ(registers.load3d_repeat_stride, 7);
    EXPECT_EQ(registers.load3d_repeat_times, 2);
    EXPECT_TRUE(registers.load3d_repeat_along_k);
    AscendC::SetLoadDataPaddingValue(half(2.5F));
    EXPECT_EQ(registers.pad_bits, half(2.5F).bits);
    AscendC::SetLoadDataPaddingValue(int8_t{-2});
    EXPECT_EQ(registers.pad_bits, 0xFEFEU);
    AscendC::SetLoadDataBoundary(4096);
    EXPECT_EQ(registers.load3d_boundary_bytes, 4096);
  });
}

}  // namespace
}  // namespace tilesim
