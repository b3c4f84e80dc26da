// Whole cases whose inputs hold inf or NaN: what the device makes NaN is accepted where it may be, and
// nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/harness/comparison.h"
#include "ops/harness/harness.h"
#include "ops/operators.h"
#include "tests/ops/conv3d_backprop/random_conv.h"
#include "tests/support/default_soc.h"

namespace tilesim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The path of a file of this test that holds the tensor.
std::string Written(const std::string& name, const Tensor& tensor) {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  std::string path = Say(::testing::TempDir(), test.test_suite_name(), ".", test.name(), ".", name, ".npy");
  WriteNpy(path, tensor);
  return path;
}

CaseResult Compared(const Case& problem, const SocConfig& soc = Soc()) {
  HarnessOptions options;
  options.plan.cores = 4;
  options.threads = 1;
  options.compare = true;
  return RunCase(problem, soc, options);
}

CaseResult Compared(const CaseCells& cells) { return Compared(ReadCase(cells, 1, "")); }

int64_t CountNaN(const Tensor& tensor) {
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.layout().LogicalElements(); ++i) {
    count += std::isnan(tensor.Get(tensor.layout().Coord(i))) ? 1 : 0;
  }
  return count;
}

Tensor Ones(DType dtype, const Layout& layout) { return testing::RandomTensor(dtype, layout, 0, 1, 1); }

TEST(NonFinite, DyMakesNaNOfTheOtherGroupsOfItsBlock) {
  for (const std::string dtype : {"fp16", "bf16", "fp32"}) {
    const DType type = *ParseDType(dtype);
    Tensor dy = Ones(type, Layout(Format::kNCDHW, {1, 4, 1, 4, 4}));
    dy.Set({0, 3, 0, 1, 1}, kInfinity);
    const CaseResult result =
        Compared({{"op", "conv3d_backprop_input"},
                  {"dtype", dtype},
                  {"input", "1x4x1x4x4"},
                  {"filter", "4x2x1x1x1"},
                  {"groups", "2"},
                  {"dy_file", Written(dtype + ".dy", dy)},
                  {"w_file", Written(dtype + ".w", Ones(type, Layout(Format::kOIDHW, {4, 2, 1, 1, 1})))}});
    ASSERT_EQ(result.verdict, Verdict::kOk) << dtype << ": " << result.message;
    EXPECT_EQ(result.nan_from_padding, 2);  // channels 0 and 1 of group 0
    EXPECT_TRUE(std::isnan(result.outputs.front().Get({0, 1, 0, 1, 1})));
    EXPECT_EQ(result.outputs.front().Get({0, 2, 0, 1, 1}), kInfinity);
    EXPECT_EQ(
        result.message,
        Say("2 outputs are NaN on the device, which multiplies zeros of padding, between strides and between "
            "merged groups: 0 times inf or NaN; the direct loop counted as NaN there",
            dtype == "fp32" ? ""
                            : "\nsome input is inf or NaN: run and compared with numerics.ieee=1, so that dx "
                              "keeps them"));
  }
}

// Random grouped problems of both gradients with inf and NaN in both inputs.
TEST(NonFinite, CasesWithGroupsAgree) {
  constexpr uint32_t kSeed = 20;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  int64_t accepted = 0;
  for (int trial = 0; trial < 40;) {
    Case problem;
    problem.conv() = testing::RandomConv(random, 1e5);
    const Conv3dProblem& p = problem.conv();
    if (p.groups == 1) {
      continue;
    }
    ++trial;
    const auto made = [&](const std::string& name, const Layout& layout, double special) {
      Tensor tensor = testing::RandomTensor(p.dtype, layout, random(), 0.5, 1);
      tensor.Set(layout.Coord(static_cast<int64_t>(random()) % layout.LogicalElements()), special);
      return Written(name, tensor);
    };
    problem.dy_file = made("dy", p.DyLayout(), trial % 2 == 0 ? kInfinity : kNaN);
    problem.w_file = made("w", p.FilterLayout(), trial % 3 == 0 ? kInfinity : 0.5);
    problem.x_file = made("x", p.XLayout(), trial % 3 == 0 ? kInfinity : 0.5);
    for (const ConvGradient gradient : {ConvGradient::kFilter, ConvGradient::kInput}) {
      std::get<ConvCase>(problem.problem).gradient = gradient;
      const CaseResult result = Compared(problem);
      EXPECT_EQ(result.verdict, Verdict::kOk) << static_cast<int>(gradient) << " " << testing::Description(p)
                                              << ", trial " << trial << ": " << result.message;
      accepted += result.nan_from_padding.value_or(0);
    }
  }
  EXPECT_GT(accepted, 100);
}

Case StridedCase(const std::string& name) {
  Tensor filter = Ones(DType::kFp16, Layout(Format::kOIDHW, {2, 3, 1, 1, 1}));
  filter.Set({1, 2, 0, 0, 0}, kInfinity);
  return ReadCase({{"op", "conv3d_backprop_input"},
                   {"input", "1x3x1x7x7"},
                   {"filter", "2x3x1x1x1"},
                   {"stride", "1x3x3"},
                   {"w_file", Written(name, filter)},
                   {"range", "0.5:1"}},
                  1, "");
}

