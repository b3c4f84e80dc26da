// What the arguments of TensorFlow.js' convolution gradients mean, and which are refused.
#include "ops/conv3d_backprop/tfjs_problem.h"

#include <gtest/gtest.h>

#include "formats/error.h"
#include "ops/cases/refusal.h"

namespace tilesim::tfjs {
namespace {

ConvCall Call3d() {
  return {.kernel = "Conv3DBackpropInputV2",
          .x_name = "inputShape",
          .filter_name = "filter",
          .x_shape = {1, 4, 5, 6, 7},
          .filter_shape = {2, 3, 2, 7, 17},
          .dy_shape = {1, 3, 3, 5, 17}};
}

ConvCall Call2d(Format layout = Format::kNHWC) {
  return {.kernel = "Conv2DBackpropInput",
          .x_name = "inputShape",
          .filter_name = "filter",
          .layout = layout,
          .x_shape = {1, 8, 8, 4},
          .filter_shape = {3, 3, 4, 5},
          .dy_shape = {1, 3, 3, 5},
          .strides = 2,
          .pad = 0};
}

void ExpectRefused(const ConvCall& call, std::string_view argument, std::string_view words) {
  try {
    (void)ProblemOf(call);
    ADD_FAILURE() << argument << " " << words;
  } catch (const RefusedInput& refused) {
    EXPECT_EQ(refused.refusal().where, Say(call.kernel, ": ", argument));
    EXPECT_NE(refused.refusal().allowed.find(words), std::string::npos) << refused.what();
    EXPECT_FALSE(refused.refusal().mend.empty());
  }
}

TEST(TfjsProblem, ShapesAreChannelLastAndFiltersDhwio) {
  const Conv3dProblem p = ProblemOf(Call3d());
  EXPECT_EQ(p.layout, Format::kNDHWC);
  EXPECT_EQ(p.filter_layout, Format::kDHWIO);
  EXPECT_EQ(p.dtype, DType::kFp32);
  EXPECT_EQ(p.batch, 1);
  EXPECT_EQ(p.cin, 7);
  EXPECT_EQ(p.cout, 17);
  EXPECT_EQ(p.in, (Extents3{4, 5, 6}));
  EXPECT_EQ(p.kernel, (Extents3{2, 3, 2}));
  EXPECT_EQ(p.out, (Extents3{3, 3, 5}));
  EXPECT_EQ(p.groups, 1);
  EXPECT_EQ(p.dilation, (Extents3{1, 1, 1}));
}

TEST(TfjsProblem, TheFilterIsHwioForBothDataFormats) {
  ConvCall call = Call2d(Format::kNCHW);
  call.x_shape = {2, 5, 7, 8};
  call.filter_shape = {3, 3, 5, 7};
  call.dy_shape = {2, 7, 4, 8};
  call.strides = {2, 1};
  call.pad = Pad("same");
  const Conv3dProblem p = ProblemOf(call);
  EXPECT_EQ(p.layout, Format::kNCHW);
  EXPECT_EQ(p.filter_layout, Format::kHWIO);
  EXPECT_EQ(p.cin, 5);
  EXPECT_EQ(p.cout, 7);
  EXPECT_EQ(p.in, (Extents3{1, 7, 8}));
  EXPECT_EQ(p.stride, (Extents3{1, 2, 1}));
  EXPECT_EQ(p.pad, (Pads{0, 0, 1, 1, 1, 1}));
}

TEST(TfjsProblem, PadsComeInEachOfTheirForms) {
  ConvCall call = Call3d();
  call.pad = Pad("same");
  call.dy_shape = {1, 4, 5, 6, 17};
  EXPECT_EQ(ProblemOf(call).pad, (Pads{0, 1, 1, 1, 0, 1}));
  call.pad = 1;
  call.dy_shape = {1, 5, 5, 7, 17};
  EXPECT_EQ(ProblemOf(call).pad, (Pads{1, 1, 1, 1, 1, 1}));
  call.pad = ExplicitPads{{0, 0}, {1, 0}, {0, 2}, {1, 1}, {0, 0}};
  call.dy_shape = {1, 4, 5, 7, 17};
  EXPECT_EQ(ProblemOf(call).pad, (Pads{1, 0, 0, 2, 1, 1}));
  ConvCall flat = Call2d(Format::kNCHW);
  flat.x_shape = {1, 4, 8, 8};
  flat.pad = ExplicitPads{{0, 0}, {0, 0}, {1, 0}, {2, 1}};
  flat.dy_shape = {1, 5, 4, 5};
  EXPECT_EQ(ProblemOf(flat).pad, (Pads{0, 0, 1, 0, 2, 1}));
}

// TensorFlow.js begins one element before the input where a stride exceeds the kernel in 3D.
TEST(TfjsProblem, SameNeverPadsLessThanNothing) {
  ConvCall call = Call3d();
  call.x_shape = {1, 5, 5, 5, 7};
  call.filter_shape = {1, 1, 1, 7, 17};
  call.dy_shape = {1, 2, 2, 2, 17};
  call.strides = 3;
  call.pad = Pad("same");
  EXPECT_EQ(ProblemOf(call).pad, Pads{});
}

// TensorFlow.js takes the kernel's height and the stride in height for both axes here (its issue 649).
TEST(TfjsProblem, ANumberPadsEachAxisByItsOwnKernelAndStride) {
  ConvCall call = Call2d();
  call.filter_shape = {1, 3, 4, 5};
  call.strides = {1, 2};
  call.dy_shape = {1, 8, 3, 5};
  EXPECT_EQ(ProblemOf(call).out, (Extents3{1, 8, 3}));
  call.dy_shape = {1, 8, 8, 5};
  ExpectRefused(call, "dy", "must be 1x8x3x5");
}

TEST(TfjsProblem, RoundsTheSizeOfTheOutputAsAsked) {
  // (8 - 3) / 2 + 1 = 3.5
  ConvCall call = Call2d();
  EXPECT_EQ(ProblemOf(call).rounding, Rounding::kFloor);
  call.dim_rounding_mode = "floor";
  EXPECT_EQ(ProblemOf(call).rounding, Rounding::kFloor);
  for (const std::string_view mode : {"round", "ceil"}) {
    call.dim_rounding_mode = mode;
    ExpectRefused(call, "dy", "must be 1x4x4x5");
    call.dy_shape = {1, 4, 4, 5};
    EXPECT_EQ(Name(ProblemOf(call).rounding), mode);
    call.dy_shape = {1, 3, 3, 5};
  }
}

// Numbers as in the project's oracle list of odd requests.
TEST(TfjsProblem, RefusesTheOddRequests) {
  const auto with = [](ConvCall call, const auto& change) {
    change(call);
    return call;
  };
  const auto e10 = with(Call3d(), [](auto& call) {
    call.x_shape = {1, 1, 3, 3, 1};
    call.filter_shape = {1, 2, 2, 1, 2};
    call.dy_shape = {1, 1, 1, 1, 2};
  });
  ExpectRefused(e10, "dy", "must be 1x1x2x2x2, as inputShape, filter, strides and pad give");
  const auto e11 = with(e10, [](auto& call) { call.dy_shape = {1, 1, 2, 2, 3}; });
  ExpectRefused(e11, "dy", "must have 2 channels as filter, found 3");
  const auto cin = with(e10, [](auto& call) { call.filter_shape = {1, 2, 2, 3, 2}; });
  ExpectRefused(cin, "filter", "must have 1 input channels as inputShape, found 3");
  const auto e09 = with(Call3d(), [](auto& call) { call.dy_shape[0] = 2; });
  ExpectRefused(e09, "dy", "must have 1 batch items as inputShape, found 2");
  ExpectRefused(with(Call3d(), [](auto& call) { call.strides = 0; }), "strides", "at least 1");
  ExpectRefused(with(Call3d(), [](auto& call) { call.pad = -1; }), "pad", "must be 0 to 255, found -1");
  ExpectRefused(with(Call3d(), [](auto& call) { call.filter_shape[0] = 5; }), "filter",
                "spans 5 in depth, the padded input only 4");
  ExpectRefused(with(Call3d(), [](auto& call) { call.pad = Pad("SAME"); }), "pad", "must be valid, same");
  ExpectRefused(with(Call2d(), [](auto& call) { call.dim_rounding_mode = "nearest"; }), "dimRoundingMode",
                "must be floor, round or ceil");
  const auto e17 = with(Call2d(), [](auto& call) {
    call.pad = Pad("same");
    call.dim_rounding_mode = "floor";
  });
  ExpectRefused(e17, "dimRoundingMode", "pad 'same' fixes the size");
  EXPECT_THROW((void)FormatOf("Conv2DBackpropInput", "CHWN"), RefusedInput);
  EXPECT_THROW((void)FormatOf("Conv2DBackpropInput", ""), RefusedInput);
  EXPECT_EQ(FormatOf("Conv2DBackpropInput", "NCHW"), Format::kNCHW);
}

// Before anything is computed from them, which would overflow (UndefinedBehaviorSanitizer tells).
TEST(TfjsProblem, RefusesStridesAndPadsOfAnySize) {
  for (const int64_t huge : {int64_t{INT64_MAX}, int64_t{INT64_MAX} / 2, int64_t{1} << 40}) {
    for (const std::string_view mode : {"", "floor", "round", "ceil"}) {
      ConvCall call = Call2d();
      call.dim_rounding_mode = mode;
      call.strides = huge;
      ExpectRefused(call, "strides", Say("height must be 1 to 63, found ", huge));
      call.strides = {1, huge};
      ExpectRefused(call, "strides", Say("width must be 1 to 63, found ", huge));
      call.strides = 1;
      for (const int64_t pad : {huge, -huge}) {
        call.pad = pad;
        ExpectRefused(call, "pad", Say("top must be 0 to 255, found ", pad));
        call.pad = ExplicitPads{{0, 0}, {0, 0}, {0, pad}, {0, 0}};
        ExpectRefused(call, "pad", Say("right must be 0 to 255, found ", pad));
      }
    }
    ConvCall same = Call3d();
    same.pad = "same";
    same.strides = {huge, 1, 1};
    ExpectRefused(same, "strides", Say("depth must be 1 to 255, found ", huge));
  }
}

TEST(TfjsProblem, RefusesListsOfTheWrongLength) {
  const auto with = [](ConvCall call, const auto& change) {
    change(call);
    return call;
  };
  ExpectRefused(with(Call3d(),
                     [](auto& call) {
                       call.x_shape = {4, 5, 6, 7};
                     }),
                "inputShape", "must have 5 numbers, NDHWC");
  ExpectRefused(with(Call3d(), [](auto& call) { call.filter_shape.pop_back(); }), "filter",
                "must have 5 numbers, DHWIO");
  ExpectRefused(with(Call3d(), [](auto& call) { call.x_shape[2] = 0; }), "inputShape", "must be 1 to");
  ExpectRefused(with(Call3d(), [](auto& call) { call.strides = {1, 2}; }), "strides", "one number or 3");
  ExpectRefused(with(Call2d(), [](auto& call) { call.strides = {1, 2, 2}; }), "strides", "one number or 2");
  ExpectRefused(with(Call2d(),
                     [](auto& call) {
                       call.pad = ExplicitPads{{1, 1}, {1, 1}};
                     }),
                "pad", "two numbers for each of NHWC");
  ExpectRefused(with(Call2d(),
                     [](auto& call) {
                       call.pad = ExplicitPads{{0, 0}, {0, 0}, {0, 0}, {0, 1}};
                     }),
                "pad", "axis C cannot be padded");
}

TEST(TfjsProblem, RefusesTensorsOfAnotherFormatOrType) {
  const Tensor tensor(DType::kFp16, Layout(Format::kNDHWC, {1, 2, 3, 4, 5}));
  EXPECT_EQ(ShapeOf("K", "dy", tensor, Format::kNDHWC, DType::kFp16), (std::vector<int64_t>{1, 3, 4, 5, 2}));
  EXPECT_THROW((void)ShapeOf("K", "dy", tensor, Format::kNCDHW, DType::kFp16), RefusedInput);
  EXPECT_THROW((void)ShapeOf("K", "dy", tensor, Format::kNDHWC, DType::kBf16), RefusedInput);
  const Tensor whole(DType::kInt32, Layout(Format::kNDHWC, {1, 2, 3, 4, 5}));
  EXPECT_THROW((void)ShapeOf("K", "dy", whole, Format::kNDHWC, DType::kInt32), RefusedInput);
}

}  // namespace
}  // namespace tilesim::tfjs
