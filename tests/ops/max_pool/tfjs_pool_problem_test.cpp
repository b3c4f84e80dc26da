// What the arguments of TensorFlow.js' poolings mean, which are refused, and the values where its kernels are
// wrong.
#include "ops/max_pool/tfjs_pool_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "formats/error.h"
#include "ops/max_pool/pool_reference.h"

namespace tilesim::tfjs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

PoolCall Call2d() {
  return {.kernel = "MaxPool", .x_shape = {1, 9, 8, 4}, .filter_size = {3, 2}, .strides = 2};
}
PoolCall Call3d() {
  return {.kernel = "MaxPool3DGrad",
          .x_name = "input",
          .layout = Format::kNDHWC,
          .x_shape = {2, 4, 6, 6, 7},
          .filter_size = 2,
          .strides = 2,
          .of_result = {{"dy", {2, 2, 3, 3, 7}}, {"output", {2, 2, 3, 3, 7}}}};
}

template <class Change>
PoolCall With(PoolCall call, const Change& change) {
  change(call);
  return call;
}

void ExpectRefused(const PoolCall& call, std::string_view argument, std::string_view words) {
  try {
    (void)ProblemOf(call);
    ADD_FAILURE() << argument << " " << words;
  } catch (const RefusedInput& refused) {
    EXPECT_EQ(refused.refusal().where, Say(call.kernel, ": ", argument));
    EXPECT_NE(refused.refusal().allowed.find(words), std::string::npos) << refused.what();
    EXPECT_FALSE(refused.refusal().mend.empty());
  }
}

TEST(TfjsPoolProblem, ShapesAreChannelLastAndNaNNeverWins) {
  const PoolProblem flat = ProblemOf(Call2d());
  EXPECT_EQ(flat.layout, Format::kNHWC);
  EXPECT_EQ(flat.channels, 4);
  EXPECT_EQ(flat.windows.in, (Extents3{1, 9, 8}));
  EXPECT_EQ(flat.windows.kernel, (Extents3{1, 3, 2}));
  EXPECT_EQ(flat.windows.stride, (Extents3{1, 2, 2}));
  EXPECT_EQ(flat.out, (Extents3{1, 4, 4}));
  EXPECT_EQ(flat.nan, NanRule::kIgnore);
  EXPECT_EQ(flat.argmax, ArgmaxOrder::kNhwc);
  const PoolProblem deep = ProblemOf(Call3d());
  EXPECT_EQ(deep.batch, 2);
  EXPECT_EQ(deep.channels, 7);
  EXPECT_EQ(deep.windows.in, (Extents3{4, 6, 6}));
  EXPECT_EQ(deep.out, (Extents3{2, 3, 3}));
  const auto batch = With(Call2d(), [](auto& call) { call.include_batch_in_index = true; });
  EXPECT_EQ(ProblemOf(batch).argmax, ArgmaxOrder::kBatchNhwc);
}