// Of channel 2 the 40 pixels between the windows are marked. Their truth is 0; those that the tiling leaves
// out are 0 on the device too, and are no NaN that became 0.
TEST(NonFinite, CountsNoMarkedOutputThatIsTrulyZero) {
  const Case problem = StridedCase("w");
  const std::string keep_nan[] = {"numerics.ieee=1"};
  for (const SocConfig& soc : {Soc(), LoadSoc("ascend910b2", keep_nan)}) {
    const CaseResult result = Compared(problem, soc);
    ASSERT_EQ(result.verdict, Verdict::kOk) << result.message;
    EXPECT_EQ(result.nan_from_padding, CountNaN(result.outputs.front())) << result.message;
    EXPECT_EQ(result.outputs.front().Get({0, 2, 0, 3, 6}), kInfinity);
    EXPECT_EQ(result.outputs.front().Get({0, 1, 0, 1, 1}), 0);
  }
}

struct ByHand {
  std::unique_ptr<Operator> op;
  Plan plan;
  std::vector<CaseTruth> truth;
  Tensor output;  // as the truth has it
};

ByHand MakeByHand(const Case& problem) {
  std::unique_ptr<Operator> op = MakeOperator(problem);
  Plan plan = op->MakePlan(PlannerKind::kOp, Soc(), 1);
  std::vector<CaseTruth> truth = MakeTruth(problem, *op, MakeInputs(problem, *op), 1);
  const OperatorTensor tensor = op->Outputs().front();
  Tensor output(tensor.dtype, tensor.host);
  for (size_t i = 0; i < truth.front().direct.values.size(); ++i) {
    const double value = truth.front().direct.values[i];
    output.Set(output.layout().Coord(static_cast<int64_t>(i)), std::clamp(value, -65504.0, 65504.0));
  }
  return {std::move(op), std::move(plan), std::move(truth), std::move(output)};
}

// A marked output may be NaN or the truth. A 0 in its place is a lost value, also where the part turns NaN
// into 0.
TEST(NonFinite, ALostValueIsAMismatchWhereNaNWouldDo) {
  Tensor filter = Ones(DType::kFp16, Layout(Format::kOIDHW, {1, 1, 1, 3, 3}));
  filter.Set({0, 0, 0, 0, 0}, kInfinity);
  const Case problem = ReadCase({{"op", "conv3d_backprop_input"},
                                 {"input", "1x1x1x4x4"},
                                 {"filter", "1x1x1x3x3"},
                                 {"pad", "0x1x1"},
                                 {"w_file", Written("w", filter)},
                                 {"range", "0.5:1"}},
                                1, "");
  ByHand given = MakeByHand(problem);
  const std::vector<int64_t> corner = {0, 0, 0, 3, 3};  // tap (0,0) meets the padding here
  ASSERT_EQ(given.truth.front().direct.nan_on_device.at(15), 1);
  ASSERT_GT(given.truth.front().direct.values.at(15), 1);
  const auto verdict = [&](double value) {
    Tensor output = given.output;
    output.Set(corner, value);
    return CompareWithTruth(*given.op, given.plan, Soc(), {&output, 1}, given.truth, {});
  };
  EXPECT_TRUE(verdict(given.truth.front().direct.values[15]).equal);
  EXPECT_EQ(verdict(given.truth.front().direct.values[15]).nan_on_device, 0);
  EXPECT_FALSE(verdict(0).equal);
  EXPECT_EQ(verdict(0).nan_on_device, 0);
  EXPECT_EQ(verdict(0).comparison.first->coord, corner);
}

TEST(NonFinite, TrueZerosAreNotCountedBySaturatingPartsEither) {
  const Case problem = StridedCase("w");
  const ByHand given = MakeByHand(problem);
  const ComparisonVerdict verdict =
      CompareWithTruth(*given.op, given.plan, Soc(), {&given.output, 1}, given.truth, {});
  EXPECT_TRUE(verdict.equal) << verdict.message;
  EXPECT_EQ(verdict.nan_on_device, 0);
  EXPECT_EQ(verdict.message, "");
}

TEST(NonFinite, OnlyCasesWithSuchInputsAreRunInIeeeMode) {
  const CaseCells cells = {{"op", "conv3d_backprop_input"},
                           {"input", "1x2x1x2x2"},
                           {"filter", "2x2x1x1x1"},
                           {"range", "30000:60000"}};
  const CaseResult result = Compared(cells);
  EXPECT_EQ(result.verdict, Verdict::kOk) << result.message;
  EXPECT_EQ(result.message, "");
  EXPECT_EQ(result.outputs.front().Get({0, 0, 0, 0, 0}), 65504) << "saturates";
}

}  // namespace
}  // namespace tilesim
