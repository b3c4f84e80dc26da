#include "tiling/conv_backprop/conv3d_bp_filter_tiling.h"

#include <gtest/gtest.h>

#include "tests/tiling/filter_vectors.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace {

using ConvBackpropApi::Conv3dBpFilterTiling;
using ConvCommonApi::ConvDtype;
using ConvCommonApi::ConvFormat;
using ConvCommonApi::TPosition;
using tilesim::DType;
using tilesim::FilterProblem;

void Describe(const FilterProblem& p, Conv3dBpFilterTiling& tiling) {
  const ConvDtype dtype = p.dtype == DType::kBf16 ? ConvDtype::BF16 : ConvDtype::FLOAT16;
  tiling.SetWeightType(TPosition::GM, ConvFormat::FRACTAL_Z_3D, ConvDtype::FLOAT32);
  tiling.SetInputType(TPosition::GM, ConvFormat::NDC1HWC0, dtype);
  tiling.SetGradOutputType(TPosition::GM, ConvFormat::NDC1HWC0, dtype);
  tiling.SetWeightShape(p.cout, p.cin, p.dk, p.hk, p.wk);
  tiling.SetInputShape(p.batch, p.cin, p.di, p.hi, p.wi);
  tiling.SetGradOutputShape(p.batch, p.cout, p.dout, p.ho, p.wo);
  tiling.SetPadding(p.pad_front, p.pad_back, p.pad_up, p.pad_down, p.pad_left, p.pad_right);
  tiling.SetStride(p.stride_d, p.stride_h, p.stride_w);
  tiling.SetDilation(p.dilation_d, p.dilation_h, p.dilation_w);
}

void DescribeLayer(Conv3dBpFilterTiling& tiling) {
  tiling.SetWeightShape(64, 32, 3, 3, 3);
  tiling.SetInputShape(2, 32, 16, 32, 32);
  tiling.SetGradOutputShape(2, 64, 14, 30, 30);
}

tilesim::SocConfig Soc() {
  tilesim::SocConfig soc;
  soc.name = "ascend910b2";
  soc.aic_cores = 24, soc.aiv_per_aic = 2;
  soc.l1_bytes = 524288, soc.l0a_bytes = 65536, soc.l0b_bytes = 65536, soc.l0c_bytes = 131072,
  soc.ub_bytes = 196608;
  soc.bt_bytes = 1024, soc.fb_bytes = 2048, soc.l2_bytes = 201326592, soc.gm_bytes = 68719476736;
  return soc;
}

TEST(Conv3dBpFilterTiling, GivesTheRecordedAnswerThroughItsSetters) {
  for (const auto& vector : tilesim::testing::ReadFilterVectors()) {
    if (vector.problem.groups != 1) {
      continue;  // there is no public setter
    }
    Conv3dBpFilterTiling tiling;
    Describe(vector.problem, tiling);
    AscendC::tiling::Conv3DBackpropFilterTilingData data;
    EXPECT_EQ(tiling.GetTiling(data), vector.accepted ? 0 : -1) << vector.id;
    EXPECT_TRUE(tilesim::Differences(data, vector.data).empty()) << vector.id;
  }
}

TEST(Conv3dBpFilterTiling, BothOverloadsGiveTheSameCompleteBytes) {
  for (const auto& vector : tilesim::testing::ReadFilterVectors()) {
    Conv3dBpFilterTiling tiling;
    Describe(vector.problem, tiling);
    AscendC::tiling::Conv3DBackpropFilterTilingData plain;
    optiling::Conv3DBackpropFilterTilingData declared;
    ASSERT_EQ(tiling.GetTiling(plain), tiling.GetTiling(declared)) << vector.id;
    std::array<std::byte, sizeof plain> bytes{};
    ASSERT_EQ(declared.GetDataSize(), bytes.size());
    declared.SaveToBuffer(bytes.data(), bytes.size());
    EXPECT_EQ(bytes, tilesim::ToBytes(plain)) << vector.id;
    EXPECT_EQ(declared.dwTiling.get_baseM(), plain.dwTiling.baseM);
    EXPECT_EQ(declared.dwTiling.get_cin(), plain.dwTiling.cin);
    EXPECT_EQ(declared.dwTiling.get_singleCoreCin(), plain.dwTiling.singleCoreCin);
    EXPECT_EQ(declared.params.get_totalL1Size(), plain.params.totalL1Size);
    EXPECT_EQ(declared.basicBlockTiling.get_singleCoreK(), plain.basicBlockTiling.singleCoreK);
  }
}

TEST(Conv3dBpFilterTiling, AllThreeConstructorsPlanA910B) {
  const platform_ascendc::PlatformAscendC platform(Soc());
  Conv3dBpFilterTiling by_default;
  Conv3dBpFilterTiling by_platform(platform);
  Conv3dBpFilterTiling by_hand{ConvCommonApi::PlatformInfo{}};
  AscendC::tiling::Conv3DBackpropFilterTilingData a, b, c;
  for (auto [tiling, data] :
       {std::pair{&by_default, &a}, std::pair{&by_platform, &b}, std::pair{&by_hand, &c}}) {
    DescribeLayer(*tiling);
    ASSERT_EQ(tiling->GetTiling(*data), 0);
  }
  EXPECT_EQ(a.dwTiling.baseM, 64u);
  EXPECT_TRUE(tilesim::Differences(a, b).empty());
  EXPECT_TRUE(tilesim::Differences(a, c).empty());
}

