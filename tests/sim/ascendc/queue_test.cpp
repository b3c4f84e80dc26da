// TQue and the flags it sets.
#include <algorithm>
#include <cstddef>
#include <new>
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
using AscendC::TQueBind;

// A kernel with a queue of `count` buffers in L1, of depth 2.
std::string WithQueue(uint8_t count, const std::function<void(TQue<TPosition::A1, 2>&)>& use) {
  return FaultsOf([&] {
    TPipe pipe;
    TQue<TPosition::A1, 2> queue;
    if (count != 0) {
      pipe.InitBuffer(queue, count, 1024);
    }
    use(queue);
  });
}
void Touch(const LocalTensor<half>& tensor) { AscendC::InitConstValue(tensor, {1, 1, 0, half(0)}); }

TEST(TQue, PassesTensorsOnInOrder) {
  EXPECT_EQ(WithQueue(2,
                      [](auto& queue) {
                        EXPECT_TRUE(queue.HasIdleBuffer());
                        LocalTensor<half> a = queue.template AllocTensor<half>();
                        Touch(a);
                        LocalTensor<half> b = queue.template AllocTensor<half>();
                        EXPECT_FALSE(queue.HasIdleBuffer());
                        EXPECT_FALSE(queue.HasTensorInQue());
                        queue.EnQue(a);
                        EXPECT_TRUE(queue.VacantInQue());
                        queue.EnQue(b);
                        EXPECT_FALSE(queue.VacantInQue());
                        EXPECT_EQ(queue.GetTensorCountInQue(), 2);
                        LocalTensor<half> first = queue.template DeQue<half>();
                        LocalTensor<half> second;
                        queue.template DeQue<half>(second);
                        EXPECT_EQ(first.GetPhyAddr(), a.GetPhyAddr());
                        EXPECT_EQ(second.GetPhyAddr(), b.GetPhyAddr());
                        queue.FreeTensor(second);
                        queue.FreeTensor(first);
                        queue.FreeAllEvent();
                      }),
            "");
}

TEST(TQue, OrdersProducerAndConsumerAndTheNextProducer) {
  const auto run = [](bool with_queue) {
    return FaultsOf([=] {
      TPipe pipe;
      TQue<TPosition::A1, 1> queue;
      pipe.InitBuffer(queue, 1, 1024);
      TBuf<TPosition::A2> l0a;
      pipe.InitBuffer(l0a, 512);
      LocalTensor<half> tensor = queue.AllocTensor<half>();
      for (int i = 0; i < 2; ++i) {
        AscendC::InitConstValue(tensor, {1, 32, 0, half(0)});
        if (with_queue) {
          queue.EnQue(tensor);
          tensor = queue.DeQue<half>();
        }
        AscendC::LoadData(l0a.Get<half>(), tensor, AscendC::LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        if (with_queue) {
          queue.FreeTensor(tensor);
          tensor = queue.AllocTensor<half>();
        }
      }
      queue.FreeTensor(tensor);
    });
  };
  EXPECT_EQ(run(true), "");
  const std::string queue = " of the TQue at " + std::string(__FILE__) + ":";
  ExpectSays(run(false), "needs EnQue and DeQue" + queue);
  ExpectSays(run(false),
             ", which set and wait for MTE2_MTE1 (or SetFlag/WaitFlag<MTE2_MTE1> where the tensor is not "
             "that queue's), between them");
  ExpectSays(run(false), "needs FreeTensor and AllocTensor" + queue);
  ExpectSays(run(false),
             ", which set and wait for MTE1_MTE2 (or SetFlag/WaitFlag<MTE1_MTE2> where the tensor is not "
             "that queue's), between them");
}

// Two queues, made in lines 10 and 11 of a kernel, each of two buffers.
using UbQueue = TQue<TPosition::VECIN, 2>;
SourceLine Line(int line) { return {.file = "kernel.cpp", .line = line}; }
// The text of the faults, without their cycles.
std::string WithTwoQueues(const std::function<void(UbQueue& here, UbQueue& there)>& use) {
  std::string text = OnVector([&] {
    TPipe pipe;
    UbQueue here;
    UbQueue there;
    pipe.InitBuffer(here, 2, 64, Line(10));
    pipe.InitBuffer(there, 2, 64, Line(11));
    use(here, there);
  });
  const std::string at_cycle = " at cycle ";
  for (size_t at = text.find(at_cycle); at != std::string::npos; at = text.find(at_cycle, at)) {
    text.erase(at, text.find_first_not_of("0123456789", at + at_cycle.size()) - at);
  }
  return text;
}

TEST(TQue, RefusesATensorAfterFreeTensorAndSaysWhereThatWas) {
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) {
               LocalTensor<half> tensor = here.AllocTensor<half>();
               LocalTensor<half> part = tensor[16];
               here.FreeTensor(tensor, Line(20));
               AscendC::Adds(part, part, half(1), 16, Line(21));
             }),
             "AIV 0, Adds on V, kernel.cpp:21: [queue] dst: is of the TQue at kernel.cpp:10 and was freed at "
             "kernel.cpp:20; use it before, or take a new one with AllocTensor or DeQue");
  const auto freed_again = [](int times) {
    return WithTwoQueues([=](UbQueue& here, UbQueue&) {
      LocalTensor<half> tensor = here.AllocTensor<half>();
      here.FreeTensor(tensor, Line(20));
      for (int i = 0; i < 2 * times; ++i) {  // two buffers in turn
        LocalTensor<half> other = here.AllocTensor<half>();
        here.FreeTensor(other, Line(22));
      }
      here.AllocTensor<half>();
      here.AllocTensor<half>();  // the same buffer, but another tensor
      AscendC::Adds(tensor, tensor, half(1), 16);
    });
  };
  ExpectSays(freed_again(0), " and was freed at kernel.cpp:20; ");
  ExpectSays(freed_again(1), " and was freed since, its buffer last at kernel.cpp:22; ");
}