TEST(TfjsPoolProblem, PadsComeInEachOfTheirForms) {
  const auto pads = [](const Pad& pad) {
    return ProblemOf(With(Call2d(), [&](auto& call) { call.pad = pad; })).windows.pad;
  };
  EXPECT_EQ(pads("valid"), Pads{});
  EXPECT_EQ(pads("same"), (Pads{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(pads(2), (Pads{0, 0, 2, 2, 2, 2}));
  EXPECT_EQ(pads(ExplicitPads{{0, 0}, {1, 2}, {0, 1}, {0, 0}}), (Pads{0, 0, 1, 2, 0, 1}));
}

TEST(TfjsPoolProblem, RoundsTheSizeOfTheResultAsAsked) {
  // (8 - 3) / 2 + 1 = 3.5
  const auto height = [](std::string_view mode) {
    return ProblemOf(With(Call2d(),
                          [&](auto& call) {
                            call.x_shape = {1, 8, 8, 1};
                            call.filter_size = 3;
                            call.pad = 0;
                            call.dim_rounding_mode = mode;
                          }))
        .out.h;
  };
  EXPECT_EQ(height(""), 3);
  EXPECT_EQ(height("floor"), 3);
  EXPECT_EQ(height("ceil"), 4);
  EXPECT_EQ(height("round"), 4);
}

// Numbers as in the project's oracle list of odd requests.
TEST(TfjsPoolProblem, RefusesTheOddRequests) {
  ExpectRefused(With(Call2d(),
                     [](auto& call) {
                       call.dim_rounding_mode = "nearest";
                       call.pad = 0;
                     }),
                "dimRoundingMode", "must be floor, round or ceil");  // e15
  ExpectRefused(With(Call2d(),
                     [](auto& call) {
                       call.dim_rounding_mode = "floor";
                       call.pad = "same";
                     }),
                "dimRoundingMode", "pad 'same' fixes the size");  // e17
  const auto e18 = With(Call2d(), [](auto& call) {
    call.x_shape = {1, 5, 5, 1};
    call.filter_size = 3;
    call.strides = 1;
    call.pad = 2;
  });
  EXPECT_EQ(ProblemOf(e18).out, (Extents3{1, 7, 7}));
  ExpectRefused(With(e18, [](auto& call) { call.filter_size = 10; }), "filterSize",
                "spans 10 in height, the padded input only 9");  // e19
  ExpectRefused(With(Call3d(), [](auto& call) { call.filter_size = 7; }), "filterSize",
                "spans 7 in depth, the padded input only 4");                                           // e20
  ExpectRefused(With(Call2d(), [](auto& call) { call.filter_size = 0; }), "filterSize", "at least 1");  // e21
  ExpectRefused(With(Call2d(), [](auto& call) { call.strides = 0; }), "strides", "at least 1");         // e22
  const PoolProblem e23 = ProblemOf(With(Call2d(), [](auto& call) { call.x_shape[0] = 0; }));
  EXPECT_EQ(e23.YExtents(), (std::vector<int64_t>{0, 4, 4, 4}));
  ExpectRefused(With(Call2d(), [](auto& call) { call.pad = "SAME"; }), "pad", "must be valid, same");
  ExpectRefused(With(Call2d(), [](auto& call) { call.pad = -1; }), "pad", "found -1");
}

TEST(TfjsPoolProblem, RefusesShapesThatAreNotThoseOfTheResult) {
  ExpectRefused(With(Call3d(), [](auto& call) { call.of_result[0].shape[3] = 4; }), "dy",
                "must be 2x2x3x3x7, as input, filterSize, strides and pad give");
  ExpectRefused(With(Call3d(), [](auto& call) { call.of_result[1].shape[4] = 6; }), "output",
                "must be 2x2x3x3x7");
  ExpectRefused(With(Call3d(), [](auto& call) { call.of_result[0].shape[0] = 1; }), "dy", "must be 2x2");
  ExpectRefused(With(Call3d(),
                     [](auto& call) {
                       call.x_shape = {4, 6, 6, 7};
                     }),
                "input", "must have 5 numbers, NDHWC");
  ExpectRefused(With(Call3d(), [](auto& call) { call.strides = {1, 2}; }), "strides", "one number or 3");
  ExpectRefused(With(Call2d(),
                     [](auto& call) {
                       call.filter_size = {1, 2, 2};
                     }),
                "filterSize", "one number or 2");
  ExpectRefused(With(Call2d(), [](auto& call) { call.dtype = DType::kInt32; }), "x",
                "must be fp16, bf16 or fp32");
}

TEST(TfjsPoolProblem, RefusesAnIndexThatAnInt32CannotHold) {
  const auto large = With(Call2d(), [](auto& call) {
    call.x_shape = {3, 30000, 30000, 1};
    call.filter_size = 2;
  });
  EXPECT_EQ(ProblemOf(large).ArgmaxPositions(), 9e8);
  ExpectRefused(With(large, [](auto& call) { call.include_batch_in_index = true; }), "includeBatchInIndex",
                "counts 2700000000 positions of the input, an int32 tells 2147483648 apart");
}

TEST(TfjsPoolProblem, DataFormatsAreTheTwoOf3d) {
  EXPECT_EQ(PoolFormatOf("MaxPool3D", "NDHWC"), Format::kNDHWC);
  EXPECT_EQ(PoolFormatOf("MaxPool3D", "NCDHW"), Format::kNCDHW);
  EXPECT_THROW((void)PoolFormatOf("MaxPool3D", "NHWC"), RefusedInput);
  EXPECT_THROW((void)PoolFormatOf("MaxPool3D", ""), RefusedInput);
}

// Values where the CPU kernels of TensorFlow.js 4.22 are wrong, as TensorFlow and PyTorch have them.

Tensor Filled(const PoolProblem& p, const Layout& layout, const std::vector<double>& values) {
  Tensor tensor(p.dtype, CanonicalLayout(layout));
  std::ranges::transform(values, tensor.As<float>().begin(), [](double v) { return static_cast<float>(v); });
  return Converted(tensor, layout);
}

std::vector<double> GradientOfOne(const PoolCall& call, const std::vector<double>& x) {
  const PoolProblem p = ProblemOf(call);
  const std::vector<double> ones(static_cast<size_t>(p.YLayout().LogicalElements()), 1);
  return ReferenceMaxPoolGradOfInput(p, Filled(p, p.YLayout(), ones), Filled(p, p.XLayout(), x)).dx;
}

PoolCall OneWindow(const FilterSize& window) {
  const std::vector<int64_t>& k = window.values();
  return {.kernel = "MaxPool3DGrad",
          .layout = Format::kNDHWC,
          .x_shape = {1, k[0], k[1], k[2], 1},
          .filter_size = window,
          .strides = window};
}

// MaxPool3DGrad decodes its position with the width where it was made with the height.
TEST(TfjsPoolQuirks, TheGradientFindsItsElementWhereHeightAndWidthDiffer) {
  EXPECT_EQ(GradientOfOne(OneWindow({1, 2, 3}), {0, 0, 0, 9, 0, 0}),
            (std::vector<double>{0, 0, 0, 1, 0, 0}));  // there: at (0, 2)
  EXPECT_EQ(GradientOfOne(OneWindow({1, 3, 2}), {0, 0, 0, 0, 0, 9}),
            (std::vector<double>{0, 0, 0, 0, 0, 1}));  // there: lost
}

// MaxPool3DGrad takes the last.
TEST(TfjsPoolQuirks, TheFirstOfEqualMaximaHasTheGradientIn3dToo) {
  EXPECT_EQ(GradientOfOne(OneWindow({2, 2, 2}), {0, 7, 7, 0, 0, 7, 0, 0}),
            (std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0}));
}

// There the last element of such a window has it in 3D, none in 2D.
TEST(TfjsPoolQuirks, AWindowOfNothingButMinusInfinityHasNoGradient) {
  const std::vector<double> x(8, -kInfinity);
  EXPECT_EQ(GradientOfOne(OneWindow({2, 2, 2}), x), std::vector<double>(8, 0));
}

// There windows begin at -1: 1 and 4 are sampled.
TEST(TfjsPoolQuirks, SameBeginsWithinTheInputWhereTheStrideExceedsTheWindow) {
  const PoolCall call = {.kernel = "MaxPool3D",
                         .layout = Format::kNDHWC,
                         .x_shape = {1, 1, 1, 5, 1},
                         .filter_size = 1,
                         .strides = 3,
                         .pad = "same"};
  const PoolProblem p = ProblemOf(call);
  EXPECT_EQ(ReferenceMaxPool(p, Filled(p, p.XLayout(), {0, 1, 2, 3, 4})).y, (std::vector<double>{0, 3}));
}

// There both axes go by the height: 8 results (its issue 649).
TEST(TfjsPoolQuirks, ANumberPadsEachAxisByItsOwnWindowAndStride) {
  const PoolCall call = {
      .kernel = "MaxPool", .x_shape = {1, 1, 8, 1}, .filter_size = {1, 3}, .strides = 1, .pad = 0};
  const PoolProblem p = ProblemOf(call);
  EXPECT_EQ(ReferenceMaxPool(p, Filled(p, p.XLayout(), {0, 1, 2, 3, 4, 5, 6, 7})).y,
            (std::vector<double>{2, 3, 4, 5, 6, 7}));
}

// There x comes back as it is.
TEST(TfjsPoolQuirks, AWindowOfOneElementStillHasStrideAndPads) {
  const PoolCall call = {.kernel = "MaxPool",
                         .x_shape = {1, 1, 3, 1},
                         .filter_size = 1,
                         .strides = {1, 2},
                         .pad = ExplicitPads{{0, 0}, {0, 0}, {1, 1}, {0, 0}}};
  const PoolProblem p = ProblemOf(call);
  EXPECT_EQ(ReferenceMaxPool(p, Filled(p, p.XLayout(), {5, 6, 7})).y,
            (std::vector<double>{-kInfinity, 6, -kInfinity}));
}

}  // namespace
}  // namespace tilesim::tfjs
