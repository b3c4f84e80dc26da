// Cases of input gradients and transposed convolutions.
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/cases/case_file.h"

namespace tilesim {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

Case Read(CaseCells cells, const CaseCells& change) {
  for (const auto& [column, cell] : change) {
    cells[column] = cell;
  }
  return ReadCase(cells, 0, "tests/data/oracle");
}

Case ReadInput(const CaseCells& change) {
  return Read({{"op", "conv3d_backprop_input"}, {"input", "1x4x6x6x6"}, {"filter", "8x4x3x3x3"}}, change);
}

// dy 1x8x3x4x5
Case ReadTransposed(const CaseCells& change) {
  return Read({{"op", "conv3d_transpose"}, {"output", "1x8x3x4x5"}, {"filter", "8x4x3x3x3"}}, change);
}

template <class Reader>
void ExpectRefused(Reader read, const CaseCells& change, std::string_view column, std::string_view words) {
  try {
    (void)read(change);
    ADD_FAILURE() << column << " " << words;
  } catch (const RefusedInput& refused) {
    EXPECT_EQ(refused.refusal().where, column) << refused.what();
    EXPECT_HAS(refused.refusal().allowed, words);
    EXPECT_FALSE(refused.refusal().mend.empty());
  }
}

TEST(InputCase, ReadsTheTwentyLayersSeenFromTheInputSide) {
  const CaseFile filter = ReadCaseFile("configs/cases/conv3d_backprop_filter.csv");
  const CaseFile input = ReadCaseFile("configs/cases/conv3d_backprop_input.csv");
  EXPECT_TRUE(input.errors.empty()) << Sentence(input.errors.front());
  ASSERT_EQ(input.cases.size(), 20U);
  for (size_t i = 0; i < input.cases.size(); ++i) {
    EXPECT_EQ(input.cases[i].id, filter.cases[i].id);
    EXPECT_EQ(input.cases[i].op, "conv3d_backprop_input");
    EXPECT_EQ(input.cases[i].gradient(), ConvGradient::kInput);
    EXPECT_EQ(input.cases[i].conv(), filter.cases[i].conv());
  }
}

TEST(InputCase, ReadsTheLayersOfResNet50) {
  const CaseFile file = ReadCaseFile("configs/cases/resnet50_conv2d_backprop_input.csv");
  EXPECT_TRUE(file.errors.empty()) << Sentence(file.errors.front());
  ASSERT_EQ(file.cases.size(), 26U);
  for (const Case& layer : file.cases) {
    const Conv3dProblem& p = layer.conv();
    EXPECT_EQ(p.batch, 4) << layer.id;
    EXPECT_EQ(p.layout, Format::kNHWC) << layer.id;
    EXPECT_EQ(p.filter_layout, Format::kHWIO) << layer.id;
    EXPECT_EQ(p.in.h, p.out.h * p.stride.h) << layer.id;
    EXPECT_EQ(layer.id.ends_with("_s2"), p.stride.w == 2) << layer.id;
    EXPECT_EQ(std::ranges::count(file.cases, p, [](const Case& one) { return one.conv(); }), 1)
        << layer.id << " stands twice";
  }
}

TEST(InputCase, ReadsTheOraclesCases) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv_backprop_input.csv");
  EXPECT_TRUE(file.errors.empty()) << Sentence(file.errors.front());
  ASSERT_EQ(file.cases.size(), 26U);
  EXPECT_EQ(file.cases[0].w_file, "tests/data/oracle/dx3-t-001-basic/w.npy");
  EXPECT_EQ(file.cases[0].x_file, "");
  EXPECT_EQ(file.cases[0].gradient(), ConvGradient::kInput);
}

// The same tensors as a transposed convolution: the size of dx comes from dy and the output padding.
TEST(InputCase, ATransposedConvolutionDerivesItsResult) {
  const CaseFile input = ReadCaseFile("tests/data/oracle/conv_backprop_input.csv");
  const CaseFile transposed = ReadCaseFile("tests/data/oracle/conv3d_transpose.csv");
  EXPECT_TRUE(transposed.errors.empty()) << Sentence(transposed.errors.front());
  ASSERT_EQ(transposed.cases.size(), 10U);
  for (const Case& item : transposed.cases) {
    const auto twin = std::ranges::find(input.cases, item.id, &Case::id);
    ASSERT_NE(twin, input.cases.end()) << item.id;
    EXPECT_TRUE(item.conv().transposed);
    EXPECT_EQ(item.gradient(), ConvGradient::kInput);
    EXPECT_EQ(item.conv().in, twin->conv().in) << item.id;
    EXPECT_EQ(item.conv().out, twin->conv().out) << item.id;
    EXPECT_EQ(item.conv().cin, twin->conv().cin) << item.id;
  }
}

TEST(InputCase, OutputPaddingIsOneForAllOrOneAnAxis) {
  EXPECT_EQ(ReadTransposed({}).conv().in, (Extents3{5, 6, 7}));
  EXPECT_EQ(ReadTransposed({{"stride", "2"}, {"output_padding", "1"}}).conv().in, (Extents3{8, 10, 12}));
  EXPECT_EQ(ReadTransposed({{"stride", "2x3x1"}, {"output_padding", "1x2x0"}, {"pad", "1"}}).conv().in,
            (Extents3{6, 12, 5}));
  EXPECT_EQ(ReadTransposed({{"dilation", "1x1x3"}, {"output_padding", "0x0x2"}}).conv().in,
            (Extents3{5, 6, 13}));
}

