// TPipe, TBuf and flags.
#include <string>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

TEST(TPipe, SetsThreeMMte1EventsOnACubeCore) {
  EXPECT_EQ(FaultsOf([] {
              TPipe pipe;
              EXPECT_EQ(pipe.FetchEventID<HardEvent::M_MTE1>(), 3);
              for (const int id : {0, 1, 2}) {
                AscendC::WaitFlag<HardEvent::M_MTE1>(id);
                AscendC::SetFlag<HardEvent::M_MTE1>(id);
              }
            }),
            "");
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               AscendC::WaitFlag<HardEvent::M_MTE1>(3);
             }),
             "no SetFlag<M_MTE1>(3) before it");
}

TEST(TPipe, WaitsForItsOwnEventsInTheEnd) {
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               AscendC::WaitFlag<HardEvent::M_MTE1>(1);
             }),
             "no SetFlag<M_MTE1>(1) before it");
  EXPECT_EQ(FaultsOf([] {
              TPipe pipe;
              pipe.Destroy();
              EXPECT_EQ(pipe.FetchEventID<HardEvent::M_MTE1>(), 0);
              pipe.Init();
              EXPECT_EQ(pipe.FetchEventID<HardEvent::M_MTE1>(), 3);
            }),
            "");
}

TEST(TPipe, SetsNothingOnAVectorCore) {
  EXPECT_EQ(FaultsOf([] { TPipe pipe; }, KernelType::kAivOnly), "");
}

TEST(TPipe, LaysBuffersOutInTheOrderOfTheCallsRoundedUpTo32Bytes) {
  RunKernel([] {
    TPipe pipe;
    TBuf<TPosition::A1> first;
    TBuf<TPosition::A2> other_memory;
    TQue<TPosition::B1, 2> queue;
    TBuf<TPosition::TSCM> last;
    pipe.InitBuffer(first, 33);
    pipe.InitBuffer(other_memory, 512);
    pipe.InitBuffer(queue, 2, 100);
    pipe.InitBuffer(last, 32);
    EXPECT_EQ(first.Get<half>().GetPhyAddr(), 0U);
    EXPECT_EQ(first.GetBufLen(), 64U);
    EXPECT_EQ(other_memory.Get<half>().GetPhyAddr(), 0U);
    LocalTensor<float> a = queue.AllocTensor<float>();
    LocalTensor<float> b = queue.AllocTensor<float>();
    EXPECT_EQ(a.GetPhyAddr(), 64U);
    EXPECT_EQ(a.GetSize(), 32U);
    EXPECT_EQ(b.GetPhyAddr(), 192U);
    // TSCM grows downwards from the end of L1
    EXPECT_EQ(last.Get<half>().GetPhyAddr(),
              AscendC::simulator::ThisCore().CapacityBytes(tilesim::Memory::kL1) - 32);
    queue.FreeTensor(a);
    EXPECT_EQ(queue.AllocTensor<float>().GetPhyAddr(), 64U);  // round and round
  });
}

TEST(TPipe, SaysWhoHoldsWhatWhereAMemoryIsFull) {
  const auto run = [](uint32_t last) {
    return FaultsOf([=] {
      TPipe pipe;
      TQue<TPosition::CO1, 1> queue;
      TBuf<TPosition::CO1> buffer;
      pipe.InitBuffer(queue, 2, 32768, {.file = "kernel.cpp", .line = 7});
      pipe.InitBuffer(buffer, last, {.file = "kernel.cpp", .line = 8});
    });
  };
  EXPECT_EQ(run(65536), "");
  EXPECT_EQ(run(65537),
            "AIC 0, InitBuffer on S at cycle 3, kernel.cpp:8: [over capacity] TBuf asks for 65568 B of L0C, "
            "which has "
            "131072 B of which 65536 are free; held: TQue at kernel.cpp:7 32768 B, TQue at kernel.cpp:7 "
            "32768 B; make one "
            "of them smaller by 32 B\n");
}

TEST(TPipe, HoldsAtMost64Buffers) {
  const auto run = [](uint8_t count) {
    return FaultsOf([=] {
      TPipe pipe;
      TQue<TPosition::A1, 1> queue;
      TBuf<TPosition::A1> buffer;
      pipe.InitBuffer(queue, count, 32);
      pipe.InitBuffer(buffer, 32);
    });
  };
  EXPECT_EQ(run(63), "");
  ExpectSays(run(64), "a TPipe holds at most 64 buffers");
}

TEST(TPipe, ResetGivesTheMemoryBackAndEndsTensors) {
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               TQue<TPosition::A1, 1> queue;
               pipe.InitBuffer(queue, 1, 524288);
               LocalTensor<half> tensor = queue.AllocTensor<half>();
               pipe.Reset();
               TBuf<TPosition::A1> buffer;
               pipe.InitBuffer(buffer, 524288);
               AscendC::InitConstValue(buffer.Get<half>(), {1, 1, 0, half(0)});
               AscendC::InitConstValue(tensor, {1, 1, 0, half(0)});
             }),
             "InitConstValue on MTE2");
}

