#include "tiling/conv_backprop/input_api_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "formats/error.h"
#include "formats/units.h"
#include "tests/tiling/input_vectors.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/conv_backprop/input_fields.h"

namespace tilesim {
namespace {

std::string FlagText(const InputApiPlan& plan) {
  std::string text;
  for (const RaisedInputFlag& raised : plan.flags) {
    text += Say(text.empty() ? "" : " ", Name(raised.flag));
  }
  return text;
}

std::string Told(const InputApiPlan& plan, const Conv3DBackpropInputTilingData& expected) {
  std::string text;
  for (const TilingField& field : Differences(plan.data, expected)) {
    text += Say(field.path(), " = ", Get(plan.data, field), ", recorded ", Get(expected, field), "; ");
  }
  return text;
}

bool Raised(const InputApiPlan& plan, InputApiFlag flag) {
  return std::ranges::count(plan.flags, flag, &RaisedInputFlag::flag) > 0;
}

InputProblem Ordinary() {
  InputProblem p;
  p.batch = 2, p.cin = 32, p.di = 16, p.hi = 32, p.wi = 32;
  p.cout = 64, p.dout = 14, p.ho = 30, p.wo = 30;
  p.dk = p.hk = p.wk = 3;
  return p;
}

TEST(InputApiPlanner, AnswersAsRecordedInEveryField) {
  const auto vectors = testing::ReadInputVectors();
  ASSERT_EQ(vectors.size(), 247u);
  for (const auto& vector : vectors) {
    const InputApiPlan plan = PlanInputApi(vector.problem, {});
    EXPECT_EQ(plan.accepted, vector.accepted) << vector.id;
    EXPECT_EQ(Told(plan, vector.data), "") << vector.id;
    EXPECT_EQ(plan.reasons.empty(), vector.accepted) << vector.id;
    if (vector.flags_recorded) {
      EXPECT_EQ(Raised(plan, InputApiFlag::kNoteM), vector.note_m) << vector.id;
      EXPECT_FALSE(Raised(plan, InputApiFlag::kBadArg)) << vector.id;
    }
    EXPECT_EQ(plan.legal(), vector.accepted) << vector.id << " " << FlagText(plan);
  }
}

TEST(InputApiPlanner, ToldOfMoreCoresAnswersAsRecordedToo) {
  int recorded = 0;
  for (const auto& vector : testing::ReadInputVectors()) {
    if (vector.pixels_on_24_cores) {
      Conv3DBackpropInputTilingData expected = vector.data;
      expected.conv3DDxTiling.singleCoreM = *vector.pixels_on_24_cores;
      EXPECT_EQ(Told(PlanInputApi(vector.problem, {}, 24), expected), "") << vector.id;
      ++recorded;
    }
  }
  EXPECT_EQ(recorded, 28);
}

TEST(InputApiPlanner, PlansBf16AsFp16) {
  for (const auto& vector : testing::ReadInputVectors()) {
    InputProblem other = vector.problem;
    other.dtype = other.dtype == DType::kFp16 ? DType::kBf16 : DType::kFp16;
    EXPECT_EQ(Told(PlanInputApi(other, {}), vector.data), "") << vector.id;
  }
}

// What a forward convolution would put out.
void DeriveOutputs(InputProblem& p) {
  const auto out = [](const InputAxis& axis) {
    return (axis.in + axis.pad_before + axis.pad_after - axis.window()) / axis.stride + 1;
  };
  p.dout = out(AxisD(p));
  p.ho = out(AxisH(p));
  p.wo = out(AxisW(p));
}

// Each argument at the last value that is accepted and at the first that is not, in a problem of which the
// other sizes follow.
struct Edge {
  const char* name;
  int64_t InputProblem::*member;
  int64_t accepted;
  int64_t refused;
  const char* field;
  int64_t image = 32;  // hi and wi
};
class InputApiEdge : public ::testing::TestWithParam<Edge> {};

TEST_P(InputApiEdge, IsWhereTheRefusalStarts) {
  const Edge& edge = GetParam();
  const auto plan_with = [&](int64_t value) {
    InputProblem p = Ordinary();
    p.hi = p.wi = edge.image;
    p.*edge.member = value;
    DeriveOutputs(p);
    return PlanInputApi(p, {});
  };
  const InputApiPlan accepted = plan_with(edge.accepted);
  EXPECT_TRUE(accepted.accepted);
  EXPECT_TRUE(accepted.reasons.empty());
  const InputApiPlan refused = plan_with(edge.refused);
  EXPECT_FALSE(refused.accepted);
  EXPECT_EQ(std::ranges::count(refused.reasons, edge.field, &Rejection::field), 1);
  EXPECT_EQ(refused.data.conv3DDxTiling.baseM, 0u);
}

constexpr int64_t kTop = UINT32_MAX;
INSTANTIATE_TEST_SUITE_P(
    Arguments, InputApiEdge,
    ::testing::Values(Edge{"groups", &InputProblem::groups, 1, 2, "groups"},
                      Edge{"groups0", &InputProblem::groups, 1, 0, "groups"},
                      Edge{"batch", &InputProblem::batch, 1, 0, "batch"},
                      Edge{"batchTop", &InputProblem::batch, kTop, kTop + 1, "batch"},
                      Edge{"cout", &InputProblem::cout, 1, 0, "cout"},
                      Edge{"cin", &InputProblem::cin, 1, 0, "cin"},
                      Edge{"cinSign", &InputProblem::cin, 1, -1, "cin"},
                      Edge{"front", &InputProblem::pad_front, 2, 3, "padFront"},
                      Edge{"back", &InputProblem::pad_back, 2, 3, "padBack"},
                      Edge{"up", &InputProblem::pad_up, 2, 3, "padUp"},
                      Edge{"down", &InputProblem::pad_down, 2, 3, "padDown"},
                      Edge{"left", &InputProblem::pad_left, 2, 3, "padLeft"},
                      Edge{"right", &InputProblem::pad_right, 2, 3, "padRight"},
                      Edge{"right0", &InputProblem::pad_right, 0, -1, "padRight"},
                      Edge{"strideD", &InputProblem::stride_d, 3, 4, "strideD"},
                      Edge{"strideH", &InputProblem::stride_h, 63, 64, "strideH"},
                      Edge{"strideW", &InputProblem::stride_w, 63, 64, "strideW"},
                      Edge{"dilationH", &InputProblem::dilation_h, 127, 128, "dilationH", 300},
                      Edge{"dilationW", &InputProblem::dilation_w, 127, 128, "dilationW", 300},
                      Edge{"dilationD", &InputProblem::dilation_d, 1, 0, "dilationD"},
                      Edge{"hk", &InputProblem::hk, 256, 257, "dilationH", 258},
                      Edge{"wk", &InputProblem::wk, 256, 257, "dilationW", 258}),
    [](const auto& test) { return test.param.name; });

TEST(InputApiPlanner, RefusesADeepWindowThatLeavesTooLittle) {
  InputProblem p = Ordinary();
  p.di = 300;
  p.dk = 256;
  DeriveOutputs(p);
  EXPECT_TRUE(PlanInputApi(p, {}).accepted);
  p.dk = 257;
  DeriveOutputs(p);
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(Sentence(plan.reasons[0]),
            "di: planner api pads dy by di - dout * strideD + padFront: found 256, must be at most 255; use "
            "`--planner op`");
}

TEST(InputApiPlanner, CountsPixelsIn32Bits) {
  InputProblem p = Ordinary();
  p.dk = p.hk = p.wk = 1;
  p.wi = 16;
  p.hi = (int64_t{1} << 28) - 1;
  DeriveOutputs(p);
  EXPECT_TRUE(PlanInputApi(p, {}).accepted);
  p.hi += 1;
  DeriveOutputs(p);
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(plan.reasons[0].limit, 15);
}

TEST(InputApiPlanner, RefusesOutputsThatDoNotFollow) {
  InputProblem p = Ordinary();
  p.wo = 29;
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(
      Sentence(plan.reasons[0]),
      "wo: the output size follows from input, window, stride and pads: found 29, must be 30; wo 30 fits");
}

TEST(InputApiPlanner, SendsOtherTypesAndGroupsToPlannerOp) {
  InputProblem p = Ordinary();
  p.dtype = DType::kFp32;
  EXPECT_EQ(Sentence(PlanInputApi(p, {}).reasons.at(0)),
            "dtype: planner api plans fp16 and bf16, not fp32; use `--planner op`, or fp16 or bf16");
  p = Ordinary();
  p.groups = 2;
  EXPECT_EQ(Sentence(PlanInputApi(p, {}).reasons.at(0)),
            "groups: planner api plans no groups: found 2, must be 1; use `--planner op`, or groups 1");
}

TEST(InputApiPlanner, RefusesRowsThatFillL1) {
  InputProblem p = Ordinary();
  p.wi = 20000;
  DeriveOutputs(p);
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(plan.reasons[0].limit, 524160);
  EXPECT_GT(plan.reasons[0].value, 524160);
  EXPECT_TRUE(plan.flags.empty());
}

TEST(InputApiPlanner, FlagsWhatTheShippedClassIsNotDefinedFor) {
  InputProblem p = Ordinary();
  p.stride_d = (int64_t{1} << 32) + 1;  // the shipped class would take it for 1
  EXPECT_EQ(FlagText(PlanInputApi(p, {})), "BAD_ARG");
  p = Ordinary();
  p.cin = 0;
  EXPECT_EQ(FlagText(PlanInputApi(p, {})), "BAD_ARG");
  p = Ordinary();
  p.hi = 0;  // three rows too few, and three are less than a stride of four
  p.stride_h = 4;
  p.ho = 1;
  EXPECT_EQ(FlagText(PlanInputApi(p, {})), "BAD_ARG");
  p.hk = kTop;
  p.dilation_h = kTop;
  EXPECT_EQ(FlagText(PlanInputApi(p, {})), "BAD_ARG");
}

TEST(InputApiPlanner, LetsTheWindowExceedTheInputByLessThanAStride) {
  InputProblem p = Ordinary();
  p.hi = 4, p.dilation_h = 2, p.stride_h = 2, p.ho = 1;
  const InputApiPlan plan = PlanInputApi(p, {});
  EXPECT_TRUE(plan.accepted);
  ASSERT_EQ(FlagText(plan), "BAD_KERNEL");
  EXPECT_EQ(Sentence(plan.flags[0]),
            "BAD_KERNEL: hi: the shipped planner lets the window exceed the padded input by less than a "
            "stride: found 4, must be at least 5; hi 5 fits");
}

TEST(InputApiPlanner, ComputesTheSizesOfATransposedConvolution) {
  InputProblem p = Ordinary();
  p.transpose = true;
  p.di = p.hi = p.wi = -1;
  p.stride_h = 2, p.dilation_w = 2, p.pad_left = 1, p.output_pad_h = 1;
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_TRUE(plan.accepted);
  EXPECT_EQ(plan.data.conv3DDxTiling.di, 16u);
  EXPECT_EQ(plan.data.conv3DDxTiling.hi, 29u * 2 + 3 + 1);
  EXPECT_EQ(plan.data.conv3DDxTiling.wi, 29u - 1 + 5);
  EXPECT_EQ(plan.data.conv3DDxTiling.initOutputFlag, 1u);
}

TEST(InputApiPlanner, TakesOutputPaddingOfAnySize) {
  InputProblem p = Ordinary();
  p.transpose = true;
  p.output_pad_h = 5;  // at stride 1: planner_compat.md D10
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_TRUE(plan.accepted);
  EXPECT_EQ(plan.data.conv3DDxTiling.hi, 37u);
  p.output_pad_h = -32;
  const InputApiPlan none = PlanInputApi(p, {});
  ASSERT_EQ(none.reasons.size(), 1u);
  EXPECT_EQ(none.reasons[0].field, "hi");
  EXPECT_TRUE(none.flags.empty());
}

TEST(InputApiPlanner, IgnoresOutputPaddingWhereTheSizesAreGiven) {
  InputProblem p = Ordinary();
  p.output_pad_h = 5;
  EXPECT_EQ(Told(PlanInputApi(p, {}), PlanInputApi(Ordinary(), {}).data), "");
}

TEST(InputApiPlanner, PlansForA910BWhateverThePlatform) {
  const CoreMemory small{.l1_bytes = 65536, .l0a_bytes = 32768, .l0b_bytes = 1024, .l0c_bytes = 16384};
  const InputApiPlan plan = PlanInputApi(Ordinary(), small);
  EXPECT_EQ(Told(plan, PlanInputApi(Ordinary(), {}).data), "");
  EXPECT_EQ(FlagText(plan), "ILLEGAL_L0A ILLEGAL_L0B ILLEGAL_L0C ILLEGAL_L1");
  EXPECT_FALSE(plan.legal());
}

TEST(InputApiPlanner, NotesSingleBuffers) {
  int noted = 0;
  for (const auto& vector : testing::ReadInputVectors()) {
    const InputApiPlan plan = PlanInputApi(vector.problem, {});
    const TConv3DBackpropInputTiling& t = vector.data.conv3DDxTiling;
    const bool single = t.al1Pbuffer == 1 && t.bl1Pbuffer == 1;
    EXPECT_EQ(Raised(plan, InputApiFlag::kNoteSingleBuffer), single) << vector.id;
    noted += single ? 1 : 0;
  }
  EXPECT_GT(noted, 0);
}

// An independent look at the emitted fields: what a block really reads, counted pixel by pixel, fits in what
// is reserved for it, and tasks and steps are such as the kernel takes.
TEST(InputApiPlanner, ReservesWhatItsBlocksTouch) {
  std::mt19937_64 random(20260731);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    InputProblem p = testing::RandomInputProblem(random, DType::kFp16, 1);
    const InputApiPlan plan = PlanInputApi(p, {});
    if (!plan.accepted) {
      EXPECT_FALSE(plan.reasons.empty());
      continue;
    }
    ++accepted;
    EXPECT_TRUE(plan.legal()) << "round " << round << " " << FlagText(plan);
    const TConv3DBackpropInputTiling& t = plan.data.conv3DDxTiling;
    const int64_t task = std::min<int64_t>(static_cast<int64_t>(t.singleCoreM), p.hi * p.wi);
    int64_t rows = 0;  // stride-expanded ones of dy
    for (int64_t m = 0; m < task; m += t.baseM) {
      const int64_t last = std::min<int64_t>(m + t.baseM, task) - 1;
      rows = std::max(rows, last / p.wi - m / p.wi + 1 + (p.hk - 1) * p.dilation_h);
    }
    rows = std::min(rows, (p.ho - 1) * p.stride_h + 1);
    const int64_t line = p.hk * p.wk * 16;
    const int64_t a = rows * p.wo * p.stride_w * (int64_t{t.stepKa} * t.baseK / line) * 32 * t.al1Pbuffer;
    const int64_t b = int64_t{t.baseN} * t.stepKb * t.baseK * 2 * t.bl1Pbuffer;
    EXPECT_LE(a + b, 524288) << "round " << round;
    EXPECT_EQ(t.stepKa * t.baseK % line, 0) << "round " << round;
    EXPECT_EQ(t.stepKb * t.baseK % line, 0) << "round " << round;
    EXPECT_EQ(t.singleCoreM % t.wi, 0u) << "round " << round;
    EXPECT_EQ(t.singleCoreCin, t.baseN) << "round " << round;
  }
  EXPECT_GT(accepted, 500) << "the rounds must reach results";
}

}  // namespace
}  // namespace tilesim