TEST(InputCase, AGivenResultSaysTheOutputPadding) {
  const Case one = ReadTransposed({{"stride", "2"}, {"input", "1x4x8x9x11"}});
  EXPECT_EQ(one.conv().output_padding, (Extents3{1, 0, 0}));
  EXPECT_EQ(one.conv().in, (Extents3{8, 9, 11}));
}

TEST(InputCase, SameGivesOutputTimesStride) {
  const Case one = ReadTransposed({{"stride", "2x1x3"}, {"pad", "same"}});
  EXPECT_EQ(one.conv().in, (Extents3{6, 4, 15}));
  EXPECT_EQ(one.conv().pad, (Pads{0, 1, 1, 1, 0, 0}));
  const Case other = ReadTransposed({{"stride", "2x1x3"}, {"pad", "same"}, {"input", "1x4x5x4x13"}});
  EXPECT_EQ(other.conv().in, (Extents3{5, 4, 13}));
  EXPECT_EQ(ReadTransposed({{"filter", "8x4x1x1x1"}, {"stride", "3"}, {"pad", "same"}}).conv().in,
            (Extents3{9, 12, 15}));
}

TEST(InputCase, RefusesWhatDoesNotFitATransposedConvolution) {
  const auto refused = [](const CaseCells& change, std::string_view column, std::string_view words) {
    ExpectRefused(ReadTransposed, change, column, words);
  };
  refused({{"output", "1x7x3x4x5"}}, "output", "8 channels as the filter, found 7");
  refused({{"input", "2x4x5x6x7"}}, "input", "must have batch 1 as the output");
  refused({{"input", "1x3x5x6x7"}}, "input", "4 channels as the filter");
  refused({{"input", "1x4x5x6x8"}}, "input", "output_padding give 1x4x5x6x7");
  refused({{"input", "1x4x6x6x7"}, {"output_padding", "0"}}, "input", "output_padding give 1x4x5x6x7");
  refused({{"output_padding", "1"}}, "output_padding", "depth must be 0 to 0, found 1");
  refused({{"output_padding", "1x1"}}, "output_padding", "must be 1 or 3 whole numbers");
  refused({{"output_padding", "1"}, {"pad", "same"}}, "output_padding", "pad 'same' fixes the size");
  refused({{"rounding", "ceil"}}, "rounding", "must be floor");
  refused({{"filter", "8x4x3x3"}}, "filter", "must be 5 whole numbers");
  refused({{"x_file", "a.npy"}}, "x_file", "belongs to the filter gradient");
  ExpectRefused([](const CaseCells& cells) { return ReadCase(cells, 0, ""); },
                {{"op", "conv3d_transpose"}, {"filter", "8x4x3x3x3"}}, "output", "is required");
}

TEST(InputCase, RefusesTensorsOfTheOtherGradient) {
  ExpectRefused(ReadInput, {{"x_file", "a.npy"}}, "x_file", "belongs to the filter gradient");
  ExpectRefused(ReadInput, {{"w_file", "no/such.npy"}}, "w_file", "no such file");
  ExpectRefused(ReadInput, {{"output_padding", "0"}}, "output_padding", "belongs to conv3d_transpose");
}

// The requests that PyTorch refuses or TensorFlow.js answers with garbage; numbers as in the project's oracle
// list. Explicit pads (e12) and dilation (e14) are taken.
TEST(InputCase, RefusesTheOddRequestsByTheirColumn) {
  const CaseCells odd = {{"input", "1x1x1x3x3"}, {"filter", "2x1x1x2x2"}};
  const auto with = [&](const CaseCells& change) {
    CaseCells cells = odd;
    for (const auto& [column, cell] : change) {
      cells[column] = cell;
    }
    return cells;
  };
  ExpectRefused(ReadInput, with({{"output", "1x2x1x1x1"}}), "output", "give 1x2x1x2x2");  // e10
  ExpectRefused(ReadInput, with({{"output", "1x3x1x2x2"}}), "output", "2 channels as the filter, found 3");
  EXPECT_EQ(ReadInput(with({{"pad", "0x0x0x0x0x0"}})).conv().pad, Pads{});          // e12
  ExpectRefused(ReadInput, with({{"pad", "SAME"}}), "pad", "must be valid, same");  // e13
  EXPECT_EQ(ReadInput(with({{"dilation", "2"}})).conv().out, (Extents3{1, 1, 1}));  // e14
  const auto flat = [](const CaseCells& change) {
    return Read({{"op", "conv2d_backprop_input"}, {"input", "1x4x8x8"}, {"filter", "8x4x3x3"}}, change);
  };
  ExpectRefused(flat, {{"rounding", "nearest"}}, "rounding", "must be one of floor, round, ceil");  // e15
  ExpectRefused(flat, {{"layout", "CHWN"}}, "layout", "must be one of NCHW, NHWC");                 // e16
  ExpectRefused(flat, {{"pad", "same"}, {"rounding", "ceil"}}, "rounding", "pad 'same' fixes");     // e17
  EXPECT_EQ(flat({{"stride", "2"}, {"rounding", "ceil"}}).conv().out, (Extents3{1, 4, 4}));
}

}  // namespace
}  // namespace tilesim
