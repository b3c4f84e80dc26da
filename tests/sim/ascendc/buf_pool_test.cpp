// Pools, queues whose buffers the kernel places, and what else a TPipe and its queues offer.
#include <string>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TBufHandle;
using AscendC::TBufPool;
using AscendC::TBufState;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;
using AscendC::TQueBind;

template <class Queue>
void GoRound(Queue& queue) {
  LocalTensor<half> tensor = queue.template AllocTensor<half>();
  AscendC::Duplicate(tensor, half(1), 16);
  queue.FreeTensor(tensor);
}

TEST(TBufPool, DividesItsRangeAndIsFilledAgainAfterReset) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> before;
              TBuf<TPosition::VECCALC> after;
              TBufPool<TPosition::VECCALC> pool;
              TQue<TPosition::VECIN, 1> queue;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(before, 64);
              pipe.InitBufPool(pool, 500);
              pipe.InitBuffer(after, 32);
              EXPECT_EQ(after.Get<half>().GetPhyAddr(), 576U);
              for (int round = 0; round < 2; ++round) {
                pool.InitBuffer(queue, 2, 100);
                pool.InitBuffer(buffer, 32);
                LocalTensor<half> tensor = queue.AllocTensor<half>();
                EXPECT_EQ(tensor.GetPhyAddr(), 64U);
                EXPECT_EQ(tensor.GetSize(), 64U);
                queue.FreeTensor(tensor);
                EXPECT_EQ(buffer.Get<half>().GetPhyAddr(), 64U + 256);
                GoRound(queue);
                EXPECT_EQ(pipe.FetchEventID<HardEvent::V_MTE2>(), 2);
                pool.Reset();
                EXPECT_EQ(pipe.FetchEventID<HardEvent::V_MTE2>(), 0);
              }
            }),
            "");
}

TEST(TBufPool, NestsAndShares) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TBufPool<TPosition::VECCALC, 8> outer;
              TBufPool<TPosition::VECIN> left;
              TBufPool<TPosition::VECOUT> right;
              TBufPool<TPosition::VECCALC> again;
              TQue<TPosition::VECIN, 1> a;
              TQue<TPosition::VECOUT, 1> b;
              TQue<TPosition::VECOUT, 1> c;
              pipe.InitBufPool(outer, 4096);
              outer.InitBufPool(left, 1024);
              outer.InitBufPool(right, 1024);
              outer.InitBufPool(again, 512, left);
              left.InitBuffer(a, 1, 256);
              right.InitBuffer(b, 1, 256);
              LocalTensor<half> of_b = b.AllocTensor<half>();
              EXPECT_EQ(of_b.GetPhyAddr(), 1024U);
              b.FreeTensor(of_b);
              GoRound(a);
              left.Reset();
              again.InitBuffer(c, 4, 256);  // up to the end of what it shares
              LocalTensor<half> of_c = c.AllocTensor<half>();
              EXPECT_EQ(of_c.GetPhyAddr(), 0U);
              c.FreeTensor(of_c);
            }),
            "");
}

