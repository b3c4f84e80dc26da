#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "formats/error.h"
#include "tests/tiling/conv_layers.h"
#include "tests/tiling/random_conv_problem.h"
#include "tiling/conv_backprop/gradient_api_planner.h"

namespace tilesim {
namespace {

std::string RefusedFlagText(const InputApiPlan& plan) {
  std::string text;
  for (const RaisedFlag& raised : plan.flags) {
    text += Say(text.empty() ? "" : " ", Name(raised.flag));
  }
  return text;
}

InputProblem OrdinaryLayer() { return testing::BenchLayer<InputProblem>(); }

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
    InputProblem p = OrdinaryLayer();
    p.hi = p.wi = edge.image;
    p.*edge.member = value;
    testing::DeriveOutputs(p);
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

TEST(InputApiRefusals, RefusesADeepWindowThatLeavesTooLittle) {
  InputProblem p = OrdinaryLayer();
  p.di = 300;
  p.dk = 256;
  testing::DeriveOutputs(p);
  EXPECT_TRUE(PlanInputApi(p, {}).accepted);
  p.dk = 257;
  testing::DeriveOutputs(p);
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(Sentence(plan.reasons[0]),
            "di: planner api pads dy by di - dout * strideD + padFront: found 256, must be at most 255; use "
            "`--planner op`");
}

TEST(InputApiRefusals, CountsPixelsIn32Bits) {
  InputProblem p = OrdinaryLayer();
  p.dk = p.hk = p.wk = 1;
  p.wi = 16;
  p.hi = (int64_t{1} << 28) - 1;
  testing::DeriveOutputs(p);
  EXPECT_TRUE(PlanInputApi(p, {}).accepted);
  p.hi += 1;
  testing::DeriveOutputs(p);
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(plan.reasons[0].limit, 15);
}

TEST(InputApiRefusals, RefusesOutputsThatDoNotFollow) {
  InputProblem p = OrdinaryLayer();
  p.wo = 29;
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(
      Sentence(plan.reasons[0]),
      "wo: the output size follows from input, window, stride and pads: found 29, must be 30; wo 30 fits");
}

TEST(InputApiRefusals, SendsOtherTypesAndGroupsToPlannerOp) {
  InputProblem p = OrdinaryLayer();
  p.dtype = DType::kFp32;
  EXPECT_EQ(Sentence(PlanInputApi(p, {}).reasons.at(0)),
            "dtype: planner api plans fp16 and bf16, not fp32; use `--planner op`, or fp16 or bf16");
  p = OrdinaryLayer();
  p.groups = 2;
  EXPECT_EQ(Sentence(PlanInputApi(p, {}).reasons.at(0)),
            "groups: planner api plans no groups: found 2, must be 1; use `--planner op`, or groups 1");
}

TEST(InputApiRefusals, RefusesRowsThatFillL1) {
  InputProblem p = OrdinaryLayer();
  p.wi = 20000;
  testing::DeriveOutputs(p);
  const InputApiPlan plan = PlanInputApi(p, {});
  ASSERT_EQ(plan.reasons.size(), 1u);
  EXPECT_EQ(plan.reasons[0].limit, 524160);
  EXPECT_GT(plan.reasons[0].value, 524160);
  EXPECT_TRUE(plan.flags.empty());
}

TEST(InputApiRefusals, FlagsWhatTheShippedClassIsNotDefinedFor) {
  InputProblem p = OrdinaryLayer();
  p.stride_d = (int64_t{1} << 32) + 1;  // the shipped class would take it for 1
  EXPECT_EQ(RefusedFlagText(PlanInputApi(p, {})), "BAD_ARG");
  p = OrdinaryLayer();
  p.cin = 0;
  EXPECT_EQ(RefusedFlagText(PlanInputApi(p, {})), "BAD_ARG");
  p = OrdinaryLayer();
  p.hi = 0;  // three rows too few, and three are less than a stride of four
  p.stride_h = 4;
  p.ho = 1;
  EXPECT_EQ(RefusedFlagText(PlanInputApi(p, {})), "BAD_ARG");
  p.hk = kTop;
  p.dilation_h = kTop;
  EXPECT_EQ(RefusedFlagText(PlanInputApi(p, {})), "BAD_ARG");
}

TEST(InputApiRefusals, LetsTheWindowExceedTheInputByLessThanAStride) {
  InputProblem p = OrdinaryLayer();
  p.hi = 4, p.dilation_h = 2, p.stride_h = 2, p.ho = 1;
  const InputApiPlan plan = PlanInputApi(p, {});
  EXPECT_TRUE(plan.accepted);
  ASSERT_EQ(RefusedFlagText(plan), "BAD_KERNEL");
  EXPECT_EQ(Sentence(plan.flags[0]),
            "BAD_KERNEL: hi: the shipped planner lets the window exceed the padded input by less than a "
            "stride: found 4, must be at least 5; hi 5 fits");
}

}  // namespace
}  // namespace tilesim
