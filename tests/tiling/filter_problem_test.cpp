#include <gtest/gtest.h>

#include "tests/tiling/conv_layers.h"
#include "tiling/conv_backprop/gradient_problem.h"

namespace tilesim {
namespace {

TEST(FilterProblem, TellsLimitsAndContradictions) {
  const auto told = [](auto change) {
    auto p = testing::PaddedLayer<FilterProblem>();
    change(p);
    return testing::Told(WhyNot(p));
  };
  EXPECT_EQ(told([](auto&) {}), "");
  EXPECT_EQ(told([](auto& p) { p.wk = 33; }),
            "wk: limit of the operator: found 33, must be at most 32; wk 32 fits\n");
  EXPECT_EQ(told([](auto& p) { p.hk = 512; }),
            "hk: limit of the operator: found 512, must be at most 511; hk 511 fits\n");
  EXPECT_EQ(told([](auto& p) { p.stride_w = 64; }),
            "strideW: limit of the operator: found 64, must be at most 63; strideW 63 fits\n");
  EXPECT_EQ(told([](auto& p) { p.dilation_d = 256; }),
            "dilationD: limit of the operator: found 256, must be at most 255; dilationD 255 fits\n");
  EXPECT_EQ(told([](auto& p) { p.pad_front = -1; }),
            "padFront: limit of the operator: found -1, must be at least 0; padFront 0 fits\n");
  EXPECT_EQ(told([](auto& p) { p.batch = 0; }),
            "batch: limit of the operator: found 0, must be at least 1; batch 1 fits\n");
  EXPECT_EQ(told([](auto& p) { p.hf32 = true; }),
            "hf32: HF32 is for fp32 alone: found 1, must be 0; hf32 0 fits\n");
  EXPECT_EQ(told([](auto& p) { p.groups = 3; }),
            "cin: channels are shared evenly by the groups: found 64, must be a multiple of 3; cin 63 fits "
            "groups 3\n"
            "cout: channels are shared evenly by the groups: found 128, must be a multiple of 3; cout 126 "
            "fits groups 3\n");
  EXPECT_EQ(told([](auto& p) { p.ho = 31; }),
            "ho: the output size follows from input, window, stride and pads: found 31, must be 32; "
            "ho 32 fits\n");
  EXPECT_EQ(
      told([](auto& p) { p.dilation_w = 20; }),
      "wi: the window of the dilated kernel lies within the padded input: found 41, must be at most 34; "
      "wi 39 fits\n");
  EXPECT_EQ(told([](auto& p) { p.dtype = DType::kInt32; }),
            "dtype: element type int32, must be fp16, bf16 or fp32; fp16 fits\n");
}

}  // namespace
}  // namespace tilesim