TEST(TBufPool, RefusesWhatDoesNotFit) {
  const auto with = [](const std::function<void(TPipe&, TBufPool<TPosition::VECCALC, 2>&)>& use) {
    return OnVector([&] {
      TPipe pipe;
      TBufPool<TPosition::VECCALC, 2> pool;
      pipe.InitBufPool(pool, 256);
      use(pipe, pool);
    });
  };
  ExpectSays(with([](auto&, auto& pool) {
               TBuf<TPosition::VECCALC> buffer;
               pool.InitBuffer(buffer, 257);
             }),
             "has 256 bytes left of 256, 288 are asked for");
  ExpectSays(with([](auto&, auto& pool) {
               TQue<TPosition::VECIN, 1> queue;
               pool.InitBuffer(queue, 3, 32);
             }),
             "holds 2 buffers, its bufIDSize");
  ExpectSays(with([](auto&, auto& pool) {
               TBuf<TPosition::A1> buffer;
               pool.InitBuffer(buffer, 32);
             }),
             "of a TBuf is to lie in L1, the pool lies in UB");
  ExpectSays(with([](auto& pipe, auto& pool) {
               TBufPool<TPosition::VECCALC> larger;
               pipe.InitBufPool(larger, 288, pool);
             }),
             "is 288, the pool to share with has 256 bytes");
  ExpectSays(with([](auto& pipe, auto& pool) {
               TBufPool<TPosition::A1> other;
               pipe.InitBufPool(other, 32, pool);
             }),
             "lies in UB, the pool is for L1");
  ExpectSays(OnVector([] {
               TBufPool<TPosition::VECCALC> pool;
               TBuf<TPosition::VECCALC> buffer;
               pool.InitBuffer(buffer, 32);
             }),
             "has no memory; call InitBufPool first");
  ExpectSays(with([](auto&, auto& pool) {
               TQue<TPosition::VECIN, 1> queue;
               pool.InitBuffer(queue, 1, 32);
               pool.Reset();
               queue.template AllocTensor<half>();
             }),
             "lost its buffers: its TPipe or pool was reset or destroyed");
}

// As a kernel writes a pool of its own: buffers from the end of the range downwards.
class OwnPool {
 public:
  template <class T>
  bool InitBuffer(T& queue, uint8_t num, uint32_t len) {
    TBufHandle handle = GetBufHandle(GetCurBufSize());
    uint32_t address = GetCurAddr();
    queue.InitStartBufHandle(handle, num, len);
    for (uint8_t i = 0; i < num; ++i) {
      queue.InitBufHandle(this, i, handle, address + 512 - len * (i + 1U), len);
    }
    SetCurBufSize(static_cast<uint8_t>(GetCurBufSize() + num));
    return true;
  }
  EXTERN_IMPL_BUFPOOL(OwnPool, TPosition::VECCALC, 16)
};

TEST(OwnPool, PlacesItsBuffersItself) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> before;
              OwnPool pool;
              TQue<TPosition::VECIN, 2> queue;
              pipe.InitBuffer(before, 128);
              pipe.InitBufPool(pool, 512);
              EXPECT_EQ(pool.GetCurAddr(), 128U);
              pool.InitBuffer(queue, 2, 64);
              EXPECT_EQ(pool.GetCurBufSize(), 2);
              LocalTensor<half> a = queue.AllocTensor<half>();
              LocalTensor<half> b = queue.AllocTensor<half>();
              EXPECT_EQ(a.GetPhyAddr(), 128U + 448);
              EXPECT_EQ(b.GetPhyAddr(), 128U + 384);
              EXPECT_EQ(b.GetSize(), 32U);
              queue.FreeTensor(a);
              queue.FreeTensor(b);
              pool.Reset();
              EXPECT_EQ(pipe.FetchEventID<HardEvent::V_MTE2>(), 0);
              pool.SetCurAddr(160);
              EXPECT_EQ(pool.GetCurAddr(), 160U);
            }),
            "");
  ExpectSays(OnVector([] {
               TPipe pipe;
               OwnPool pool;
               TQue<TPosition::VECIN, 2> queue;
               pipe.InitBufPool(pool, 256);
               pool.InitBuffer(queue, 1, 64);
             }),
             "bytes [448, 512) leave the pool's range [0, 256)");
}

TEST(TQue, OfBuffersThatTheKernelPlaces) {
  using AscendC::Std::make_tuple;
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 2> queue;
              pipe.InitBuffer(queue, make_tuple(1024, 64), make_tuple(32U, 96U), make_tuple(4096, 50));
              for (const auto& [address, elements] : {std::pair{1024U, 32U}, {32U, 48U}, {4096U, 25U}}) {
                LocalTensor<half> tensor = queue.AllocTensor<half>();
                EXPECT_EQ(tensor.GetPhyAddr(), address);
                EXPECT_EQ(tensor.GetSize(), elements);
                queue.FreeTensor(tensor);
              }
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 32);
              EXPECT_EQ(buffer.Get<half>().GetPhyAddr(), 0U);
            }),
            "");
  const auto at = [](uint32_t start, uint32_t length) {
    return OnVector([=] {
      TPipe pipe;
      TQue<TPosition::VECIN, 2> queue;
      pipe.InitBuffer(queue, make_tuple(start, length));
    });
  };
  ExpectSays(at(16, 32), "byte 16, length 32: the start must be a multiple of 32");
  ExpectSays(at(196576, 64), "bytes [196576, 196640) pass the end of UB");
}

