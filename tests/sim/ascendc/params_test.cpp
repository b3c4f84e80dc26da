// Tensors and parameter structs: constructors, field order, defaults.
#include <cstddef>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

// Fields stand in the documented order.
template <class Struct, class... Fields>
bool InOrder(Fields Struct::*... fields) {
  static Struct object;
  const std::byte* last = nullptr;
  bool ordered = true;
  const auto next = [&](const void* field) {
    ordered = ordered && (last == nullptr || last < field);
    last = static_cast<const std::byte*>(field);
  };
  (next(&(object.*fields)), ...);
  return ordered;
}

TEST(Params, DataCopy) {
  using P = DataCopyParams;
  EXPECT_TRUE(InOrder(&P::blockCount, &P::blockLen, &P::srcStride, &P::dstStride));
  EXPECT_EQ(P().blockCount, 1);
  EXPECT_EQ(P().blockLen, 0);
  P params{1, 2, 3, 4};
  EXPECT_EQ(params.blockLen, 2);
  EXPECT_EQ(params.srcGap, 3);
  params.dstGap = 9;
  EXPECT_EQ(params.dstStride, 9);  // two names of one field
}

TEST(Params, Nd2Nz) {
  using P = Nd2NzParams;
  EXPECT_TRUE(InOrder(&P::ndNum, &P::nValue, &P::dValue, &P::srcNdMatrixStride, &P::srcDValue,
                      &P::dstNzC0Stride, &P::dstNzNStride, &P::dstNzMatrixStride));
  const P params{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(params.srcDValue, 5);
  EXPECT_EQ(params.dstNzMatrixStride, 8);
}

TEST(Params, InitConstValue) {
  using P = InitConstValueParams<half>;
  EXPECT_TRUE(InOrder(&P::repeatTimes, &P::blockNum, &P::dstGap, &P::initValue));
  const P all{1, 2, 3, half(4)};
  EXPECT_EQ(all.dstGap, 3);
  EXPECT_EQ(static_cast<float>(all.initValue), 4.0F);
  const P two(5, half(6));
  EXPECT_EQ(two.repeatTimes, 5);
  EXPECT_EQ(two.blockNum, 0);
  EXPECT_EQ(two.dstGap, 0);
}

TEST(Params, LoadData2D) {
  using P = LoadData2DParams;
  EXPECT_TRUE(InOrder(&P::startIndex, &P::repeatTimes, &P::srcStride, &P::sid, &P::dstGap, &P::ifTranspose,
                      &P::addrMode));
  const P params{1, 2, 3, 4, 5, true, 7};
  EXPECT_EQ(params.repeatTimes, 2);
  EXPECT_EQ(params.dstGap, 5);
  EXPECT_TRUE(params.ifTranspose);
  using T = LoadData2dTransposeParams;
  EXPECT_TRUE(
      InOrder(&T::startIndex, &T::repeatTimes, &T::srcStride, &T::dstGap, &T::dstFracGap, &T::addrMode));
  EXPECT_EQ((T{1, 2, 3, 4, 5, 6}).dstFracGap, 5);
}

TEST(Params, LoadData3D) {
  using P = LoadData3DParamsV2<half>;
  EXPECT_TRUE(InOrder(&P::padList, &P::l1H, &P::l1W, &P::channelSize, &P::kExtension, &P::mExtension,
                      &P::kStartPt, &P::mStartPt, &P::strideW, &P::strideH, &P::filterW, &P::filterH,
                      &P::dilationFilterW, &P::dilationFilterH, &P::enTranspose, &P::enSmallK, &P::padValue,
                      &P::filterSizeW, &P::filterSizeH, &P::fMatrixCtrl));
  const P defaults;
  EXPECT_EQ(defaults.strideW * defaults.strideH * defaults.filterW * defaults.filterH, 1);
  EXPECT_EQ(defaults.dilationFilterW * defaults.dilationFilterH, 1);
  const uint8_t pads[PAD_SIZE] = {1, 2, 3, 4};
  const P of17{pads, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, true, false, half(18)};
  EXPECT_EQ(of17.padList[3], 4);
  EXPECT_EQ(of17.l1H, 5);
  EXPECT_EQ(of17.kExtension, 8);
  EXPECT_EQ(of17.mStartPt, 11);
  EXPECT_EQ(of17.strideW, 12);
  EXPECT_EQ(of17.filterH, 15);
  EXPECT_EQ(of17.dilationFilterH, 17);
  EXPECT_TRUE(of17.enTranspose);
  EXPECT_EQ(static_cast<float>(of17.padValue), 18.0F);
  EXPECT_FALSE(of17.fMatrixCtrl);
  const P of20{pads, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, true, false, half(18), true, false, true};
  EXPECT_TRUE(of20.filterSizeW);
  EXPECT_FALSE(of20.filterSizeH);
  EXPECT_TRUE(of20.fMatrixCtrl);
}

TEST(Params, Mmad) {
  using P = MmadParams;
  EXPECT_TRUE(InOrder(&P::m, &P::n, &P::k, &P::isBias, &P::fmOffset, &P::enSsparse, &P::enWinogradA,
                      &P::enWinogradB, &P::unitFlag, &P::kDirectionAlign, &P::cmatrixSource,
                      &P::cmatrixInitVal));
  EXPECT_TRUE(P().cmatrixInitVal);
  EXPECT_EQ(P().unitFlag, 0);
  const P bias(1, 2, 3, true);
  EXPECT_TRUE(bias.isBias);
  EXPECT_TRUE(bias.cmatrixInitVal);
  const P unit(1, 2, 3, static_cast<uint8_t>(3), true, false);
  EXPECT_EQ(unit.unitFlag, 3);
  EXPECT_TRUE(unit.cmatrixSource);
  EXPECT_FALSE(unit.cmatrixInitVal);
}

TEST(Params, Fixpipe) {
  using P = FixpipeParamsV220;
  EXPECT_TRUE(InOrder(&P::nSize, &P::mSize, &P::srcStride, &P::dstStride, &P::quantPre, &P::deqScalar,
                      &P::ndNum, &P::srcNdStride, &P::dstNdStride, &P::reluEn, &P::unitFlag,
                      &P::isChannelSplit));
  EXPECT_EQ(P().ndNum, 1);
  EXPECT_EQ(P().quantPre, QuantMode_t::NoQuant);
  const P of5(1, 2, 3, 4, true);
  EXPECT_EQ(of5.mSize, 2);
  EXPECT_EQ(of5.dstStride, 4U);
  EXPECT_TRUE(of5.reluEn);
  const P of11(1, 2, 3, 4, false, QuantMode_t::F322F16, 5, 6, 7, 8, 3);
  EXPECT_EQ(of11.deqScalar, 5U);
  EXPECT_EQ(of11.ndNum, 6);
  EXPECT_EQ(of11.dstNdStride, 8);
  EXPECT_EQ(of11.unitFlag, 3);
  EXPECT_FALSE(of11.isChannelSplit);
  EXPECT_TRUE(P(1, 2, 3, 4, false, QuantMode_t::F322F16, 5, 6, 7, 8, 3, true).isChannelSplit);
}

TEST(Params, EnumeratorsHaveTheirValues) {
  EXPECT_EQ(PIPE_FIX, 7);
  EXPECT_EQ(PIPE_ALL, 6);
  EXPECT_EQ(static_cast<int>(HardEvent::M_FIX), 17);
  EXPECT_EQ(static_cast<int>(HardEvent::MAX), 35);
  EXPECT_EQ(static_cast<int>(TPosition::CO1), 7);
  EXPECT_EQ(TPosition::LCM, TPosition::VECCALC);
  EXPECT_EQ(static_cast<int>(HF32Mode::ENABLE), 0);
  EXPECT_EQ(F322BF16, 2);
  EXPECT_EQ(TOTAL_L1_SIZE, 524288U - 128);
}

TEST(Utilities, RoundAsDocumented) {
  EXPECT_EQ(Ceil(7, 3), 3U);
  EXPECT_EQ(DivCeil(6, 3), 2U);
  EXPECT_EQ(AscendC::AlignUp(33U, 32U), 64U);
  EXPECT_EQ(ToFloat(ToBfloat16(1.5F)), 1.5F);
  EXPECT_TRUE((IsSameType<half, half>::value));
  EXPECT_FALSE((IsSameType<half, float>::value));
}

TEST(GlobalTensor, ShiftsByElements) {
  float data[10] = {};
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(data, 10);
  EXPECT_EQ(tensor.GetSize(), 10U);
  EXPECT_EQ(tensor[3].GetPhyAddr(), data + 3);
  EXPECT_EQ(tensor[3][2].GetPhyAddr(1), data + 6);
  EXPECT_EQ(tensor[3].limit(), tensor.limit());  // a part still ends where the whole does
  tensor.SetGlobalBuffer(data);
  EXPECT_EQ(tensor.GetSize(), 0U);
  EXPECT_EQ(tensor.limit(), 0U);
}

TEST(GlobalTensor, EndsWhereItsSizeSays) {
  std::vector<float> data(64);
  LaunchOptions options{.threads = 1};
  options.gm.Add(BufferOf("x", data));
  const auto run = [&](uint64_t size) {
    return TextOf(LaunchOnUnit(options, [&](Core&) {
      TPipe pipe;
      TBuf<TPosition::A1> l1;
      pipe.InitBuffer(l1, 256);
      GlobalTensor<float> x;
      x.SetGlobalBuffer(data.data(), size);
      DataCopy(l1.Get<float>(), x[8], 24);
    }));
  };
  EXPECT_EQ(run(32), "");
  ExpectSays(
      run(31),
      "bytes [32, 128) of GM buffer x pass the end of the tensor's size given to SetGlobalBuffer by 4 bytes");
}

TEST(LocalTensor, IsAWindowOnItsBuffer) {
  RunKernel([] {
    TPipe pipe;
    TBuf<TPosition::CO1> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<float> tensor = buffer.Get<float>();
    EXPECT_EQ(tensor.GetSize(), 1024U);
    EXPECT_EQ(tensor[16].GetPhyAddr(), 64U);
    EXPECT_EQ(tensor[16].GetPhyAddr(2), 72U);
    EXPECT_EQ(tensor.GetPosition(), static_cast<int32_t>(TPosition::CO1));
    const LocalTensor<half> cast = tensor[16].ReinterpretCast<half>();
    EXPECT_EQ(cast.GetPhyAddr(), 64U);
    EXPECT_EQ(cast.GetSize(), 2016U);
    tensor.SetSize(5);
    EXPECT_EQ(tensor.GetLength(), 20U);
  });
}

}  // namespace
}  // namespace tilesim
