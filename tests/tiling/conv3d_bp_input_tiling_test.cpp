#include "tiling/conv_backprop/conv3d_bp_input_tiling.h"

#include <gtest/gtest.h>

#include "tests/tiling/input_vectors.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace {

using ConvBackpropApi::Conv3DBpInputTiling;
using ConvCommonApi::ConvDtype;
using ConvCommonApi::ConvFormat;
using ConvCommonApi::TPosition;
using tilesim::DType;
using tilesim::InputProblem;
using Plain = AscendC::tiling::Conv3DBackpropInputTilingData;
using Declared = optiling::Conv3DBackpropInputTilingData;

void Describe(const InputProblem& p, Conv3DBpInputTiling& tiling) {
  const ConvDtype dtype = p.dtype == DType::kBf16 ? ConvDtype::BF16 : ConvDtype::FLOAT16;
  tiling.SetWeightType(TPosition::GM, ConvFormat::FRACTAL_Z_3D, dtype);
  tiling.SetInputType(TPosition::GM, ConvFormat::NDC1HWC0, dtype);
  tiling.SetGradOutputType(TPosition::GM, ConvFormat::NDC1HWC0, dtype);
  EXPECT_TRUE(tiling.SetWeightShape(p.cout, p.cin, p.dk, p.hk, p.wk));
  EXPECT_TRUE(tiling.SetGradOutputShape(p.batch, p.cout, p.dout, p.ho, p.wo));
  if (p.transpose) {
    EXPECT_TRUE(tiling.SetOutputPadding(p.output_pad_d, p.output_pad_h, p.output_pad_w));
  } else {
    EXPECT_TRUE(tiling.SetInputShape(p.batch, p.cin, p.di, p.hi, p.wi));
  }
  tiling.SetPadding(p.pad_front, p.pad_back, p.pad_up, p.pad_down, p.pad_left, p.pad_right);
  tiling.SetStride(p.stride_d, p.stride_h, p.stride_w);
  tiling.SetDilation(p.dilation_d, p.dilation_h, p.dilation_w);
}

void DescribeLayer(Conv3DBpInputTiling& tiling) {
  tiling.SetWeightShape(64, 32, 3, 3, 3);
  tiling.SetInputShape(2, 32, 16, 32, 32);
  tiling.SetGradOutputShape(2, 64, 14, 30, 30);
}

TEST(Conv3DBpInputTiling, GivesTheRecordedAnswerThroughItsSetters) {
  for (const auto& vector : tilesim::testing::ReadInputVectors()) {
    if (vector.problem.groups != 1) {
      continue;  // there is no public setter
    }
    Conv3DBpInputTiling tiling;
    Describe(vector.problem, tiling);
    Plain data;
    EXPECT_EQ(tiling.GetTiling(data), vector.accepted ? 0 : -1) << vector.id;
    EXPECT_TRUE(tilesim::Differences(data, vector.data).empty()) << vector.id;
  }
}

TEST(Conv3DBpInputTiling, BothOverloadsGiveTheSameCompleteBytes) {
  for (const auto& vector : tilesim::testing::ReadInputVectors()) {
    Conv3DBpInputTiling tiling;
    Describe(vector.problem, tiling);
    Plain plain;
    Declared declared;
    ASSERT_EQ(tiling.GetTiling(plain), tiling.GetTiling(declared)) << vector.id;
    std::array<std::byte, sizeof plain> bytes{};
    ASSERT_EQ(declared.GetDataSize(), bytes.size());
    declared.SaveToBuffer(bytes.data(), bytes.size());
    EXPECT_EQ(bytes, tilesim::ToBytes(plain)) << vector.id;
    EXPECT_EQ(declared.conv3DDxTiling.get_baseM(), plain.conv3DDxTiling.baseM);
    EXPECT_EQ(declared.conv3DDxTiling.get_cin(), plain.conv3DDxTiling.cin);
    EXPECT_EQ(declared.conv3DDxTiling.get_initOutputFlag(), plain.conv3DDxTiling.initOutputFlag);
    EXPECT_EQ(declared.conv3DDxTiling.get_singleCoreM(), plain.conv3DDxTiling.singleCoreM);
    EXPECT_EQ(declared.conv3DDxTiling.get_singleCoreCin(), plain.conv3DDxTiling.singleCoreCin);
  }
}