TEST(TQue, OfDepth0KeepsItsFlags) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 0> queue;
              pipe.InitBuffer(queue, 2, 64);
              EXPECT_EQ(pipe.FetchEventID<HardEvent::MTE2_V>(), 2);
              EXPECT_EQ(pipe.FetchEventID<HardEvent::V_MTE2>(), 2);
              for (int i = 0; i < 5; ++i) {
                LocalTensor<half> first;
                LocalTensor<half> second;
                queue.AllocTensor<half>(first);
                queue.AllocTensor<half>(second);
                EXPECT_EQ(queue.GetState(second), TBufState::OCCUPIED);
                queue.EnQue(first);
                queue.EnQue(second);
                queue.DeQue<half>(first);
                EXPECT_EQ(first.GetPhyAddr(), 0U);
                queue.DeQue<half>(second);
                EXPECT_EQ(second.GetPhyAddr(), 64U);
                AscendC::Duplicate(second, half(1), 32);
                queue.FreeTensor(first);
                queue.FreeTensor(second);
                EXPECT_EQ(pipe.FetchEventID<HardEvent::MTE2_V>(), 2);
              }
            }),
            "");
}

TEST(TQue, OrdersASecondFillAtDepth0) {
  Gm<half> gm(32, half(1));
  const auto run = [&](bool with_queue) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TQue<TPosition::VECIN, 0> queue;
          pipe.InitBuffer(queue, 1, 64);
          LocalTensor<half> tensor;
          for (int i = 0; i < 2; ++i) {
            if (with_queue || i == 0) {
              queue.AllocTensor<half>(tensor);
            }
            AscendC::DataCopy(tensor, gm.tensor(), 32);
            if (with_queue) {
              queue.EnQue(tensor);
              queue.DeQue<half>(tensor);
            }
            AscendC::Adds(tensor, tensor, half(1), 32);
            if (with_queue || i == 1) {
              queue.FreeTensor(tensor);
            }
          }
        },
        {}, gm));
  };
  EXPECT_EQ(run(true), "");
  const std::string queue = " of the TQue at " + std::string(__FILE__) + ":";
  ExpectSays(run(false), "needs EnQue and DeQue" + queue);
  ExpectSays(run(false),
             ", which set and wait for MTE2_V (or SetFlag/WaitFlag<MTE2_V> where the tensor is not that "
             "queue's), between them");
}

// The bytes are of two queues' buffers, or of a queue's buffer and reached without the queue.
TEST(TQue, IsNotAdvisedAloneWhereATensorMayNotBeItsOwn) {
  Gm<half> gm(64, half(1));
  const auto load_and_add = [&](const LocalTensor<half>& loaded, const LocalTensor<half>& added) {
    AscendC::DataCopy(loaded, gm.tensor(), 32);
    AscendC::Adds(added, added, half(1), 32);
  };
  const auto of_shared_pools = [&](uint32_t second_bytes) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBufPool<TPosition::VECCALC> first_pool;
          TBufPool<TPosition::VECCALC> second_pool;
          TQue<TPosition::VECIN, 1> first;
          TQue<TPosition::VECIN, 1> second;
          pipe.InitBufPool(first_pool, 128);
          pipe.InitBufPool(second_pool, 128, first_pool);
          first_pool.InitBuffer(first, 1, 64);
          second_pool.InitBuffer(second, 1, second_bytes);
          LocalTensor<half> loaded = first.AllocTensor<half>();
          LocalTensor<half> added = second.AllocTensor<half>();
          load_and_add(loaded, added[0]);
          first.FreeTensor(loaded);
          second.FreeTensor(added);
        },
        {}, gm));
  };
  for (const uint32_t second_bytes : {64U, 128U}) {
    ExpectSays(of_shared_pools(second_bytes),
               "nothing orders the two: needs SetFlag/WaitFlag<MTE2_V> between");
    EXPECT_EQ(of_shared_pools(second_bytes).find("EnQue and DeQue"), std::string::npos);
  }
  ExpectSays(TextOf(RunOn(
                 [&] {
                   TPipe pipe;
                   TQue<TPosition::VECIN, 1> queue;
                   pipe.InitBuffer(queue, 1, 64, {.file = "kernel.cpp", .line = 10});
                   const LocalTensor<half> by_address(TPosition::VECIN, 0, 32);
                   load_and_add(by_address, by_address);
                 },
                 {}, gm)),
             "needs EnQue and DeQue of the TQue at kernel.cpp:10, which set and wait for MTE2_V (or "
             "SetFlag/WaitFlag<MTE2_V> where the tensor is not that queue's), between them");
}