TEST(TQue, SaysOfATensorThatItDoesNotTakeWhoseItIsAndWhoFreedIt) {
  ExpectSays(
      WithTwoQueues([](UbQueue& here, UbQueue&) {
        LocalTensor<half> tensor = here.AllocTensor<half>();
        here.FreeTensor(tensor, Line(20));
        here.FreeTensor(tensor, Line(21));
      }),
      "AIV 0, FreeTensor, kernel.cpp:21: [queue] tensor: is of the TQue at kernel.cpp:10 and was freed "
      "at kernel.cpp:20; leave this FreeTensor out");
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) {
               LocalTensor<half> tensor = here.AllocTensor<half>();
               here.FreeTensor(tensor, Line(20));
               here.EnQue(tensor, Line(21));
             }),
             "AIV 0, EnQue, kernel.cpp:21: [queue] tensor: is of the TQue at kernel.cpp:10 and was freed at "
             "kernel.cpp:20; AllocTensor one of this queue first");
  for (const bool frees : {false, true}) {
    const std::string call = frees ? "FreeTensor" : "EnQue";
    ExpectSays(WithTwoQueues([=](UbQueue& here, UbQueue& there) {
                 LocalTensor<half> tensor = here.AllocTensor<half>();
                 frees ? there.FreeTensor(tensor, Line(20)) : void(there.EnQue(tensor, Line(20)));
               }),
               "AIV 0, " + call +
                   ", kernel.cpp:20: [queue] tensor: is of the TQue at kernel.cpp:10, not of this queue, the "
                   "TQue at kernel.cpp:11; call " +
                   call + " of the queue that gave it");
  }
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) { here.EnQue(LocalTensor<half>()); }),
             "tensor: is of no queue (it is a TBuf's, an address, or empty), and this is the TQue at "
             "kernel.cpp:10, which takes only what its AllocTensor and DeQue have given; AllocTensor one of "
             "this queue first");
}

TEST(TQue, SaysWhereATensorWasQueued) {
  ExpectSays(
      WithTwoQueues([](UbQueue& here, UbQueue&) {
        LocalTensor<half> tensor = here.AllocTensor<half>();
        here.EnQue(tensor, Line(20));
        here.EnQue(tensor, Line(21));
      }),
      "AIV 0, EnQue, kernel.cpp:21: [queue] tensor: is in the queue since EnQue (kernel.cpp:20); DeQue "
      "it before, or leave this EnQue out");
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) {
               LocalTensor<half> tensor = here.AllocTensor<half>();
               here.EnQue(tensor, Line(20));
               here.FreeTensor(tensor, Line(21));
             }),
             "AIV 0, FreeTensor, kernel.cpp:21: [queue] tensor: is in the queue since EnQue (kernel.cpp:20); "
             "DeQue it first and free what DeQue gives");
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) { here.DeQue<half>(Line(20)); }),
             "AIV 0, DeQue, kernel.cpp:20: [queue] queue: the TQue at kernel.cpp:10 holds no tensor: nothing "
             "was put into it so far; EnQue one before");
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) {
               here.EnQue(here.AllocTensor<half>());
               here.DeQue<half>(Line(20));
               here.DeQue<half>(Line(21));
             }),
             "holds no tensor: its last was taken at kernel.cpp:20; EnQue one before");
  ExpectSays(WithQueue(3,
                       [](auto& queue) {
                         for (int i = 0; i < 3; ++i) {
                           queue.EnQue(queue.template AllocTensor<half>(), Line(20 + i));
                         }
                       }),
             " holds 2 tensors, its depth, the oldest since EnQue (kernel.cpp:20); DeQue one first, or "
             "declare the queue deeper");
}