TEST(TPipe, GivesOutEventIds) {
  EXPECT_EQ(FaultsOf([] {
              TPipe pipe;
              EXPECT_EQ(pipe.FetchEventID<HardEvent::MTE2_MTE1>(), 0);
              EXPECT_EQ(pipe.FetchEventID(HardEvent::MTE2_MTE1), 0);  // not reserved
              EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE2_MTE1>(), 0);
              EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE2_MTE1>(), 1);
              EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE1_M>(), 0);
              pipe.ReleaseEventID<HardEvent::MTE2_MTE1>(0);
              EXPECT_EQ(GetTPipePtr()->FetchEventID<HardEvent::MTE2_MTE1>(), 0);
            }),
            "");
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               for (int i = 0; i < 9; ++i) {
                 EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE1_M>(), i);
               }
             }),
             "[flag] event: all 8 ids of MTE1_M are taken");
}

TEST(TBuf, GivesTensorsInItsBufferOnly) {
  const auto with = [](const std::function<void(const TBuf<TPosition::A1>&)>& use) {
    return FaultsOf([&] {
      TPipe pipe;
      TBuf<TPosition::A1> before;
      TBuf<TPosition::A1> buffer;
      pipe.InitBuffer(before, 96);
      pipe.InitBuffer(buffer, 64);
      use(buffer);
    });
  };
  EXPECT_EQ(with([](const auto& buffer) {
              EXPECT_EQ(buffer.template Get<half>().GetSize(), 32U);
              EXPECT_EQ(buffer.template Get<float>(4).GetLength(), 16U);
              const LocalTensor<float> part = buffer.template GetWithOffset<float>(4, 48);
              EXPECT_EQ(part.GetPhyAddr(), 96U + 48);
              EXPECT_EQ(part.GetPosition(), static_cast<int32_t>(TPosition::A1));
            }),
            "");
  ExpectSays(with([](const auto& buffer) { buffer.template Get<float>(17); }),
             "bytes [0, 68) asked for, it has 64");
  ExpectSays(with([](const auto& buffer) { buffer.template GetWithOffset<float>(4, 52); }),
             "bytes [52, 68) asked for");
  ExpectSays(FaultsOf([] { TBuf<TPosition::A1>().Get<half>(); }),
             "has no memory; call TPipe::InitBuffer first");
}

TEST(TBuf, AnAccessBeyondItIsAFaultThoughMemoryFollows) {
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               TBuf<TPosition::A1> buffer;
               TBuf<TPosition::A1> next;
               pipe.InitBuffer(buffer, 64);
               pipe.InitBuffer(next, 64);
               AscendC::InitConstValue(buffer.Get<half>(), {1, 3, 0, half(0)});
             }),
             "pass the end of the tensor's buffer at 64 by 32 bytes");
}

TEST(Flags, AreCheckedThroughTheApi) {
  ExpectSays(FaultsOf([] {
               AscendC::SetFlag<HardEvent::MTE1_M>(EVENT_ID2);
               AscendC::SetFlag<HardEvent::MTE1_M>(EVENT_ID2);
             }),
             "tpipe_test.cpp:");
  ExpectSays(FaultsOf([] { AscendC::WaitFlag<HardEvent::M_FIX>(4); }), "no SetFlag<M_FIX>(4) before it");
  ExpectSays(FaultsOf([] { AscendC::SetFlag<HardEvent::FIX_M>(0); }), "FIX_M flag 0 is still set");
  ExpectSays(FaultsOf([] { AscendC::PipeBarrier<PIPE_S>(); }), "PIPE_S is not allowed");
  EXPECT_EQ(FaultsOf([] {
              AscendC::PipeBarrier<PIPE_M>();
              AscendC::PipeBarrier<PIPE_ALL>();
            }),
            "");
}

TEST(Flags, EveryEventNamesItsPipes) {
  using AscendC::simulator::PipesOf;
  const char* const names[] = {"MTE2_MTE1", "MTE1_MTE2", "MTE1_M",    "M_MTE1",   "MTE2_V",   "V_MTE2",
                               "MTE3_V",    "V_MTE3",    "M_V",       "V_M",      "V_V",      "MTE3_MTE1",
                               "MTE1_MTE3", "MTE1_V",    "MTE2_M",    "M_MTE2",   "V_MTE1",   "M_FIX",
                               "FIX_M",     "MTE3_MTE2", "MTE2_MTE3", "S_V",      "V_S",      "S_MTE2",
                               "MTE2_S",    "S_MTE3",    "MTE3_S",    "MTE2_FIX", "FIX_MTE2", "FIX_S",
                               "M_S",       "FIX_MTE3",  "MTE1_FIX",  "FIX_MTE1", "FIX_FIX"};
  int event = 0;
  for (const std::string name : names) {
    const AscendC::simulator::PipePair pipes = PipesOf(static_cast<HardEvent>(event++));
    EXPECT_EQ(Say(Name(pipes.src), "_", Name(pipes.dst)), name);
  }
  EXPECT_EQ(event, static_cast<int>(HardEvent::MAX));
}

}  // namespace
}  // namespace tilesim