TEST(TQueBind, TakesATensorThroughSeveralSteps) {
  using enum TPosition;
  Gm<half> x(32, half(1));
  Gm<half> y(32);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TQueBind<VECIN, VECOUT, 1> queue;
                  pipe.InitBuffer(queue, 1, 64);
                  LocalTensor<half> tensor = queue.AllocTensor<half>();
                  EXPECT_EQ(queue.GetState(tensor), TBufState::OCCUPIED);
                  AscendC::DataCopy(tensor, x.tensor(), 32);
                  queue.EnQue<GM, VECIN, half>(tensor);
                  tensor = queue.DeQue<GM, VECIN, half>();
                  AscendC::Adds(tensor, tensor, half(1), 32);
                  queue.EnQue<VECIN, VECCALC, half>(tensor);
                  EXPECT_EQ(queue.GetState(tensor), TBufState::ENQUE);
                  tensor = queue.DeQue<VECIN, VECCALC, half>();
                  EXPECT_EQ(queue.GetState(tensor), TBufState::DEQUE);
                  AscendC::Adds(tensor, tensor, half(1), 32);
                  queue.EnQue<VECOUT, GM, half>(tensor);
                  tensor = queue.DeQue<VECOUT, GM, half>();
                  AscendC::DataCopy(y.tensor(), tensor, 32);
                  queue.FreeTensor(tensor);
                  EXPECT_EQ(queue.GetState(tensor), TBufState::FREE);
                },
                {}, x, y)),
            "");
  EXPECT_EQ(static_cast<float>(y.data()[31]), 3.0F);
  ExpectSays(OnVector([] {
               TPipe pipe;
               TQueBind<VECIN, VECOUT, 1> queue;
               pipe.InitBuffer(queue, 1, 64);
               queue.EnQue<GM, VECIN, half>(queue.AllocTensor<half>(), {.file = "kernel.cpp", .line = 20});
               queue.DeQue<VECOUT, GM, half>();
             }),
             "[queue] queue: waits for V_MTE3, but the EnQue of its oldest tensor (kernel.cpp:20) has set "
             "MTE2_V; give DeQue the positions of EnQue");
}

TEST(TQue, GivesAndTakesHandles) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 2> queue;
              pipe.InitBuffer(queue, 2, 64);
              queue.EnQue(queue.AllocTensor<half>());
              queue.EnQue(queue.AllocTensor<half>());
              TBufHandle first = queue.DeQue();
              TBufHandle second = queue.DeQue();
              EXPECT_EQ(queue.GetBufferAddr(second).bufferAddr, 64U);
              EXPECT_EQ(queue.GetBufferAddr(second).dataLen, 64U);
              const LocalTensor<float> tensor(queue.GetBufferAddr(second));
              EXPECT_EQ(tensor.GetSize(), 16U);
              EXPECT_EQ(tensor.GetPosition(), static_cast<int32_t>(TPosition::VECIN));
              AscendC::Duplicate(tensor, 1.0F, 16);
              queue.EnQue(second);
              EXPECT_EQ(queue.DeQue(), second);
              queue.FreeBuffer(first);
              queue.FreeBuffer(second);
            }),
            "");
}