TEST(TQue, RefusesAQueueWithoutBuffersAndAnEmptyTensor) {
  ExpectSays(WithQueue(0, [](auto& queue) { queue.template AllocTensor<half>(); }),
             "has no buffers; call TPipe::InitBuffer");
  ExpectSays(
      FaultsOf([] { AscendC::Mmad(LocalTensor<float>(), LocalTensor<half>(), LocalTensor<half>(), {}); }),
      "is an empty LocalTensor");
}

TEST(TQue, TakesTheNextBufferThatIsFree) {
  EXPECT_EQ(WithTwoQueues([](UbQueue& here, UbQueue&) {
              LocalTensor<half> kept = here.AllocTensor<half>();
              LocalTensor<half> other = here.AllocTensor<half>();
              here.FreeTensor(other);
              other = here.AllocTensor<half>();
              EXPECT_NE(other.GetPhyAddr(), kept.GetPhyAddr());
              here.FreeTensor(kept);
              here.FreeTensor(other);
            }),
            "");
}

TEST(TQue, SaysThatAllBuffersAreInUseAndSinceWhen) {
  ExpectSays(
      WithTwoQueues([](UbQueue& here, UbQueue&) {
        for (int i = 0; i < 3; ++i) {
          here.AllocTensor<half>(Line(20 + i));
        }
      }),
      "AIV 0, AllocTensor, kernel.cpp:22: [queue] queue: all 2 buffers of the TQue at kernel.cpp:10 are "
      "in use (the oldest is with the kernel since AllocTensor (kernel.cpp:20)), so the call would wait "
      "for ever; FreeTensor one before, or give InitBuffer more than 2");
  ExpectSays(WithTwoQueues([](UbQueue& here, UbQueue&) {
               here.EnQue(here.AllocTensor<half>(), Line(20));
               here.AllocTensor<half>();
               here.AllocTensor<half>();
             }),
             "(the oldest is in the queue since EnQue (kernel.cpp:20))");
}

TEST(TQue, RunsOutOfEventIds) {
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               TQue<TPosition::A1, 9> queue;
               pipe.InitBuffer(queue, 9, 32);
               for (int i = 0; i < 9; ++i) {
                 LocalTensor<half> tensor = queue.AllocTensor<half>();
                 queue.EnQue(tensor);
               }
             }),
             "all 8 ids of MTE2_MTE1 are taken; release one");
}

TEST(TQue, ATensorLeftInTheQueueIsAFlagLeftSet) {
  ExpectSays(WithQueue(1, [](auto& queue) { queue.EnQue(queue.template AllocTensor<half>()); }),
             "queue_test.cpp:262: [flag] MTE2_MTE1 flag 0 is still set, by EnQue of a queue; every SetFlag "
             "needs its "
             "WaitFlag");
}

TEST(TQue, TheOldestIsTheOneThatWasTakenFirst) {
  ExpectSays(WithQueue(3,
                       [](auto& queue) {
                         queue.template AllocTensor<half>(Line(20));
                         LocalTensor<half> b = queue.template AllocTensor<half>(Line(21));
                         queue.template AllocTensor<half>(Line(22));
                         queue.FreeTensor(b);
                         queue.template AllocTensor<half>(Line(23));  // in the place of b
                         queue.template AllocTensor<half>(Line(24));
                       }),
             "are in use (the oldest is with the kernel since AllocTensor (kernel.cpp:20)), so the call");
}