TEST(Conv3DBpInputTiling, AllThreeConstructorsPlanA910B) {
  tilesim::SocConfig soc;
  soc.l1_bytes = 524288, soc.l0a_bytes = 65536, soc.l0b_bytes = 65536, soc.l0c_bytes = 131072;
  const platform_ascendc::PlatformAscendC platform(soc);
  Conv3DBpInputTiling by_default;
  Conv3DBpInputTiling by_platform(platform);
  Conv3DBpInputTiling by_hand{ConvCommonApi::PlatformInfo{}};
  for (Conv3DBpInputTiling* tiling : {&by_default, &by_platform, &by_hand}) {
    DescribeLayer(*tiling);
    Plain data;
    ASSERT_EQ(tiling->GetTiling(data), 0);
    EXPECT_EQ(data.conv3DDxTiling.baseM, 336u);
    EXPECT_TRUE(tiling->plan().flags.empty());
  }
}

TEST(Conv3DBpInputTiling, SaysWhatDoesNotFitThePlatform) {
  ConvCommonApi::PlatformInfo info;
  info.l1Size = 65536;
  Conv3DBpInputTiling tiling(info);
  DescribeLayer(tiling);
  Plain data;
  EXPECT_EQ(tiling.GetTiling(data), 0);  // the shipped class takes no notice
  EXPECT_FALSE(tiling.plan().legal());
  ASSERT_EQ(tiling.plan().flags.size(), 1u);
  EXPECT_EQ(tilesim::Sentence(tiling.plan().flags[0]),
            "ILLEGAL_L1: conv3DDxTiling.stepKa: bytes of L1 for all copies of A and B: found 181248, must be "
            "at most 65536; `--planner op` finds a block that fits");
}

TEST(Conv3DBpInputTiling, LeavesTheCallersStructAloneWhenItRefuses) {
  Conv3DBpInputTiling tiling;
  DescribeLayer(tiling);
  tiling.SetStride(1, 64, 1);
  Plain plain;
  plain.conv3DDxTiling.baseM = 77;
  EXPECT_EQ(tiling.GetTiling(plain), -1);
  EXPECT_EQ(plain.conv3DDxTiling.baseM, 77u);
  Declared declared;
  declared.conv3DDxTiling.set_baseM(78);
  EXPECT_EQ(tiling.GetTiling(declared), -1);
  EXPECT_EQ(declared.conv3DDxTiling.get_baseM(), 78u);
  ASSERT_EQ(tiling.plan().reasons.size(), 1u);
  EXPECT_EQ(tilesim::Sentence(tiling.plan().reasons[0]),
            "strideH: limit of planner api: found 64, must be at most 63; strideH 63 fits");
}

TEST(Conv3DBpInputTiling, RefusesWithoutShapes) {
  Conv3DBpInputTiling tiling;
  Plain data;
  EXPECT_EQ(tiling.GetTiling(data), -1);
  EXPECT_EQ(tiling.plan().reasons.size(), 8u);  // the extents of weight and gradient but the input channels
}

TEST(Conv3DBpInputTiling, KeepsNothingOfACallThatContradicts) {
  Conv3DBpInputTiling tiling;
  DescribeLayer(tiling);
  EXPECT_FALSE(tiling.SetWeightShape(63, 32, 1, 1, 1));
  EXPECT_FALSE(tiling.SetWeightShape(64, 31, 1, 1, 1));
  EXPECT_FALSE(tiling.SetInputShape(3, 32, 1, 1, 1));
  EXPECT_FALSE(tiling.SetInputShape(2, 33, 1, 1, 1));
  EXPECT_FALSE(tiling.SetGradOutputShape(1, 64, 1, 1, 1));
  EXPECT_FALSE(tiling.SetGradOutputShape(2, 65, 1, 1, 1));
  Plain data;
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.conv3DDxTiling.hk, 3u);
  EXPECT_EQ(data.conv3DDxTiling.hi, 32u);
  EXPECT_EQ(data.conv3DDxTiling.ho, 30u);
}

TEST(Conv3DBpInputTiling, LetsALaterCallThatAgreesWin) {
  Conv3DBpInputTiling tiling;
  DescribeLayer(tiling);
  EXPECT_TRUE(tiling.SetWeightShape(64, 32, 3, 5, 3));
  EXPECT_TRUE(tiling.SetGradOutputShape(2, 64, 14, 28, 30));
  Plain data;
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.conv3DDxTiling.hk, 5u);
}