constexpr AscendC::TQueConfig kConfig = AscendC::GetTQueConfig(false, false, false, 64, 2);

TEST(TQue, KeepsToItsConfig) {
  const auto run = [](uint8_t count, uint32_t length) {
    return OnVector([=] {
      TPipe pipe;
      TQue<TPosition::VECIN, 2, &kConfig> queue;
      pipe.InitBuffer(queue, count, length);
    });
  };
  static_assert(AscendC::GetTQueConfig(4).scmBlockGroup && !AscendC::GetTQueConfig(4).nd2nz);
  EXPECT_EQ(run(2, 64), "");
  ExpectSays(run(1, 64), "is given 1 buffers of 64 B, but its TQueConfig says 2 of 64 B");
  ExpectSays(run(2, 32), "is given 2 buffers of 32 B");
}

TEST(TBuf, TakesAQueuesCallsAndOrdersNothing) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 64);
              LocalTensor<half> tensor = buffer.AllocTensor<half>();
              buffer.EnQue(tensor);
              EXPECT_EQ(buffer.DeQue<half>().GetPhyAddr(), tensor.GetPhyAddr());
              buffer.FreeTensor(tensor);
              EXPECT_EQ(buffer.Get<AscendC::int4b_t>(16).GetLength(), 8U);
            }),
            "");
}

TEST(TPipe, ResetWaitsAndStartsAnew) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 1> queue;
              pipe.AllocEventID<HardEvent::S_V>();
              for (int i = 0; i < 3; ++i) {
                pipe.InitBuffer(queue, 2, 64);
                GoRound(queue);
                GoRound(queue);
                AscendC::SetMaskCount();
                pipe.Reset();
                EXPECT_FALSE(AscendC::simulator::ThisCore().registers().vector.counter);
                EXPECT_EQ(pipe.FetchEventID<HardEvent::V_MTE2>(), 0);
                EXPECT_EQ(pipe.FetchEventID<HardEvent::S_V>(), 0);
              }
            }),
            "");
  EXPECT_EQ(FaultsOf([] {
              TPipe pipe;
              pipe.Reset();
              EXPECT_EQ(pipe.FetchEventID<HardEvent::M_MTE1>(), 3);
            }),
            "");
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 1> queue;
              pipe.InitBuffer(queue, 1, 64);
              GoRound(queue);
              pipe.DestroyWithoutPipeAll();
              EXPECT_EQ(pipe.FetchEventID<HardEvent::V_MTE2>(), 0);
            }),
            "");
}

TEST(TPipe, TwoAliveWhoseBuffersOverlapAreAFault) {
  const auto run = [](uint32_t first, uint32_t second, bool destroy) {
    return OnVector([=] {
      TPipe outer({.file = "kernel.cpp", .line = 3});
      TBuf<TPosition::VECCALC> a;
      if (first != 0) {
        outer.InitBuffer(a, first);
      }
      if (destroy) {
        outer.Destroy();
      }
      TPipe inner;
      TBuf<TPosition::VECCALC> b;
      inner.InitBuffer(b, second);
      inner.InitBuffer(b, second);
    });
  };
  const std::string text = run(64, 32, false);
  ExpectSays(
      text,
      "lies from byte 0 of UB, where buffers of the TPipe at kernel.cpp:3 lie, which is alive still and "
      "holds bytes [0, 64)");
  EXPECT_EQ(text.find("lies from byte 32"), std::string::npos) << text;
  EXPECT_EQ(run(64, 32, true), "");
  EXPECT_EQ(run(0, 32, false), "");
}

