// CastDequant, CastDeq, AddDeqRelu, SetDeqScale and the bits of CTRL as kernels call them.
#include <cmath>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

// Calls f(tensor of 64 KiB) in a kernel; its faults.
std::string On(const std::function<void(const LocalTensor<uint8_t>&)>& f, const RunMode& mode = {}) {
  return FaultsOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 96 * 1024);
        f(buffer.Get<uint8_t>());
      },
      mode);
}

template <class T>
void DequantsInEveryForm() {
  EXPECT_EQ(On([](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<int16_t> src = ub.ReinterpretCast<int16_t>();
              const LocalTensor<T> dst = ub[16384].ReinterpretCast<T>();
              const LocalTensor<uint64_t> vdeq = ub[32768].ReinterpretCast<uint64_t>();
              ArithProgression(src, int16_t{0}, int16_t{1}, 512);
              constexpr bool kSigned = std::is_signed_v<T>;
              const auto clear = [&] {
                Duplicate(dst.template ReinterpretCast<uint16_t>(), uint16_t{0x0909}, 512);
              };
              const auto expect = [&](uint32_t block, uint32_t i, int upper, int value, int other) {
                EXPECT_EQ(dst.GetValue(block * 32 + upper * 16 + i), static_cast<T>(value))
                    << block << " " << i;
                EXPECT_EQ(dst.GetValue(block * 32 + (1 - upper) * 16 + i), static_cast<T>(other))
                    << block << " " << i;
              };
              SetDeqScale(0.5F, int16_t{3}, kSigned);
              clear();
              CastDequant<T, int16_t, false, true>(dst, src, uint32_t{40});
              expect(0, 2, 1, 4, 0);
              expect(2, 7, 1, 22, 0);  // 39 / 2 to even is 20 - 19.5 + 3 = 22.5
              expect(2, 8, 1, 9, 9);
              clear();
              CastDeq<T, int16_t, false, false>(dst, src, uint32_t{40});
              expect(2, 2, 0, 20, 0);
              clear();
              const uint64_t bits[2] = {0xFFFF, 1};
              CastDequant<T, int16_t, true, false, false>(dst, src, bits, 2, UnaryRepeatParams(2, 1, 16, 8));
              expect(0, 6, 0, 6, 0);
              expect(8, 0, 0, 35, 0);
              expect(8, 1, 0, 9, 9);
              expect(16, 4, 0, 69, 0);
              clear();
              CastDeq<T, int16_t, true, false, true>(dst, src, int32_t{17}, 1, UnaryRepeatParams());
              expect(1, 0, 1, 11, 0);
              expect(1, 1, 1, 9, 9);
              clear();
              SetVectorMask<int16_t>(0, 1);
              CastDeq<T, int16_t, false, false, true>(dst, src, int32_t{0}, 1, UnaryRepeatParams());
              expect(0, 0, 1, 3, 0);
              expect(0, 1, 1, 9, 9);
              ResetMask();

              VdeqInfo info;
              for (int i = 0; i < 16; ++i) {
                info.vdeqScale[i] = static_cast<float>(i);
                info.vdeqOffset[i] = static_cast<int16_t>(-i);
                info.vdeqSignMode[i] = kSigned;
              }
              SetDeqScale<uint64_t>(vdeq, VdeqInfo(info.vdeqScale, info.vdeqOffset, info.vdeqSignMode));
              PipeBarrier<PIPE_ALL>();
              CastDequant<T, int16_t>(dst, src, uint32_t{32});
              expect(0, 5, 1, 20, 0);
              expect(1, 3, 1, 54, 0);
              expect(1, 15, 1, kSigned ? 127 : 255, 0);
            }),
            "");
}

TEST(VectorDequantForms, CastDequantPacksBytes) {
  DequantsInEveryForm<int8_t>();
  DequantsInEveryForm<uint8_t>();
}

TEST(VectorDequantForms, CastDequantScalesInt32) {
  EXPECT_EQ(On([](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<int32_t> src = ub.ReinterpretCast<int32_t>();
              const LocalTensor<half> dst = ub[16384].ReinterpretCast<half>();
              ArithProgression(src, 0, 3, 200);
              SetDeqScale(half(0.25F));
              CastDequant<half, int32_t>(dst, src, uint32_t{200});
              EXPECT_EQ(float(dst.GetValue(199)), 149.25F);
              CastDeq<half, int32_t, true, false, false>(dst[512], src, int32_t{5}, 2,
                                                         UnaryRepeatParams(1, 1, 4, 8));
              EXPECT_EQ(float(dst.GetValue(512 + 64 + 4)), 51.0F);
              SetDeqScale(1.0F, int16_t{0}, true);
              CastDequant<half, int32_t>(dst, src, uint32_t{8});
            }).find("int32 to fp16 needs a scale") != std::string::npos,
            true);
}