TEST(Conv3DBpInputTiling, TakesSizesBelowOneForNoneYet) {
  Conv3DBpInputTiling tiling;
  EXPECT_TRUE(tiling.SetWeightShape(0, -5, 3, 3, 3));
  EXPECT_TRUE(tiling.SetWeightShape(64, 32, 3, 3, 3));
  EXPECT_FALSE(tiling.SetWeightShape(0, 32, 3, 3, 3));
}

TEST(Conv3DBpInputTiling, PlansATransposedConvolutionUntilTheInputIsGiven) {
  Conv3DBpInputTiling tiling;
  tiling.SetWeightShape(64, 32, 3, 3, 3);
  tiling.SetGradOutputShape(2, 64, 14, 30, 30);
  EXPECT_TRUE(tiling.SetOutputPadding(0, 1, 0));
  Plain data;
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.conv3DDxTiling.hi, 33u);
  EXPECT_EQ(data.conv3DDxTiling.wi, 32u);
  EXPECT_FALSE(tiling.SetInputShape(3, 32, 16, 32, 32));  // contradicts: still transposed
  EXPECT_TRUE(tiling.SetOutputPadding(0, 2, 0));
  EXPECT_TRUE(tiling.SetInputShape(2, 32, 16, 32, 32));
  EXPECT_FALSE(tiling.SetOutputPadding(0, 0, 0));
  ASSERT_EQ(tiling.GetTiling(data), 0);  // the output padding has no effect
  EXPECT_EQ(data.conv3DDxTiling.hi, 32u);
}

TEST(Conv3DBpInputTiling, GoesOnAskingForZerosOnceItHas) {
  Conv3DBpInputTiling tiling;
  DescribeLayer(tiling);
  Plain data;
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.conv3DDxTiling.initOutputFlag, 0);
  tiling.SetDilation(2, 1, 1);
  tiling.SetGradOutputShape(2, 64, 12, 30, 30);
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.conv3DDxTiling.initOutputFlag, 1);
  tiling.SetDilation(1, 1, 1);
  tiling.SetGradOutputShape(2, 64, 14, 30, 30);
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.conv3DDxTiling.initOutputFlag, 1);
}

struct InputTypeCase {
  const char* name;
  ConvFormat weight_format, input_format, grad_format;
  ConvDtype weight, input, grad;
  int64_t answer;
};
class InputTypes : public ::testing::TestWithParam<InputTypeCase> {};

TEST_P(InputTypes, AreAcceptedOrRefused) {
  const InputTypeCase& types = GetParam();
  Conv3DBpInputTiling tiling;
  DescribeLayer(tiling);
  tiling.SetWeightType(TPosition::GM, types.weight_format, types.weight);
  tiling.SetInputType(TPosition::CO1, types.input_format, types.input);
  tiling.SetGradOutputType(TPosition::GM, types.grad_format, types.grad);
  Plain data;
  EXPECT_EQ(tiling.GetTiling(data), types.answer);
  EXPECT_EQ(tiling.plan().reasons.size(), types.answer == 0 ? 0u : 1u);
}

using enum ConvFormat;
using enum ConvDtype;
INSTANTIATE_TEST_SUITE_P(
    Of, InputTypes,
    ::testing::Values(
        InputTypeCase{"Documented", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, BF16, BF16, BF16, 0},
        InputTypeCase{"InputFormat", FRACTAL_Z_3D, NCDHW, NDC1HWC0, FLOAT16, FLOAT16, FLOAT16, 0},
        InputTypeCase{"Mixed", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, BF16, FLOAT16, BF16, 0},
        InputTypeCase{"WeightFormat", NCDHW, NDC1HWC0, NDC1HWC0, FLOAT16, FLOAT16, FLOAT16, -1},
        InputTypeCase{"GradFormat", FRACTAL_Z_3D, NDC1HWC0, NCDHW, FLOAT16, FLOAT16, FLOAT16, -1},
        InputTypeCase{"Fp32Weight", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT32, FLOAT16, FLOAT16, -1},
        InputTypeCase{"Fp32Input", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT16, FLOAT32, FLOAT16, -1},
        InputTypeCase{"Fp32Grad", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT16, FLOAT16, FLOAT32, -1}),
    [](const auto& test) { return test.param.name; });

}  // namespace