TEST(Conv3dBpFilterTiling, PlansForTheSizesOfThePlatform) {
  tilesim::SocConfig soc = Soc();
  soc.l1_bytes = 131072;
  Conv3dBpFilterTiling tiling{platform_ascendc::PlatformAscendC(soc)};
  DescribeLayer(tiling);
  AscendC::tiling::Conv3DBackpropFilterTilingData data;
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.params.totalL1Size, 131072u);
}

TEST(Conv3dBpFilterTiling, LeavesTheCallersStructAloneWhenItRefuses) {
  Conv3dBpFilterTiling tiling;
  DescribeLayer(tiling);
  tiling.SetStride(1, 64, 1);
  AscendC::tiling::Conv3DBackpropFilterTilingData plain;
  plain.dwTiling.baseM = 77;
  EXPECT_EQ(tiling.GetTiling(plain), -1);
  EXPECT_EQ(plain.dwTiling.baseM, 77u);
  optiling::Conv3DBackpropFilterTilingData declared;
  declared.dwTiling.set_baseM(78);
  EXPECT_EQ(tiling.GetTiling(declared), -1);
  EXPECT_EQ(declared.dwTiling.get_baseM(), 78u);
  ASSERT_EQ(tiling.plan().reasons.size(), 1u);
  EXPECT_EQ(tilesim::Sentence(tiling.plan().reasons[0]),
            "strideH: limit of planner api: found 64, must be at most 63; strideH 63 fits");
}

TEST(Conv3dBpFilterTiling, RefusesWithoutShapes) {
  Conv3dBpFilterTiling tiling;
  AscendC::tiling::Conv3DBackpropFilterTilingData data;
  EXPECT_EQ(tiling.GetTiling(data), -1);
  EXPECT_EQ(tiling.plan().reasons.size(), 11u);  // every extent but the batch
}

TEST(Conv3dBpFilterTiling, LetsALaterSetterWin) {
  Conv3dBpFilterTiling tiling;
  DescribeLayer(tiling);
  tiling.SetWeightShape(64, 48, 3, 3, 3);
  AscendC::tiling::Conv3DBackpropFilterTilingData data;
  ASSERT_EQ(tiling.GetTiling(data), 0);
  EXPECT_EQ(data.dwTiling.cin, 48u);
}

struct FilterTypeCase {
  const char* name;
  ConvFormat weight_format, input_format, grad_format;
  ConvDtype weight, input, grad;
  int64_t answer;
};
class FilterTypes : public ::testing::TestWithParam<FilterTypeCase> {};

TEST_P(FilterTypes, AreAcceptedOrRefused) {
  const FilterTypeCase& types = GetParam();
  Conv3dBpFilterTiling tiling;
  DescribeLayer(tiling);
  tiling.SetWeightType(TPosition::GM, types.weight_format, types.weight);
  tiling.SetInputType(TPosition::GM, types.input_format, types.input);
  tiling.SetGradOutputType(TPosition::CO1, types.grad_format, types.grad);
  AscendC::tiling::Conv3DBackpropFilterTilingData data;
  EXPECT_EQ(tiling.GetTiling(data), types.answer);
  ASSERT_EQ(tiling.plan().reasons.size(), types.answer == 0 ? 0u : 1u);
  if (types.answer != 0) {  // in words: the numbers of an enumeration say nothing
    EXPECT_EQ(tilesim::Sentence(tiling.plan().reasons[0]).find("found"), std::string::npos);
  }
}

using enum ConvFormat;
using enum ConvDtype;
INSTANTIATE_TEST_SUITE_P(
    Of, FilterTypes,
    ::testing::Values(
        FilterTypeCase{"Documented", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT32, BF16, BF16, 0},
        FilterTypeCase{"WeightType", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, INT8, FLOAT16, FLOAT16, 0},
        FilterTypeCase{"GradFormat", FRACTAL_Z_3D, NDC1HWC0, NCHW, FLOAT32, FLOAT16, FLOAT16, 0},
        FilterTypeCase{"Mixed", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT32, FLOAT16, BF16, 0},
        FilterTypeCase{"WeightFormat", NCDHW, NDC1HWC0, NDC1HWC0, FLOAT32, FLOAT16, FLOAT16, -1},
        FilterTypeCase{"InputFormat", FRACTAL_Z_3D, NCDHW, NDC1HWC0, FLOAT32, FLOAT16, FLOAT16, -1},
        FilterTypeCase{"Fp32", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT32, FLOAT32, FLOAT16, -1},
        FilterTypeCase{"Fp32Grad", FRACTAL_Z_3D, NDC1HWC0, NDC1HWC0, FLOAT32, FLOAT16, FLOAT32, -1}),
    [](const auto& test) { return test.param.name; });

}  // namespace