TEST(VectorDequantForms, RefusesByName) {
  ExpectSays(On([](const LocalTensor<uint8_t>& ub) {
               CastDequant<half, int16_t>(ub.ReinterpretCast<half>(), ub[1024].ReinterpretCast<int16_t>(),
                                          uint32_t{16});
             }),
             "there is no CastDequant from int16 to fp16");
  ExpectSays(On([](const LocalTensor<uint8_t>&) { SetDeqScale(1.0F, int16_t{256}, true); }),
             "offset = 256, must be in [-256, 255]");
  // the scalar unit's words of vdeq, which nothing tells V to wait for
  ExpectSays(On(
                 [](const LocalTensor<uint8_t>& ub) {
                   Duplicate(ub.ReinterpretCast<int16_t>(), int16_t{1}, 128);
                   PipeBarrier<PIPE_ALL>();
                   VdeqInfo info;
                   for (bool& sign : info.vdeqSignMode) {
                     sign = true;
                   }
                   SetDeqScale(ub[4096].ReinterpretCast<uint64_t>(), info);
                   CastDequant<int8_t, int16_t>(ub[8192].ReinterpretCast<int8_t>(),
                                                ub.ReinterpretCast<int16_t>(), uint32_t{16});
                   PipeBarrier<PIPE_ALL>();
                 },
                 {.strict_sync = true}),
             "vdeq");
}

float DeqRelu(int32_t a, int32_t b, float scale) {
  float value = static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)));
  value *= 0x1p-17F;
  value *= scale;
  value *= 0x1p17F;
  const float rounded = float(half(value > 65504 ? 65504 : value));
  return rounded > 0 ? rounded : 0.0F;
}

int32_t Left(uint32_t i) { return static_cast<int32_t>(i * 7919U % 40009U) - 20000; }
int32_t Right(uint32_t i) { return static_cast<int32_t>(i * 104729U % 30011U) - 15000; }
void PutSources(const LocalTensor<int32_t>& a, const LocalTensor<int32_t>& b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    a.SetValue(i, Left(i));
    b.SetValue(i, Right(i));
  }
  PipeBarrier<PIPE_ALL>();
}

TEST(VectorDequantForms, AddDeqReluOfACount) {
  EXPECT_EQ(On(
                [](const LocalTensor<uint8_t>& ub) {
                  constexpr uint32_t kCount = 2048 + 100;
                  const LocalTensor<int32_t> a = ub.ReinterpretCast<int32_t>();
                  const LocalTensor<int32_t> b = a[4096];
                  const LocalTensor<half> dst = ub[65536].ReinterpretCast<half>();
                  PutSources(a, b, kCount);
                  Duplicate(dst, half(-1.0F), 4096);
                  SetDeqScale(half(0.3F));
                  SetDeqScale(9.0F, int16_t{0}, true);  // does not count
                  AddDeqRelu(dst, a, b, static_cast<int32_t>(kCount));
                  PipeBarrier<PIPE_ALL>();
                  for (uint32_t i = 0; i <= kCount; ++i) {
                    const float expected =
                        i == kCount ? -1.0F : DeqRelu(Left(i), Right(i), float(half(0.3F)));
                    ASSERT_EQ(float(dst.GetValue(i)), expected) << i;
                  }
                },
                {.strict_sync = true}),
            "");
}

template <class Call>
void AddDeqReluByMask(uint64_t mask, uint8_t repeats, const Call& call) {
  EXPECT_EQ(On([&](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<int32_t> a = ub.ReinterpretCast<int32_t>();
              const LocalTensor<int32_t> b = a[8192];
              const LocalTensor<half> dst = ub[65536].ReinterpretCast<half>();
              const uint32_t lanes = uint32_t{repeats} * 64;
              PutSources(a, b, lanes);
              Duplicate(dst, half(-1.0F), 8192);
              SetDeqScale(half(2.0F));
              call(dst, a, b);
              PipeBarrier<PIPE_ALL>();
              for (uint32_t i = 0; i < lanes; ++i) {
                const bool on = (mask >> (i % 64) & 1) != 0;
                const uint32_t place = i / 64 * 80 + i % 64;  // repeats of 5 blocks
                const uint32_t src = i / 64 * 64 + i % 64;
                ASSERT_EQ(float(dst.GetValue(place)), on ? DeqRelu(Left(src), Right(src), 2.0F) : -1.0F) << i;
              }
            }),
            "");
}

