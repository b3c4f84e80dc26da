#include <gtest/gtest.h>

#include <random>
#include <string>

#include "formats/error.h"
#include "formats/units.h"
#include "tests/tiling/conv_layers.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_weight_walk.h"

namespace tilesim {
namespace {

InputProblem PlainLayer() { return testing::BenchLayer<InputProblem>(); }

std::string Told(const InputProblem& p) {
  std::string text;
  for (const Rejection& reason : WhyNot(p)) {
    text += Say(text.empty() ? "" : " | ", Sentence(reason));
  }
  return text;
}

TEST(InputProblem, OfALayerIsAccepted) { EXPECT_EQ(Told(PlainLayer()), ""); }

TEST(InputProblem, NamesEveryArgumentBeyondTheOperatorsLimits) {
  for (const InputArgument& argument : InputArguments()) {
    for (const int64_t value : {argument.least - 1, argument.most + 1}) {
      InputProblem p = PlainLayer();
      p.*argument.member = value;
      const Rejections reasons = WhyNot(p);
      ASSERT_FALSE(reasons.empty()) << argument.field;
      EXPECT_EQ(reasons[0].field, argument.field);
      EXPECT_EQ(reasons[0].value, value);
    }
  }
}

TEST(InputProblem, MayStrideAndPadBeyondTheKernel) {
  InputProblem p = PlainLayer();
  p.stride_d = 5, p.stride_h = 7;
  p.pad_up = 4, p.pad_left = 3;
  p.dout = 3, p.ho = 5, p.wo = 33;
  EXPECT_EQ(Told(p), "");
}

TEST(InputProblem, TellsOutputsThatDoNotFollow) {
  InputProblem p = PlainLayer();
  p.ho = 31;
  EXPECT_EQ(
      Told(p),
      "ho: the output size follows from input, window, stride and pads: found 31, must be 30; ho 30 fits");
  p = PlainLayer();
  p.dilation_d = 9;
  EXPECT_EQ(
      Told(p),
      "di: the window of the dilated kernel lies within the padded input: found 19, must be at most 16; "
      "di 19 fits");
}

TEST(InputProblem, TellsChannelsThatGroupsDoNotShare) {
  InputProblem p = PlainLayer();
  p.groups = 3;
  EXPECT_EQ(Told(p),
            "cin: channels are shared evenly by the groups: found 32, must be a multiple of 3; cin 30 fits "
            "groups 3 | cout: channels are shared evenly by the groups: found 64, must be a multiple of 3; "
            "cout 63 fits groups 3");
}

TEST(InputProblem, TellsElementTypesItCannotCompute) {
  InputProblem p = PlainLayer();
  p.dtype = DType::kInt32;
  EXPECT_EQ(Told(p), "dtype: element type int32, must be fp16, bf16 or fp32; fp16 fits");
  p.dtype = DType::kFp16;
  p.hf32 = true;
  EXPECT_EQ(Told(p), "hf32: HF32 is for fp32 alone: found 1, must be 0; hf32 0 fits");
}

TEST(InputProblem, OfATransposedConvolutionPadsItsOutput) {
  InputProblem p = PlainLayer();
  p.transpose = true;
  p.stride_h = 2;
  p.output_pad_h = 1;
  DeriveTransposedSizes(p);
  EXPECT_EQ(p.hi, 29 * 2 + 3 + 1);
  EXPECT_EQ(Told(p), "");
  p.hi -= 1;
  EXPECT_EQ(
      Told(p),
      "hi: the size follows from dy, window, stride, pads and output padding: found 61, must be 62; hi 62 "
      "fits");
  p.output_pad_h = 2;
  DeriveTransposedSizes(p);
  EXPECT_EQ(
      Told(p),
      "outputPadH: output padding is less than stride or dilation: found 2, must be at most 1; outputPadH "
      "1 fits");
  p.transpose = false;
  p.output_pad_h = 1;
  p.hi = 62;
  EXPECT_EQ(Told(p),
            "outputPadH: only transposed convolutions pad dx: found 1, must be 0; outputPadH 0 fits");
}

// Groups are computed together until their channels fill whole lines, or there are no more.
TEST(InputExtents, MergeGroupsIntoWholeLines) {
  InputProblem p = PlainLayer();
  EXPECT_EQ(ExtentsOf(p).merged, 1);
  EXPECT_EQ(ExtentsOf(p).n, 32);
  EXPECT_EQ(ExtentsOf(p).k, 4 * 9 * 16);
  p.groups = p.cin = 320, p.cout = 320;
  EXPECT_EQ(ExtentsOf(p).merged, 16);
  EXPECT_EQ(ExtentsOf(p).real_groups, 20);
  EXPECT_EQ(ExtentsOf(p).cin1_g, 1);
  EXPECT_EQ(ExtentsOf(p).cout1_g, 1);
  p.groups = 3, p.cin = 15, p.cout = 9;
  EXPECT_EQ(ExtentsOf(p).merged, 3);
  EXPECT_EQ(ExtentsOf(p).cin1_g, 1);
  p.dtype = DType::kFp32;
  EXPECT_EQ(ExtentsOf(p).c0, 8);
  EXPECT_EQ(ExtentsOf(p).cin1_g, 2);
  EXPECT_EQ(ExtentsOf(p).cout1_g, 2);
}

// Over the stride-expanded and padded gradient a window of stride one has as many positions as dx has pixels.
TEST(BackpropPads, MakeOnePositionOfTheWindowForEachPixel) {
  std::mt19937_64 random(77);
  for (int round = 0; round < 500; ++round) {
    const InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    for (const InputAxis& axis : {AxisD(p), AxisH(p), AxisW(p)}) {
      const BackpropPads pads = BackpropPadsOf(axis);
      const int64_t expanded = (axis.out - 1) * axis.stride + 1;
      EXPECT_EQ(pads.before + expanded + pads.after - axis.window() + 1, axis.in) << "round " << round;
      EXPECT_EQ(pads.before + axis.pad_before, axis.window() - 1) << "round " << round;
    }
  }
}

TEST(WeightWalk, FollowsFromTapsAndTheBlockOfK) {
  using ConvBackpropApi::LoadB2Condition;
  using ConvBackpropApi::LoadB2ConditionOf;
  TConv3DBackpropInputTiling t;
  t.c0 = 16;
  t.hk = t.wk = 1;
  t.baseK = 64;
  EXPECT_EQ(LoadB2ConditionOf(t), LoadB2Condition::kOneTap);
  t.hk = t.wk = 2;
  EXPECT_EQ(LoadB2ConditionOf(t), LoadB2Condition::kAtLeastTaps);
  t.baseK = 48;
  EXPECT_EQ(LoadB2ConditionOf(t), LoadB2Condition::kBelowTaps);
}

// Whether every pixel of the axis meets some tap, pixel by pixel and tap by tap.
bool EachPixelMeetsATap(const InputAxis& axis) {
  for (int64_t x = 0; x < axis.in; ++x) {
    bool met = false;
    for (int64_t tap = 0; tap < axis.kernel && !met; ++tap) {
      const int64_t at = x + axis.pad_before - tap * axis.dilation;
      met = at >= 0 && at % axis.stride == 0 && at / axis.stride < axis.out;
    }
    if (!met) {
      return false;
    }
  }
  return true;
}

TEST(LeavesZeros, IsTrueWhereSomePixelMeetsNoTap) {
  constexpr unsigned kSeed = 78;
  std::mt19937_64 random(kSeed);
  int leaves = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    const InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    const bool all =
        EachPixelMeetsATap(AxisD(p)) && EachPixelMeetsATap(AxisH(p)) && EachPixelMeetsATap(AxisW(p));
    ASSERT_EQ(LeavesZeros(p), !all) << "seed " << kSeed << ", round " << round;
    leaves += all ? 0 : 1;
  }
  EXPECT_GT(leaves, kRounds / 10);
  EXPECT_LT(leaves, kRounds * 9 / 10);
}

// 2^20 taps of depth over 2^50 planes, far beyond the operator's limits: one look at each plane, let alone at
// each tap for each of them, would take days, so that this test ends at all only where the extents do not
// count.
TEST(LeavesZeros, IsCheapHoweverManyPlanesThereAre) {
  InputProblem p;
  p.batch = p.cin = p.cout = p.hi = p.wi = p.ho = p.wo = p.hk = p.wk = 1;
  p.dk = int64_t{1} << 20;
  p.stride_d = 255;
  p.dout = (int64_t{1} << 50) / p.stride_d;
  p.di = (p.dout - 1) * p.stride_d + p.dk;
  EXPECT_FALSE(LeavesZeros(p));
  p.di += 1;  // a plane behind the last window
  EXPECT_TRUE(LeavesZeros(p));
  p.di -= 1;
  p.dk = 200;  // less than the stride: planes between windows
  p.di = (p.dout - 1) * p.stride_d + p.dk;
  EXPECT_TRUE(LeavesZeros(p));
}

TEST(InputDealOut, CountsTasksAndUsesNoMoreCoresThanThereAre) {
  InputProblem p = PlainLayer();
  TConv3DBackpropInputTiling t;
  SetProblemFields(p, t);
  t.singleCoreM = 320;
  t.singleCoreCin = 32;
  const InputSplit split = DealOut(p, t, 24);
  EXPECT_EQ(split.m_dim, 4);
  EXPECT_EQ(split.n_dim, 1);
  EXPECT_EQ(split.parts(), 2 * 16 * 4);
  EXPECT_EQ(split.used_cores, 24);
  EXPECT_EQ(DealOut(p, t, 1000).used_cores, 128);
}

}  // namespace
}  // namespace tilesim
