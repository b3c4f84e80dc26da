// What a pooling is, and which rules it must keep.
#include "ops/max_pool/pool_problem.h"

#include <gtest/gtest.h>

#include <functional>

#include "formats/error.h"
#include "ops/cases/window_rules.h"

namespace tilesim {
namespace {

PoolProblem Plain() {
  PoolProblem p;
  p.batch = 2;
  p.channels = 6;
  p.windows = {.in = {5, 9, 8}, .kernel = {2, 3, 3}, .stride = {2, 2, 2}, .dilation = {}, .pad = {}};
  p.out = ForwardExtents(p.windows, p.rounding);
  return p;
}

TEST(PoolProblem, APlainProblemIsLegal) {
  EXPECT_FALSE(WhyNot(Plain()).has_value());
  EXPECT_EQ(Plain().out, (Extents3{2, 4, 3}));
}

TEST(PoolProblem, ShapesAreThoseOfTheLayout) {
  PoolProblem p = Plain();
  EXPECT_EQ(p.XExtents(), (std::vector<int64_t>{2, 6, 5, 9, 8}));
  EXPECT_EQ(p.YExtents(), (std::vector<int64_t>{2, 6, 2, 4, 3}));
  EXPECT_FALSE(p.Is2d());
  EXPECT_FALSE(p.ChannelsLast());
  EXPECT_EQ(WindowText(p), "2x3x3");
  p.layout = Format::kNHWC;
  p.windows.in.d = p.windows.kernel.d = p.windows.stride.d = p.out.d = 1;
  EXPECT_EQ(p.XExtents(), (std::vector<int64_t>{2, 6, 9, 8}));
  EXPECT_EQ(p.YLayout(), Layout(Format::kNHWC, {2, 6, 4, 3}));
  EXPECT_EQ(p.XLayout().StorageShape(), (std::vector<int64_t>{2, 9, 8, 6}));
  EXPECT_TRUE(p.Is2d());
  EXPECT_TRUE(p.ChannelsLast());
  EXPECT_EQ(WindowText(p), "3x3");
}

TEST(PoolProblem, TapsCountEachElementOfEachWindow) {
  EXPECT_EQ(Plain().Taps(), 2.0 * 6 * (2 * 4 * 3) * (2 * 3 * 3));
}

TEST(PoolProblem, EachRuleAndOrderParsesFromItsName) {
  for (const NanRule rule : {NanRule::kPropagate, NanRule::kIgnore}) {
    EXPECT_EQ(ParseNanRule(Name(rule)), rule);
  }
  for (const ArgmaxOrder order : {ArgmaxOrder::kPlane, ArgmaxOrder::kNhwc, ArgmaxOrder::kBatchNhwc}) {
    EXPECT_EQ(ParseArgmaxOrder(Name(order)), order);
  }
  EXPECT_EQ(ParseNanRule("plane"), std::nullopt);
  EXPECT_EQ(ParseArgmaxOrder("ndhwc"), std::nullopt);
}

void ExpectRefused(const std::string& column, const std::string& words,
                   const std::function<void(PoolProblem&)>& change) {
  PoolProblem p = Plain();
  change(p);
  const auto no = WhyNot(p);
  ASSERT_TRUE(no.has_value()) << words;
  EXPECT_EQ(no->where, column) << Sentence(*no);
  EXPECT_NE(no->allowed.find(words), std::string::npos) << Sentence(*no);
  EXPECT_FALSE(no->mend.empty());
}

void ExpectLegal(const std::function<void(PoolProblem&)>& change) {
  PoolProblem p = Plain();
  change(p);
  p.out = ForwardExtents(p.windows, p.rounding);
  const auto no = WhyNot(p);
  EXPECT_FALSE(no.has_value()) << Sentence(*no);
}

TEST(PoolProblem, TakesTheEdgesAndRefusesWhatIsBeyond) {
  const auto most = static_cast<int64_t>(INT32_MAX);
  ExpectLegal([](auto& p) { p.batch = 0; });
  ExpectRefused("input", "the batch must be 0 to 2147483647, found -1", [](auto& p) { p.batch = -1; });
  ExpectLegal([](auto& p) { p.channels = 1; });
  ExpectRefused("input", "each extent must be 1 to 2147483647, found 0", [](auto& p) { p.channels = 0; });
  ExpectRefused("input", "each extent must be 1 to 2147483647, found 0", [](auto& p) { p.windows.in.h = 0; });
  ExpectRefused("input", "each extent must be 1 to 2147483647, found 2147483648",
                [&](auto& p) { p.windows.in.w = most + 1; });
  ExpectRefused("input", "a tensor may have at most 68719476736 elements", [](auto& p) {
    p.windows.in = {60000, 60000, 60000};
  });
  ExpectLegal([&](auto& p) { p.windows.stride = {most, most, most}; });
  ExpectRefused("stride", "depth must be 1 to 2147483647, found 0", [](auto& p) { p.windows.stride.d = 0; });
  ExpectRefused("stride", "height must be 1 to 2147483647, found 0", [](auto& p) { p.windows.stride.h = 0; });
  ExpectRefused("stride", "width must be 1 to 2147483647, found 2147483648",
                [&](auto& p) { p.windows.stride.w = most + 1; });
  ExpectLegal([](auto& p) { p.windows.dilation = {4, 4, 3}; });
  ExpectRefused("dilation", "width must be 1 to 2147483647, found 0",
                [](auto& p) { p.windows.dilation.w = 0; });
  ExpectLegal([](auto& p) { p.windows.pad = {7, 0, 0, 7, 7, 7}; });  // more than half the window
  ExpectRefused("pad", "front must be 0 to 2147483647, found -1", [](auto& p) { p.windows.pad.front = -1; });
  ExpectRefused("pad", "right must be 0 to 2147483647, found -1", [](auto& p) { p.windows.pad.right = -1; });
  ExpectRefused("filter", "height must be 1 to 2147483647, found 0", [](auto& p) { p.windows.kernel.h = 0; });
  ExpectRefused("filter", "width must be 1 to 2147483647, found -3",
                [](auto& p) { p.windows.kernel.w = -3; });
  ExpectRefused("dtype", "must be fp16, bf16 or fp32", [](auto& p) { p.dtype = DType::kInt32; });
}

TEST(PoolProblem, AWindowAsLargeAsThePaddedInputFitsAndALargerOneDoesNot) {
  ExpectLegal([](auto& p) { p.windows.kernel = {5, 9, 8}; });
  ExpectLegal([](auto& p) {
    p.windows.kernel = {2, 5, 3};
    p.windows.dilation.h = 2;
  });
  ExpectRefused("filter", "spans 6 in depth, the padded input only 5",
                [](auto& p) { p.windows.kernel.d = 6; });
  ExpectLegal([](auto& p) {
    p.windows.kernel.d = 6;
    p.windows.pad.back = 1;
  });
  ExpectRefused("filter", "spans 11 in height, the padded input only 10", [](auto& p) {
    p.windows.dilation.h = 5;
    p.windows.pad.top = 1;
  });
}

TEST(PoolProblem, TheOutputIsOfTheSizeThatFollows) {
  ExpectRefused("output", "rounding give 2x6x2x4x3", [](auto& p) { p.out.w = 4; });
  ExpectRefused("output", "rounding give 2x6x3x4x4", [](auto& p) { p.rounding = Rounding::kCeil; });
  ExpectRefused("output", "rounding give 2x6x3x4x4", [](auto& p) {  // in width 2.5
    p.rounding = Rounding::kRound;
  });
  ExpectLegal([](auto& p) { p.rounding = Rounding::kCeil; });
  // windows start at -1 and 3, which is past the input of 3
  const auto drop = [](auto& p) {
    p.windows.in.w = 3;
    p.windows.kernel.w = 2;
    p.windows.stride.w = 4;
    p.windows.pad.left = 1;
    p.windows.pad.right = 1;
  };
  ExpectRefused("output", "give 2x6x3x4x1", [&](auto& p) {
    drop(p);
    p.rounding = Rounding::kCeilInBounds;
    p.out.w = 2;
  });
  ExpectLegal([&](auto& p) {
    drop(p);
    p.rounding = Rounding::kCeil;
  });
}

TEST(PoolProblem, AShapeIsMendedByTheBoundThatItBreaks) {
  const auto mend = [](const std::function<void(PoolProblem&)>& change) {
    PoolProblem p = Plain();
    change(p);
    return WhyNot(p)->mend;
  };
  const int64_t large = int64_t{INT32_MAX} + 1;
  EXPECT_EQ(mend([](auto& p) { p.batch = -1; }), "0 gives an empty result");
  EXPECT_EQ(mend([&](auto& p) { p.batch = large; }), "give a smaller batch");
  EXPECT_EQ(mend([](auto& p) { p.windows.in.w = 0; }), "give the shape of a tensor that is not empty");
  EXPECT_EQ(mend([&](auto& p) { p.windows.in.w = large; }), "give smaller extents");
}

TEST(PoolProblem, AnOutputThatIsTooLargeNamesWhatMakesItSo) {
  const auto most = static_cast<int64_t>(INT32_MAX);
  PoolProblem p;
  p.layout = Format::kNCHW;
  p.batch = 1;
  p.channels = 1;
  p.windows.in = {1, 4, 4};
  p.windows.kernel = {1, 2, 2};
  p.windows.dilation = {1, most, most};
  p.windows.pad = {0, 0, most, most, most, most};
  p.out = ForwardExtents(p.windows, p.rounding);
  const auto no = WhyNot(p);
  ASSERT_TRUE(no.has_value());
  EXPECT_EQ(Sentence(*no),
            "pad = '0x0x2147483647x2147483647x2147483647x2147483647': gives the output "
            "1x1x2147483651x2147483651, each extent must be 1 to 2147483647, found 2147483651; give less "
            "padding");
  p.windows.dilation = {1, 1, 1};
  p.windows.pad = {0, 0, 200000, 200000, 200000, 200000};  // each extent is legal, the tensor is not
  p.out = ForwardExtents(p.windows, p.rounding);
  ASSERT_TRUE(WhyNot(p).has_value());
  EXPECT_EQ(WhyNot(p)->where, "pad");
  EXPECT_EQ(WhyNot(p)->mend, "give less padding");
  // without padding: input 1 x 2, limits below it
  Windows plain;
  plain.in = {1, 1, 2};
  plain.kernel = {1, 1, 1};
  const auto input = WhyNotOutput(plain, Rounding::kFloor, Format::kNCHW, {1, 1, 1, 2}, {1, 9, 1, 2},
                                  {.extent = 9, .elements = 17});
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ(
      Sentence(*input),
      "input = '1x1x1x2': gives the output 1x9x1x2, a tensor may have at most 17 elements, found 18; give a "
      "smaller input");
}

TEST(PoolProblem, AnArgmaxMustFitAnInt32InItsOrder) {
  const auto large = [](auto& p, int64_t width, ArgmaxOrder order) {
    p.batch = 2;
    p.channels = 4;
    p.windows = {.in = {2, 1, width}, .kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {}, .pad = {}};
    p.out = p.windows.in;
    p.argmax = order;
  };
  const int64_t most = int64_t{1} << 30;  // times a depth of 2
  ExpectLegal([&](auto& p) { large(p, most, ArgmaxOrder::kPlane); });
  ExpectRefused("argmax", "counts 2147483650 positions of the input, an int32 tells 2147483648 apart",
                [&](auto& p) { large(p, most + 1, ArgmaxOrder::kPlane); });
  ExpectLegal([&](auto& p) { large(p, most / 4, ArgmaxOrder::kNhwc); });
  ExpectRefused("argmax", "counts 2147483656 positions",
                [&](auto& p) { large(p, most / 4 + 1, ArgmaxOrder::kNhwc); });
  ExpectLegal([&](auto& p) { large(p, most / 8, ArgmaxOrder::kBatchNhwc); });
  ExpectRefused("argmax", "counts 2147483664 positions",
                [&](auto& p) { large(p, most / 8 + 1, ArgmaxOrder::kBatchNhwc); });
  PoolProblem p = Plain();
  large(p, most / 8 + 1, ArgmaxOrder::kBatchNhwc);
  EXPECT_EQ(WhyNot(p)->mend, "give plane, which counts those of one channel");
}

// UndefinedBehaviorSanitizer tells.
TEST(PoolProblem, TheLargestNumbersDoNotOverflow) {
  const auto most = static_cast<int64_t>(INT32_MAX);
  for (const Rounding rounding :
       {Rounding::kFloor, Rounding::kRound, Rounding::kCeil, Rounding::kCeilInBounds}) {
    ExpectRefused("filter", "spans", [&](auto& p) {
      p.windows.kernel = {most, most, most};
      p.windows.dilation = {most, most, most};
      p.rounding = rounding;
      p.out = ForwardExtents(p.windows, rounding);
    });
  }
  ExpectLegal([&](auto& p) {
    p.channels = 1;
    p.windows.stride = p.windows.kernel = {most, most, most};
    p.windows.pad = {most, most, most, most, most, most};
  });
}

}  // namespace
}  // namespace tilesim