// A buffer's handle stays the buffer's after FreeBuffer.
TEST(TQue, SaysThatNobodyHasTakenATensorMadeFromTheAddressOfAFreeBuffer) {
  const auto with = [](const std::function<void(UbQueue&, LocalTensor<half>&)>& use) {
    return WithTwoQueues([&](UbQueue& here, UbQueue&) {
      here.EnQue(here.AllocTensor<half>());
      const AscendC::TBufHandle handle = here.DeQue();
      here.FreeBuffer(handle);
      LocalTensor<half> tensor(here.GetBufferAddr(handle));
      use(here, tensor);
    });
  };
  const std::string why = " [queue] tensor: is free: nobody has taken it from the TQue at kernel.cpp:10; ";
  ExpectSays(with([](UbQueue& here, LocalTensor<half>& tensor) { here.EnQue(tensor, Line(20)); }),
             "EnQue, kernel.cpp:20:" + why + "AllocTensor one of this queue first");
  ExpectSays(with([](UbQueue& here, LocalTensor<half>& tensor) { here.FreeTensor(tensor, Line(20)); }),
             "FreeTensor, kernel.cpp:20:" + why + "leave this FreeTensor out");
}

TEST(TQue, SaysOfATensorFromBeforeAResetThatInitBufferGivesANewOne) {
  enum class Then { kOld, kOldAfterInitBuffer, kNewAfterInitBuffer };
  const auto after_reset = [](Then then, const std::function<void(UbQueue&, LocalTensor<half>&)>& use) {
    return OnVector([&] {
      TPipe pipe;
      UbQueue queue;
      pipe.InitBuffer(queue, 2, 64, Line(10));
      LocalTensor<half> tensor = queue.AllocTensor<half>();
      pipe.Reset();
      if (then != Then::kOld) {
        pipe.InitBuffer(queue, 2, 64, Line(11));
      }
      if (then == Then::kNewAfterInitBuffer) {
        tensor = queue.AllocTensor<half>();
      }
      use(queue, tensor);
    });
  };
  const std::string told =
      " is of the TQue at kernel.cpp:10, whose TPipe or pool was reset or destroyed since; use it or give it "
      "back before, or take a new one after InitBuffer was called again";
  const auto fill = [](UbQueue& queue, LocalTensor<half>& tensor) {
    AscendC::Duplicate(tensor, half(1), 32);
    queue.FreeTensor(tensor);
  };
  ExpectSays(after_reset(Then::kOld, fill), "dst:" + told);
  ExpectSays(after_reset(Then::kOldAfterInitBuffer, fill), "dst:" + told);
  EXPECT_EQ(after_reset(Then::kNewAfterInitBuffer, fill), "");  // as advised
  const auto enque = [](UbQueue& queue, LocalTensor<half>& tensor) { queue.EnQue(tensor); };
  ExpectSays(after_reset(Then::kOldAfterInitBuffer, enque), "tensor:" + told);
  const auto give_back = [](UbQueue& queue, LocalTensor<half>& tensor) { queue.FreeTensor(tensor); };
  ExpectSays(after_reset(Then::kOldAfterInitBuffer, give_back), "tensor:" + told);
  ExpectSays(after_reset(Then::kOld, enque), "tensor:" + told);
  ExpectSays(after_reset(Then::kOld, give_back), "tensor:" + told);
  ExpectSays(OnVector([] {
               TPipe pipe;
               UbQueue queue;
               pipe.InitBuffer(queue, 2, 64);
               queue.EnQue(queue.AllocTensor<half>());
               pipe.Reset();
               queue.DeQue<half>();
             }),
             "queue: lost its buffers: its TPipe or pool was reset or destroyed");
}

TEST(TQue, TensorsThatNeverComeBackAreFaults) {
  const auto at = [](int line) { return SourceLine{.file = "kernel.cpp", .line = line}; };
  const auto run = [&](bool enque, bool deque, bool free, bool destroy) {
    return FaultsOf([&] {
      TPipe pipe;
      TQue<TPosition::A1, 2> queue;
      pipe.InitBuffer(queue, 2, 1024, at(10));
      for (int i = 0; i < 2; ++i) {
        LocalTensor<half> tensor = queue.AllocTensor<half>(at(20));
        if (enque) {
          queue.EnQue(tensor, at(21));
        }
        if (deque) {
          tensor = queue.DeQue<half>(at(22));
        }
        if (free && i == 0) {
          queue.FreeTensor(tensor, at(23));
        }
      }
      if (destroy) {
        pipe.Destroy();
      }
    });
  };
  const std::string never_freed =
      "kernel.cpp:20: [queue] tensor: 2 tensors of the TQue at kernel.cpp:10 were taken here and given back "
      "nowhere before the end; EnQue or FreeTensor them\n";
  for (const bool destroy : {false, true}) {
    const std::string text = run(false, false, false, destroy);
    ExpectSays(text, never_freed);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    ExpectSays(run(true, true, true, destroy), "AIC 0, DeQue at cycle ");
    ExpectSays(run(true, true, true, destroy),
               "kernel.cpp:22: [queue] tensor: a tensor of the TQue at kernel.cpp:10 was taken here");
    ExpectSays(run(false, false, true, destroy), "kernel.cpp:20: [queue] tensor: a tensor of the TQue");
  }
}