TEST(TPipe, GivesAbsoluteAddresses) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 1024);
              const auto tensor = pipe.GetAbsAddr<TPosition::VECIN, half>(64, 32);
              EXPECT_EQ(tensor.GetPhyAddr(), 64U);
              EXPECT_EQ(tensor.GetSize(), 32U);
              EXPECT_EQ(pipe.GetAbsAddr(tensor), 64U);
              const AscendC::TBuffAddr at = pipe.GetAbsAddr<TPosition::VECIN>(96, 64);
              EXPECT_EQ(LocalTensor<half>(at).GetPhyAddr(), 96U);
              EXPECT_EQ(at.dataLen, 64U);
              tensor.SetValue(1, half(5));
              const uint8_t* host = pipe.GetBaseAddr(static_cast<int8_t>(TPosition::VECIN));
              EXPECT_EQ(static_cast<float>(reinterpret_cast<const half*>(host + 64)[1]), 5.0F);
              LocalTensor<float> rest;
              EXPECT_TRUE((AscendC::PopStackBuffer<float, TPosition::LCM>(rest)));
              EXPECT_EQ(rest.GetPhyAddr(), 1024U);
              EXPECT_EQ(rest.GetSize(), (196608U - 1024) / 4);
              AscendC::Duplicate(rest, 0.0F, 8);
            }),
            "");
  ExpectSays(OnVector([] {
               TPipe pipe;
               pipe.GetAbsAddr<TPosition::VECIN, float>(196600, 8);
             }),
             "bytes [196600, 196632) pass the end of UB at 196608");
}

TEST(TPipe, CopiesToSpmAndBack) {
  Gm<float> workspace(64, 0.0F);
  Gm<float> out(32);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 256);
                  LocalTensor<float> a = buffer.GetWithOffset<float>(32, 0);
                  LocalTensor<float> b = buffer.GetWithOffset<float>(32, 128);
                  pipe.InitSpmBuffer(workspace.tensor(), 256);
                  pipe.InitSpmBuffer(256);
                  AscendC::Duplicate(a, 3.0F, 32);
                  pipe.WriteSpmBuffer(a, 32, 128);
                  AscendC::Duplicate(a, 4.0F, 32);
                  pipe.WriteSpmBuffer(a, AscendC::DataCopyParams(1, 4, 0, 0));
                  const uint32_t extents[] = {4, 8};
                  b.SetShapeInfo(AscendC::ShapeInfo(2, extents));
                  AscendC::PipeBarrier<PIPE_ALL>();
                  pipe.ReadSpmBuffer(b, 0, 128);
                  AscendC::Adds(b, b, 1.0F, 32);
                  AscendC::PipeBarrier<PIPE_ALL>();
                  AscendC::DataCopy(out.tensor(), b, 32);
                },
                {}, workspace, out)),
            "");
  EXPECT_EQ(workspace.data()[31], 4.0F);
  EXPECT_EQ(workspace.data()[32], 3.0F);
  EXPECT_EQ(out.data(), std::vector<float>(32, 4.0F));
  ExpectSays(OnVector([] {
               TPipe pipe;
               TBuf<TPosition::VECCALC> buffer;
               pipe.InitBuffer(buffer, 256);
               pipe.WriteSpmBuffer(buffer.Get<float>(), 8);
             }),
             "has no SPM; call InitSpmBuffer first");
}

TEST(Workspace, PointersAreWhatWasTold) {
  EXPECT_EQ(OnVector([] {
              uint8_t bytes[2];
              EXPECT_EQ(AscendC::GetSysWorkSpacePtr(), nullptr);
              AscendC::SetSysWorkspace(bytes);
              AscendC::SetSysWorkspace(bytes + 1);
              EXPECT_EQ(AscendC::GetSysWorkSpacePtr(), bytes);
              AscendC::SetSysWorkspaceForce(bytes + 1);
              EXPECT_EQ(AscendC::GetSysWorkSpacePtr(), bytes + 1);
              SetSysWorkSpacePtr(bytes);
              EXPECT_EQ(AscendC::GetSysWorkSpacePtr(), bytes);
              EXPECT_EQ(AscendC::GetUserWorkspace(bytes), bytes);
              AscendC::SetHcclContext<1>(bytes);
              EXPECT_EQ(AscendC::GetHcclContext<1>(), bytes);
              EXPECT_EQ(AscendC::GetHcclContext<0>(), nullptr);
            }),
            "");
}

}  // namespace
}  // namespace tilesim
