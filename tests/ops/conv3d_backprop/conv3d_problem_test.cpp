#include "ops/conv3d_backprop/conv3d_problem.h"

#include <gtest/gtest.h>

#include <functional>

namespace tilesim {
namespace {

// 2x6x5x9x8 with a 4x6x3x3x3 filter, all pads 1: legal; tests change one thing at a time.
Conv3dProblem Plain() {
  Conv3dProblem p;
  p.batch = 2;
  p.cin = 6;
  p.cout = 4;
  p.in = {5, 9, 8};
  p.kernel = {3, 3, 3};
  p.pad = {1, 1, 1, 1, 1, 1};
  p.out = {5, 9, 8};
  return p;
}

TEST(Conv3dProblem, APlainProblemIsLegal) { EXPECT_FALSE(WhyNot(Plain()).has_value()); }

TEST(Conv3dProblem, ForwardExtentRoundsAsAsked) {
  // in 8, kernel 3, stride 2: (8 - 3) / 2 = 2.5, one window more
  EXPECT_EQ(ForwardExtent({8, 3, 2, 1, 0, 0}, Rounding::kFloor), 3);
  EXPECT_EQ(ForwardExtent({8, 3, 2, 1, 0, 0}, Rounding::kRound), 4);
  EXPECT_EQ(ForwardExtent({8, 3, 2, 1, 0, 0}, Rounding::kCeil), 4);
  EXPECT_EQ(ForwardExtent({8, 3, 2, 1, 0, 0}, Rounding::kCeilInBounds), 4);
  // in 8, kernel 2, stride 4: 6 / 4 = 1.5; in 7: 1.25
  EXPECT_EQ(ForwardExtent({8, 2, 4, 1, 0, 0}, Rounding::kRound), 3);
  EXPECT_EQ(ForwardExtent({7, 2, 4, 1, 0, 0}, Rounding::kRound), 2);
  EXPECT_EQ(ForwardExtent({7, 2, 4, 1, 0, 0}, Rounding::kCeil), 3);
}

TEST(Conv3dProblem, CeilInBoundsDropsAWindowThatStartsPastTheInput) {
  // in 3, kernel 1, stride 2, pads 1 and 2: windows start at -1, 1, 3 and (ceil) 5: 3 is past the input
  EXPECT_EQ(ForwardExtent({3, 2, 2, 1, 1, 2}, Rounding::kCeil), 3);
  EXPECT_EQ(ForwardExtent({3, 2, 2, 1, 1, 2}, Rounding::kCeilInBounds), 2);
  EXPECT_EQ(ForwardExtent({4, 2, 2, 1, 1, 2}, Rounding::kCeilInBounds), 3);
}

TEST(Conv3dProblem, CeilInBoundsDropsEveryWindowThatStartsPastTheInput) {
  // in 4, kernel 2, stride 2: windows start at 0 and 2; with the padding behind also at 4, 6, ...
  EXPECT_EQ(ForwardExtent({4, 2, 2, 1, 0, 0}, Rounding::kCeilInBounds), 2);
  EXPECT_EQ(ForwardExtent({4, 2, 2, 1, 0, 10}, Rounding::kCeil), 7);
  EXPECT_EQ(ForwardExtent({4, 2, 2, 1, 0, 10}, Rounding::kCeilInBounds), 2);
  EXPECT_EQ(ForwardExtent({5, 2, 2, 1, 0, 10}, Rounding::kCeilInBounds), 3);   // 4 is the last element
  EXPECT_EQ(ForwardExtent({4, 2, 2, 1, 10, 0}, Rounding::kCeilInBounds), 7);   // padding in front counts
  EXPECT_EQ(ForwardExtent({4, 2, 2, 1, 10, 10}, Rounding::kCeilInBounds), 7);  // -10 to 2
  for (int64_t in = 1; in <= 6; ++in) {
    for (int64_t stride = 1; stride <= 4; ++stride) {
      for (int64_t before = 0; before <= 5; ++before) {
        for (int64_t after = 0; after <= 9; ++after) {
          const WindowAxis axis = {in, 2, stride, 1, before, after};
          const int64_t all = ForwardExtent(axis, Rounding::kCeil);
          int64_t starting = 0;  // in the input or the padding before it
          for (int64_t out = 0; out < all; ++out) {
            starting += out * stride - before < in ? 1 : 0;
          }
          EXPECT_EQ(ForwardExtent(axis, Rounding::kCeilInBounds), starting)
              << "in " << in << ", stride " << stride << ", pads " << before << " and " << after;
        }
      }
    }
  }
}

TEST(Conv3dProblem, DilationWidensTheWindow) {
  EXPECT_EQ(ForwardExtent({10, 3, 1, 4, 0, 0}, Rounding::kFloor), 2);
  EXPECT_EQ(ForwardExtent({10, 3, 1, 4, 2, 1}, Rounding::kFloor), 5);
}

TEST(Conv3dProblem, SamePadsPutTheOddZeroBehindAndNeverGoBelowZero) {
  Conv3dProblem p = Plain();
  p.in = {5, 8, 5};
  p.kernel = {2, 3, 1};
  p.stride = {1, 2, 3};
  EXPECT_EQ(SamePads(p.Walk()), (Pads{.front = 0, .back = 1, .top = 0, .bottom = 1, .left = 0, .right = 0}));
  p.pad = SamePads(p.Walk());
  EXPECT_EQ(ForwardExtents(p), (Extents3{5, 4, 2}));
}

TEST(Conv3dProblem, ReachedPadIsWhatTheWindowsTouch) {
  Conv3dProblem p = Plain();
  p.stride = {2, 2, 1};
  p.rounding = Rounding::kCeil;
  p.pad = {0, 0, 1, 1, 1, 1};
  p.in = {6, 8, 8};
  p.out = ForwardExtents(p);
  EXPECT_EQ(p.out, (Extents3{3, 5, 8}));
  // depth: the last window starts at 4 and ends at 6 of 6; height: starts at 2 * 4 - 1 = 7, ends at 9 of 8
  EXPECT_EQ(p.ReachedPad(), (Pads{.front = 0, .back = 1, .top = 1, .bottom = 2, .left = 1, .right = 1}));
  p.rounding = Rounding::kFloor;
  p.out = ForwardExtents(p);
  EXPECT_EQ(p.ReachedPad().bottom, 0);  // 4 windows: the last starts at 5, ends at 7
}

TEST(Conv3dProblem, ShapesAreWrittenInTheOrderOfTheLayout) {
  Conv3dProblem p = Plain();
  EXPECT_EQ(ShapeText(p.layout, p.XExtents()), "2x6x5x9x8");
  p.layout = Format::kNDHWC;
  p.filter_layout = Format::kDHWIO;
  p.groups = 2;
  p.kernel = {1, 2, 3};
  EXPECT_EQ(ShapeText(p.layout, p.XExtents()), "2x5x9x8x6");
  EXPECT_EQ(ShapeText(p.filter_layout, p.FilterExtents()), "1x2x3x3x4");
  p.layout = Format::kNHWC;
  p.filter_layout = Format::kOIHW;
  EXPECT_EQ(ShapeText(p.layout, p.XExtents()), "2x9x8x6");
  EXPECT_EQ(ShapeText(p.filter_layout, p.FilterExtents()), "4x3x2x3");
  EXPECT_EQ(p.XLayout().extents(), (std::vector<int64_t>{2, 6, 9, 8}));
}

TEST(Conv3dProblem, MacsCountEachProductOfEachWindow) {
  Conv3dProblem p = Plain();
  p.groups = 2;
  EXPECT_EQ(p.Macs(), 2.0 * 4 * (5 * 9 * 8) * 3 * 27);
}

struct Limit {
  std::string name;
  std::string column;
  int64_t most;
  std::function<void(Conv3dProblem&, int64_t)> set;
};

void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.name; }

class Conv3dProblemLimit : public testing::TestWithParam<Limit> {};

TEST_P(Conv3dProblemLimit, HoldsAtItsEdges) {
  const Limit& limit = GetParam();
  const bool is_pad = limit.column == "pad";
  const auto answer = [&](int64_t value) {
    Conv3dProblem p = Plain();
    p.in = {600, 600, 600};  // room for each window
    limit.set(p, value);
    if (value > 0 || is_pad) {
      p.out = ForwardExtents(p);
    }
    return WhyNot(p);
  };
  EXPECT_FALSE(answer(limit.most).has_value());
  EXPECT_FALSE(answer(is_pad ? 0 : 1).has_value());
  for (const int64_t beyond : {limit.most + 1, is_pad ? int64_t{-1} : int64_t{0}}) {
    const auto no = answer(beyond);
    ASSERT_TRUE(no.has_value()) << beyond;
    EXPECT_EQ(no->where, limit.column);
    const std::string text = Sentence(*no);
    EXPECT_NE(text.find(std::to_string(limit.most)), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(beyond)), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Conv3dProblemLimit,
    testing::Values(
        Limit{"StrideD", "stride", 255, [](Conv3dProblem& p, int64_t v) { p.stride.d = v; }},
        Limit{"StrideH", "stride", 63, [](Conv3dProblem& p, int64_t v) { p.stride.h = v; }},
        Limit{"StrideW", "stride", 63, [](Conv3dProblem& p, int64_t v) { p.stride.w = v; }},
        Limit{"DilationD", "dilation", 255, [](Conv3dProblem& p, int64_t v) { p.dilation.d = v; }},
        Limit{"DilationH", "dilation", 255, [](Conv3dProblem& p, int64_t v) { p.dilation.h = v; }},
        Limit{"DilationW", "dilation", 255, [](Conv3dProblem& p, int64_t v) { p.dilation.w = v; }},
        Limit{"PadFront", "pad", 255, [](Conv3dProblem& p, int64_t v) { p.pad.front = v; }},
        Limit{"PadBack", "pad", 255, [](Conv3dProblem& p, int64_t v) { p.pad.back = v; }},
        Limit{"PadTop", "pad", 255, [](Conv3dProblem& p, int64_t v) { p.pad.top = v; }},
        Limit{"PadBottom", "pad", 255, [](Conv3dProblem& p, int64_t v) { p.pad.bottom = v; }},
        Limit{"PadLeft", "pad", 255, [](Conv3dProblem& p, int64_t v) { p.pad.left = v; }},
        Limit{"PadRight", "pad", 255, [](Conv3dProblem& p, int64_t v) { p.pad.right = v; }},
        Limit{"KernelH", "filter", 511, [](Conv3dProblem& p, int64_t v) { p.kernel.h = v; }},
        Limit{"KernelW", "filter", 32, [](Conv3dProblem& p, int64_t v) { p.kernel.w = v; }},
        Limit{"Groups", "groups", 65535,
              [](Conv3dProblem& p, int64_t v) {
                p.in = {9, 9, 9};
                p.groups = v;
                p.cin = p.cout = std::max<int64_t>(v, 1);
              }}),
    [](const testing::TestParamInfo<Limit>& test) { return test.param.name; });

void ExpectRefused(const std::string& column, const std::string& words,
                   const std::function<void(Conv3dProblem&)>& change) {
  Conv3dProblem p = Plain();
  change(p);
  const auto no = WhyNot(p);
  ASSERT_TRUE(no.has_value()) << words;
  EXPECT_EQ(no->where, column);
  EXPECT_NE(no->allowed.find(words), std::string::npos) << Sentence(*no);
  EXPECT_FALSE(no->mend.empty());
}

TEST(Conv3dProblem, OfTooLargeAWindowIsToldTheLargestThatFits) {
  Conv3dProblem p = Plain();
  p.in.h = 8;
  p.dilation.h = 5;
  const auto no = WhyNot(p);
  ASSERT_TRUE(no.has_value());
  EXPECT_EQ(no->mend, "a kernel of at most 2 in height fits, as do enough input, padding or less dilation");
  p.kernel.h = 2;
  p.out = ForwardExtents(p);
  EXPECT_FALSE(WhyNot(p).has_value());
}

TEST(Conv3dProblem, RefusesWhatDoesNotFitTogether) {
  ExpectRefused("groups", "must divide 6 input and 4 output channels", [](auto& p) { p.groups = 4; });
  ExpectRefused("input", "each extent must be 1 to 2147483647, found 0", [](auto& p) { p.batch = 0; });
  ExpectRefused("input", "each extent must be 1 to 2147483647, found 2147483648",
                [](auto& p) { p.in.w = 2147483648; });
  ExpectRefused("input", "may have at most 68719476736 elements", [](auto& p) {
    p.in = {60000, 60000, 60000};
  });
  ExpectRefused("filter", "found 0", [](auto& p) { p.kernel.d = 0; });
  ExpectRefused("filter", "spans 11 in height, the padded input only 10", [](auto& p) {
    p.in.h = 8;
    p.dilation.h = 5;
  });
  ExpectRefused("output", "give 2x4x5x9x8", [](auto& p) { p.out.w = 7; });
  ExpectRefused("hf32", "is a mode of fp32, dtype is fp16", [](auto& p) { p.hf32 = true; });
  ExpectRefused("dtype", "must be fp16, bf16 or fp32", [](auto& p) { p.dtype = DType::kInt32; });
}

TEST(Conv3dProblem, ATransposedConvolutionGivesWhatItsWindowsCoverAndTheOutputPadding) {
  Conv3dProblem p = Plain();
  p.out = {3, 4, 5};
  p.stride = {1, 2, 3};
  p.dilation = {2, 1, 4};
  p.pad = {0, 1, 1, 0, 2, 2};
  // (3 - 1) * 1 + 5 - 1, (4 - 1) * 2 + 3 - 1, (5 - 1) * 3 + 9 - 4
  EXPECT_EQ(TransposedExtents(p), (Extents3{6, 8, 17}));
  p.transposed = true;
  p.output_padding = {1, 1, 3};
  p.in = TransposedExtents(p);
  EXPECT_EQ(p.in, (Extents3{7, 9, 20}));
  EXPECT_EQ(ForwardExtents(p), p.out);
  EXPECT_FALSE(WhyNot(p).has_value()) << Sentence(*WhyNot(p));
}

TEST(Conv3dProblem, RefusesOutputPaddingThatReachesStrideAndDilation) {
  const auto change = [](auto& p, const Extents3& more) {
    p.stride = {1, 2, 3};
    p.dilation = {2, 1, 1};
    p.pad = {};
    p.transposed = true;
    p.output_padding = more;
    p.in = TransposedExtents(p);
  };
  ExpectRefused("output_padding", "depth must be 0 to 1, found 2", [&](auto& p) { change(p, {2, 0, 0}); });
  ExpectRefused("output_padding", "height must be 0 to 1, found 2", [&](auto& p) { change(p, {0, 2, 0}); });
  ExpectRefused("output_padding", "width must be 0 to 2, found -1", [&](auto& p) { change(p, {0, 0, -1}); });
  ExpectRefused("rounding", "must be floor", [&](auto& p) {
    change(p, {0, 1, 0});
    p.rounding = Rounding::kCeil;
  });
  ExpectRefused("output_padding", "belongs to conv3d_transpose", [&](auto& p) {
    change(p, {0, 1, 0});
    p.transposed = false;
  });
  ExpectRefused("input", "output_padding give 2x6x9x19x24", [&](auto& p) {
    change(p, {0, 0, 0});
    p.in = {9, 19, 25};
  });
  Conv3dProblem p = Plain();
  change(p, {1, 1, 2});
  EXPECT_FALSE(WhyNot(p).has_value()) << Sentence(*WhyNot(p));
}

TEST(Conv3dProblem, AWindowAsLargeAsThePaddedInputFits) {
  Conv3dProblem p = Plain();
  p.in = {1, 3, 1};
  p.kernel = {3, 5, 3};
  p.out = {1, 1, 1};
  EXPECT_FALSE(WhyNot(p).has_value());
}

TEST(Conv3dProblem, EachRoundingParsesFromItsName) {
  for (const Rounding rounding :
       {Rounding::kFloor, Rounding::kRound, Rounding::kCeil, Rounding::kCeilInBounds}) {
    EXPECT_EQ(ParseRounding(Name(rounding)), rounding);
  }
  EXPECT_EQ(ParseRounding("nearest"), std::nullopt);
}

}  // namespace
}  // namespace tilesim
