// Tensors without a TPipe: static tensors, LocalMemAllocator, InitSocState; and what tensors carry.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::Hardware;
using AscendC::int4b_t;
using AscendC::LocalMemAllocator;
using AscendC::LocalTensor;
using AscendC::ShapeInfo;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

TEST(StaticTensor, AKernelWithoutTPipeComputes) {
  Gm<float> x(256, 1.5F);
  Gm<float> y(256, 0.0F);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  AscendC::InitSocState();
                  LocalMemAllocator<Hardware::UB> ub;
                  LocalTensor<float> a = ub.Alloc<float, 256>();
                  LocalTensor<float> b = ub.Alloc<TPosition::VECOUT, float>(256);
                  EXPECT_EQ(b.GetPhyAddr(), 1024U);
                  EXPECT_EQ(ub.GetCurAddr(), 2048U);
                  AscendC::DataCopy(a, x.tensor(), 256);
                  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
                  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
                  AscendC::Adds(b, a, 2.0F, 256);
                  AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
                  AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
                  AscendC::DataCopy(y.tensor(), b, 256);
                },
                {}, x, y)),
            "");
  EXPECT_EQ(y.data(), std::vector<float>(256, 3.5F));
}

TEST(StaticTensor, ItsSizeIsNominalAndOnlyTheMemoryEnds) {
  const auto fill = [](uint32_t address, int32_t count) {
    return OnVector([=] {
      const LocalTensor<float> tensor(TPosition::VECCALC, address, 8);
      EXPECT_EQ(tensor.GetSize(), 8U);
      AscendC::Duplicate(tensor, 1.0F, count);
    });
  };
  EXPECT_EQ(fill(0, 64), "");
  EXPECT_EQ(fill(196608 - 256, 64), "");
  ExpectSays(fill(196608 - 224, 64), "pass the end of the memory at 196608 by 32 bytes");
}

TEST(StaticTensor, RefusesPlacesThatAreNone) {
  ExpectSays(OnVector([] { LocalTensor<half>(TPosition::VECIN, 16, 16); }),
             "addr: is 16, which is no multiple of 32");
  ExpectSays(OnVector([] { LocalTensor<half>(TPosition::VECIN, 32, 17); }),
             "tileSize: makes 34 bytes, which are no multiple of 32");
  ExpectSays(OnVector([] { LocalTensor<half>(TPosition::VECIN, 196576, 32); }),
             "bytes [196576, 196640) pass the end of UB at 196608 by 32");
  ExpectSays(OnVector([] { LocalTensor<half>(TPosition::GM, 0, 16); }), "names no memory of a core");
  ExpectSays(OnVector([] { LocalTensor<half>(TPosition::VECIN, 16, 16); }), "static_tensor_test.cpp:");
}

TEST(LocalMemAllocator, PlacesTensorsOneBehindTheOtherInEachMemory) {
  EXPECT_EQ(FaultsOf([] {
              const auto is = [](const auto& tensor, TPosition position, uint64_t address, uint32_t size) {
                EXPECT_EQ(tensor.GetPosition(), static_cast<int32_t>(position));
                EXPECT_EQ(tensor.GetPhyAddr(), address);
                EXPECT_EQ(tensor.GetSize(), size);
              };
              LocalMemAllocator<Hardware::L1> l1;
              is(l1.Alloc<half, 64>(), TPosition::A1, 0, 64);
              is(l1.Alloc<TPosition::B1, half, 32>(), TPosition::B1, 128, 32);
              is(l1.Alloc<float>(8), TPosition::A1, 192, 8);
              is(l1.Alloc<TPosition::C1, int8_t>(32), TPosition::C1, 224, 32);
              is(l1.Alloc<int4b_t>(64), TPosition::A1, 256, 64);
              EXPECT_EQ(l1.GetCurAddr(), 288U);
              is(LocalMemAllocator<>().Alloc<bool>(32), TPosition::VECCALC, 0, 32);
              is(LocalMemAllocator<Hardware::L0A>().Alloc<half>(256), TPosition::A2, 0, 256);
              is(LocalMemAllocator<Hardware::L0B>().Alloc<half>(256), TPosition::B2, 0, 256);
              is(LocalMemAllocator<Hardware::L0C>().Alloc<float>(256), TPosition::CO1, 0, 256);
              is(LocalMemAllocator<Hardware::BIAS>().Alloc<float>(16), TPosition::C2, 0, 16);
              is(LocalMemAllocator<Hardware::FIXBUF>().Alloc<uint64_t>(16), TPosition::C2PIPE2GM, 0, 16);
            }),
            "");
  ExpectSays(OnVector([] {
               LocalMemAllocator<Hardware::UB> ub;
               ub.Alloc<float>(196608 / 4);
               ub.Alloc<float>(8);
             }),
             "pass the end of UB at 196608 by 32");
}