TEST(VectorDequantForms, AddDeqReluOfAMask) {
  const BinaryRepeatParams params(1, 1, 1, 5, 8, 8);
  uint64_t bits[2] = {0xFF00'0000'1234'5671, 0};
  AddDeqReluByMask(bits[0], 35,
                   [&](auto& dst, auto& a, auto& b) { AddDeqRelu(dst, a, b, bits, 35, params); });
  AddDeqReluByMask(0x1FF, 2, [&](auto& dst, auto& a, auto& b) {
    AddDeqRelu<half, int32_t>(dst, a, b, uint64_t{9}, 2, params);
  });
  AddDeqReluByMask(0x3FF, 2, [&](auto& dst, auto& a, auto& b) {
    SetVectorMask<int32_t>(0, 0x3FF);
    AddDeqRelu<false>(dst, a, b, uint64_t{0}, 2, params);
    Duplicate<half, false>(dst[4096], half(7.0F), uint64_t{0}, 1, 1, 8);  // all lanes are on again
    EXPECT_EQ(float(dst.GetValue(4096 + 127)), 7.0F);
  });
}

TEST(VectorDequantForms, AddDeqReluSaysWhatItNeeds) {
  const auto call = [](bool scale, bool counter) {
    return On([=](const LocalTensor<uint8_t>& ub) {
      const LocalTensor<int32_t> a = ub.ReinterpretCast<int32_t>();
      Duplicate(a, 1, 1024);
      if (scale) {
        SetDeqScale(half(1.0F));
      }
      if (counter) {
        SetMaskCount();
      }
      AddDeqRelu(ub[65536].ReinterpretCast<half>(), a, a[512], uint64_t{64}, 1, BinaryRepeatParams());
    });
  };
  EXPECT_EQ(call(true, false), "");
  ExpectSays(call(false, false), "AddDeqRelu scales by what SetDeqScale(half) set last");
  ExpectSays(call(true, true), "call SetMaskNorm first");
}

TEST(VectorControl, BitsOfCtrl) {
  EXPECT_EQ(On([](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<float> src = ub.ReinterpretCast<float>();
              const LocalTensor<int16_t> dst = ub[4096].ReinterpretCast<int16_t>();
              Duplicate(src, 65537.0F, 64);
              Cast(dst, src, RoundMode::CAST_RINT, 64);
              EXPECT_EQ(dst.GetValue(0), 32767);
              EXPECT_TRUE(GetSaturationFlag<SaturationMode::CAST>());
              SetSaturationFlag<SaturationMode::CAST>(false);
              EXPECT_FALSE(GetSaturationFlag<SaturationMode::CAST>());
              Cast(dst, src, RoundMode::CAST_RINT, 64);
              EXPECT_EQ(dst.GetValue(0), 1);
              EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_RINT>(0x1p32F)), 0);
              SetCastOverflowMode<false>();
              EXPECT_TRUE(GetSaturationFlag<SaturationMode::CAST>());
              SetCastOverflowMode<true>();
              EXPECT_FALSE(GetSaturationFlag<SaturationMode::CAST>());

              SetCtrlSpr<48, 48>(1);
              EXPECT_EQ((GetCtrlSpr<48, 48>()), 1);
              EXPECT_FALSE(GetSaturationFlag<SaturationMode::FLOAT>());
              EXPECT_TRUE(std::isinf(float(Cast<float, half, RoundMode::CAST_RINT>(1e9F))));
              SetCtrlSpr<48, 48>(0);
              EXPECT_EQ((GetCtrlSpr<48, 48>()), 0);
              EXPECT_EQ(float(Cast<float, half, RoundMode::CAST_ODD>(1e9F)), 65504.0F);
              SetLreluMode(true);
            }),
            "");
  ExpectSays(On([](const LocalTensor<uint8_t>&) { SetCtrlSpr<48, 48>(2); }), "value = 2, must be in [0, 1]");
}

TEST(ScalarCasts, OfSingleValues) {
  EXPECT_EQ(On([](const LocalTensor<uint8_t>&) {
              EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_CEIL>(1.25F)), 2);
              EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_FLOOR>(-1.25F)), -2);
              EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(2.5F)), 3);
              EXPECT_EQ((Cast<float, int32_t, RoundMode::CAST_RINT>(2.5F)), 2);
              EXPECT_EQ((Cast<float, half, RoundMode::CAST_ODD>(1.0F + 0x1p-20F).bits), 0x3c01);
              EXPECT_EQ(Cast(1.00390625F).bits, 0x3f80);  // between two, to even
              EXPECT_EQ(Cast(bfloat16_t(3.0F)), 3.0F);
              EXPECT_EQ(ToFloat(ToBfloat16(-2.0F)), -2.0F);
            }),
            "");
}

}  // namespace
}  // namespace tilesim