TEST(TQue, TensorsThatAPipeTookBackAreNoFaults) {
  EXPECT_EQ(FaultsOf([] {
              TPipe pipe;
              TQue<TPosition::A1, 1> queue;
              pipe.InitBuffer(queue, 1, 1024);
              queue.AllocTensor<half>();
              pipe.Reset();
            }),
            "");
}

TEST(TQue, TensorsOfAPipeThatNeverEndsAreFaultsAtTheEndOfTheKernel) {
  alignas(TPipe) std::byte memory[sizeof(TPipe)];
  ExpectSays(FaultsOf(
                 [&] {
                   auto* pipe = new (memory) TPipe;  // no destructor runs
                   TQue<TPosition::VECIN, 1> queue;
                   pipe->InitBuffer(queue, 1, 1024);
                   queue.AllocTensor<half>({.file = "kernel.cpp", .line = 5});
                 },
                 KernelType::kAivOnly),
             "AIV 0, AllocTensor at cycle ");
}

TEST(TQue, ChoosesItsEventsByItsPath) {
  using AscendC::simulator::EventsOf;
  using enum HardEvent;
  const auto is = [](TPosition src, TPosition dst, HardEvent forward, HardEvent backward) {
    const AscendC::simulator::QueueEvents events = EventsOf(src, dst);
    return events.forward == forward && events.backward == backward;
  };
  EXPECT_TRUE(is(TPosition::GM, TPosition::VECIN, MTE2_V, V_MTE2));
  EXPECT_TRUE(is(TPosition::GM, TPosition::A1, MTE2_MTE1, MTE1_MTE2));
  EXPECT_TRUE(is(TPosition::GM, TPosition::C1, MTE2_MTE1, MTE1_MTE2));
  EXPECT_TRUE(is(TPosition::VECOUT, TPosition::GM, V_MTE3, MTE3_V));
  EXPECT_TRUE(is(TPosition::A1, TPosition::A2, MTE1_M, M_MTE1));
  EXPECT_TRUE(is(TPosition::B1, TPosition::B2, MTE1_M, M_MTE1));
  EXPECT_TRUE(is(TPosition::C1, TPosition::C2, MTE1_M, M_MTE1));
  EXPECT_TRUE(is(TPosition::C1, TPosition::C2PIPE2GM, MTE1_FIX, FIX_MTE1));
  EXPECT_TRUE(is(TPosition::CO1, TPosition::CO2, M_FIX, FIX_M));
  EXPECT_TRUE(is(TPosition::VECIN, TPosition::VECOUT, MTE2_MTE3, MTE3_MTE2));
  EXPECT_TRUE(is(TPosition::VECOUT, TPosition::TSCM, MTE3_MTE1, MTE1_MTE3));
  EXPECT_TRUE(is(TPosition::GM, TPosition::A2, MTE2_M, M_MTE2));
  const auto is_queue = [&](TPosition position, HardEvent forward, HardEvent backward) {
    return is(AscendC::simulator::QueueSrc(position), AscendC::simulator::QueueDst(position), forward,
              backward);
  };
  EXPECT_TRUE(is_queue(TPosition::A2, MTE1_M, M_MTE1));
  EXPECT_TRUE(is_queue(TPosition::B2, MTE1_M, M_MTE1));
  EXPECT_TRUE(is_queue(TPosition::C2, MTE1_M, M_MTE1));
  EXPECT_TRUE(is_queue(TPosition::C2PIPE2GM, MTE1_FIX, FIX_MTE1));
  static_assert(TQue<TPosition::CO1, 1>::kBuffer == TPosition::CO1);
  static_assert(TQue<TPosition::VECOUT, 1>::kBuffer == TPosition::VECOUT);
  static_assert(TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>::kBuffer == TPosition::VECOUT);
}

}  // namespace
}  // namespace tilesim