TEST(InitSocState, GivesTheRegistersBack) {
  const auto check = [](bool by_call) {
    return OnVector([=] {
      AscendC::SetAtomicAdd<float>();
      AscendC::SetMaskCount();
      AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(0, 3);
      if (by_call) {
        AscendC::InitSocState();
      } else {
        TPipe pipe;
      }
      const CoreRegisters& registers = AscendC::simulator::ThisCore().registers();
      EXPECT_EQ(registers.atomic, AtomicOp::kNone);
      EXPECT_FALSE(registers.vector.counter);
      EXPECT_EQ(registers.vector.mask_low, ~uint64_t{0});
      EXPECT_EQ(registers.vector.mask_high, ~uint64_t{0});
    });
  };
  EXPECT_EQ(check(true), "");
  EXPECT_EQ(check(false), "");
  EXPECT_EQ(FaultsOf([] {
              AscendC::simulator::ThisCore().registers().pad_bits = 7;
              AscendC::InitSocState();
              EXPECT_EQ(AscendC::simulator::ThisCore().registers().pad_bits, 0u);
            }),
            "");
}

TEST(LocalTensor, APartIsSmallerByItsOffset) {
  EXPECT_EQ(OnVector([] {
              LocalTensor<float> tensor(TPosition::VECCALC, 64, 16);
              EXPECT_EQ(tensor[4].GetSize(), 12U);
              EXPECT_EQ(tensor[4].GetPhyAddr(), 80U);
              EXPECT_EQ(tensor[4].GetPhyAddr(2), 88U);
              EXPECT_EQ(tensor[16].GetSize(), 0U);
              EXPECT_EQ(tensor[20].GetSize(), 0U);
              EXPECT_EQ(tensor[4].ReinterpretCast<half>().GetSize(), 24U);
              EXPECT_EQ(tensor[4].ReinterpretCast<bool>().GetSize(), 48U);
              tensor.SetSize(4);
              EXPECT_EQ(tensor.GetLength(), 16U);
              tensor.SetBufferLen(64);
              EXPECT_EQ(tensor.GetSize(), 16U);
              LocalTensor<half> other(TPosition::VECIN, 1024, 16);
              tensor.SetAddrWithOffset(other, 16);
              EXPECT_EQ(tensor.GetPhyAddr(), 1056U);
              EXPECT_EQ(tensor.GetSize(), 16U);
              EXPECT_EQ(tensor.GetPosition(), static_cast<int32_t>(TPosition::VECIN));
            }),
            "");
}

template <class T>
void ComputeWithElements() {
  const LocalTensor<T> t(TPosition::VECCALC, 0, 64);
  t(1) = T(6);
  t(2) = T(3);
  t(3) = t(1) - t(2);
  t(4) = t(1) * T(2);
  t(5) = 2 * t(2);
  t(1) += t(2);
  t(2) -= 1;
  t(4) /= T(4);
  t(5) *= T(2);
  T value = -t(5);
  EXPECT_EQ(static_cast<float>(t(1)), 9.0F);
  EXPECT_EQ(static_cast<float>(t(2)), 2.0F);
  EXPECT_EQ(static_cast<float>(t(3)), 3.0F);
  EXPECT_EQ(static_cast<float>(t(4)), 3.0F);
  EXPECT_EQ(static_cast<float>(t(5)), 12.0F);
  EXPECT_EQ(static_cast<float>(value), -12.0F);
  EXPECT_TRUE(t(3) == t(4) && t(1) > t(2) && t(2) < T(3) && t(5) >= 12 && t(1) != t(5) && 2 <= t(2));
}

TEST(LocalTensor, ItsElementsComputeAsNumbersOfTheirTypeDo) {
  EXPECT_EQ(OnVector([] {
              const LocalTensor<half> halves(TPosition::VECCALC, 512, 16);
              const LocalTensor<float> floats(TPosition::VECCALC, 544, 16);
              const LocalTensor<int32_t> whole(TPosition::VECCALC, 608, 16);
              halves(0) = half(1.5F);
              floats(0) = 0.25F;
              whole(0) = 7;
              EXPECT_EQ(halves(0) * floats(0), 0.375F);
              EXPECT_EQ(halves(0) + whole(0), 8.5F);
              EXPECT_EQ(static_cast<int32_t>(halves(0)), 1);
              EXPECT_EQ(whole(0)++, 7);
              EXPECT_EQ(--whole(0), 7);
              whole(0) %= 4;
              whole(0) <<= 2;
              EXPECT_EQ(whole(0), 12);
              ComputeWithElements<float>();
              ComputeWithElements<half>();
              ComputeWithElements<bfloat16_t>();
              ComputeWithElements<int32_t>();
            }),
            "");
}

TEST(LocalTensor, OfInt4CountsHalfBytes) {
  EXPECT_EQ(OnVector([] {
              const LocalTensor<uint8_t> bytes(TPosition::VECCALC, 32, 32);
              const LocalTensor<int4b_t> fours = bytes.ReinterpretCast<int4b_t>();
              EXPECT_EQ(fours.GetSize(), 64U);
              EXPECT_EQ(fours.GetLength(), 32U);
              EXPECT_EQ(fours[8].GetPhyAddr(), 36U);
              EXPECT_EQ(fours[8].GetSize(), 56U);
              EXPECT_EQ(fours.GetPhyAddr(6), 35U);
              EXPECT_EQ(fours.ReinterpretCast<half>().GetSize(), 16U);
              bytes.SetValue(1, 0xA5);
              EXPECT_EQ(static_cast<int8_t>(fours.GetValue(2)), 5);
              EXPECT_EQ(static_cast<int8_t>(fours.GetValue(3)), -6);
              fours.SetValue(3, int4b_t(7));
              EXPECT_EQ(bytes.GetValue(1), 0x75);
              fours.SetValue(2, -1);
              EXPECT_EQ(bytes.GetValue(1), 0x7F);
            }),
            "");
  ExpectSays(OnVector([] { LocalTensor<int4b_t>(TPosition::VECCALC, 0, 64)[3]; }),
             "is 3 elements of int4b_t, of which two make a byte; use an even number");
}

TEST(LocalTensor, ItsTagGoesWithTheQueuesBuffer) {
  EXPECT_EQ(OnVector([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 2> queue;
              pipe.InitBuffer(queue, 2, 32);
              LocalTensor<half> a = queue.AllocTensor<half>();
              LocalTensor<half> b = queue.AllocTensor<half>();
              EXPECT_EQ(a.GetUserTag(), -1);
              a.SetUserTag(7);
              EXPECT_EQ(b.GetUserTag(), -1);
              queue.EnQue(a);
              queue.EnQue(b);
              LocalTensor<float> c = queue.DeQue<float>();
              EXPECT_EQ(c.GetUserTag(), 7);
              LocalTensor<float> d = queue.DeQue<float>();
              EXPECT_EQ(d.GetUserTag(), -1);
              queue.FreeTensor(c);
              queue.FreeTensor(d);
              LocalTensor<half> still(TPosition::VECCALC, 64, 16);
              EXPECT_EQ(still.GetUserTag(), -1);
              still.SetUserTag(3);
              EXPECT_EQ(still[8].GetUserTag(), 3);
            }),
            "");
}

TEST(Tensors, CarryTheirShape) {
  EXPECT_EQ(OnVector([] {
              const uint32_t extents[] = {2, 3, 4};
              const uint32_t original[] = {24};
              LocalTensor<half> tensor(TPosition::VECCALC, 0, 32);
              EXPECT_EQ(tensor.GetShapeInfo().shapeDim, 0);
              tensor.SetShapeInfo(ShapeInfo(3, extents, 1, original, AscendC::DataFormat::NZ));
              const ShapeInfo info = tensor[8].GetShapeInfo();
              EXPECT_EQ(AscendC::GetShapeSize(info), 24U);
              EXPECT_EQ(info.shape[2], 4U);
              EXPECT_EQ(info.originalShapeDim, 1);
              EXPECT_EQ(info.originalShape[0], 24U);
              EXPECT_EQ(info.dataFormat, AscendC::DataFormat::NZ);
              GlobalTensor<half> gm;
              gm.SetShapeInfo(ShapeInfo(2, extents));
              EXPECT_EQ(AscendC::GetShapeSize(gm.GetShapeInfo()), 6U);
              EXPECT_EQ(gm.GetShapeInfo().originalShape[1], 3U);
              EXPECT_EQ(gm.GetShapeInfo().dataFormat, AscendC::DataFormat::ND);
              EXPECT_EQ(AscendC::GetShapeSize(tensor.GetShapeInfo()), 24U);
              gm.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
              gm.SetL2CacheHint<AscendC::CacheRwMode::READ>(AscendC::CacheMode::CACHE_MODE_NORMAL);
            }),
            "");
  ExpectSays(OnVector([] {
               const uint32_t extents[9] = {};
               ShapeInfo(9, extents);
             }),
             "shapeDim: is 9, allowed 0..8");
}

TEST(LocalTensor, PrintsAndGoesIntoAFile) {
  const std::string file = testing::TempDir() + "static_tensor_test.bin";
  testing::internal::CaptureStdout();
  EXPECT_EQ(FaultsOf(
                [&] {
                  if (AscendC::simulator::ThisCore().identity().sub_block != 0) {
                    return;
                  }
                  LocalTensor<int32_t> tensor(TPosition::VECCALC, 32, 16);
                  for (int i = 0; i < 16; ++i) {
                    tensor.SetValue(static_cast<uint32_t>(i), i * i - 1);
                  }
                  tensor.Print(10);
                  tensor[14].ReinterpretCast<half>().Print(1);
                  EXPECT_EQ(tensor[1].ToFile(file), 0);
                },
                KernelType::kAivOnly),
            "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[0] -1 0 3 8 15 24 35 48\n[8] 63 80\n[0] 1.16229e-05\n");
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  ASSERT_EQ(bytes.size(), 60U);
  EXPECT_EQ(bytes[4], 3);
  std::remove(file.c_str());
  ExpectSays(FaultsOf([] { LocalTensor<half>(TPosition::A2, 0, 256).Print(); }),
             "is in L0A, whose bytes cannot be shown");
}

}  // namespace
}  // namespace tilesim
