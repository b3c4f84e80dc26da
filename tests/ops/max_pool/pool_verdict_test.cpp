// What is said of poolings whose values differ from a file's, are saturated, or cannot be compared.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "formats/npy.h"
#include "tests/ops/max_pool/pool_case_run.h"

namespace tilesim {
namespace {

using testing::Comparing;
using testing::ExpectSameOutputs;
using testing::PoolCaseOf;

// A file of the argmaxes that a run gives, one of them another number. Returns its path.
std::string WrongArgmax(const std::string& name, int32_t index) {
  const CaseResult result = RunCase(PoolCaseOf({}), Soc(), {.plan = {}, .mode = {}});
  Tensor argmax = result.outputs.at(1);
  argmax.Set({1, 60, 4, 5}, index);
  const std::string path = ::testing::TempDir() + name + ".npy";
  WriteNpy(path, argmax);
  return path;
}

TEST(PoolVerdict, SaysWhoWroteAnArgmaxThatDiffers) {
  const std::string path = WrongArgmax("SaysWhoWroteAnArgmaxThatDiffers", 7);
  const CaseResult result = RunCase(PoolCaseOf({{"expected_argmax_file", path}}), Soc(), Comparing());
  EXPECT_EQ(result.verdict, Verdict::kMismatch);
  EXPECT_EQ(result.message.find("argmax: 1 of 8960 elements differ from " + path +
                                "\nfirst (n=1, c=60, h=4, w=5): found "),
            0U)
      << result.message;
  EXPECT_NE(result.message.find(", expected 7, "), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("written by AIV "), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("DataCopyPad on MTE3, tile nc "), std::string::npos) << result.message;
}

// Rounded, the first would be right; the others have no int32.
TEST(PoolVerdict, RefusesExpectedArgmaxesThatAreNoWholeNumbers) {
  const std::string path = ::testing::TempDir() + "RefusesExpectedArgmaxesThatAreNoWholeNumbers.npy";
  const Tensor right = RunCase(PoolCaseOf({}), Soc(), {.plan = {}, .mode = {}}).outputs.at(1);
  Tensor given = Converted(Rounded(right, DType::kFp32), right.layout());
  const auto compared = [&](const Tensor& argmax) {
    WriteNpy(path, argmax);
    return RunCase(PoolCaseOf({{"expected_argmax_file", path}}), Soc(), Comparing());
  };
  EXPECT_EQ(compared(given).verdict, Verdict::kOk);
  given.Set({1, 60, 4, 5}, right.Get({1, 60, 4, 5}) + 0.5);
  const CaseResult result = compared(given);
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_EQ(result.message.find("expected_argmax_file: " + path + ": element [1, 60, 4, 5] = "), 0U)
      << result.message;
  EXPECT_NE(result.message.find("is not a number that int32 holds exactly"), std::string::npos);
  given.Set({1, 60, 4, 5}, NAN);
  EXPECT_EQ(compared(given).verdict, Verdict::kRefused);
  Tensor wide = Rounded(right, DType::kInt64);
  EXPECT_EQ(compared(wide).verdict, Verdict::kOk);
  wide.Set({1, 60, 4, 5}, 0x1p32 + right.Get({1, 60, 4, 5}));
  EXPECT_EQ(compared(wide).verdict, Verdict::kRefused);
}

// 36 windows of 2x2 over 6x6 with 3 of padding: those of the middle 4x4 hold elements.
TEST(PoolVerdict, KeepsTheMinusInfinityOfWindowsOfPaddingWhereItCompares) {
  for (const std::string dtype : {"fp16", "bf16", "fp32"}) {
    const Case problem = PoolCaseOf({{"dtype", dtype}, {"input", "1x1x6x6"}, {"filter", "2"}, {"pad", "3"}});
    const CaseResult compared = RunCase(problem, Soc(), Comparing());
    EXPECT_EQ(compared.verdict, Verdict::kOk) << compared.message;
    EXPECT_EQ(compared.outputs.at(0).Get({0, 0, 0, 0}), -INFINITY) << dtype;
    EXPECT_EQ(compared.message, dtype == "fp32" ? ""
                                                : "20 windows hold no element: run and compared with "
                                                  "numerics.ieee=1, so that y keeps -inf there");
    const CaseResult run = RunCase(problem, Soc(), {.plan = {}, .mode = {}});
    EXPECT_EQ(run.outputs.at(0).Get({0, 0, 0, 0}), dtype == "fp16"   ? -65504
                                                   : dtype == "bf16" ? -0x1.fep127
                                                                     : -INFINITY);
    EXPECT_EQ(run.message.empty(), dtype == "fp32");
    if (dtype == "fp16") {
      EXPECT_EQ(run.message,
                "20 windows hold no element: y is -65504 there with numerics.ieee=0, as the hardware has it; "
                "--set numerics.ieee=1 keeps -inf");
    }
    HarnessOptions asked = Comparing();
    asked.numerics_given = true;
    EXPECT_EQ(RunCase(problem, Soc(), asked).message, run.message);
    const Case gradient = PoolCaseOf(
        {{"op", "max_pool2d_grad"}, {"dtype", dtype}, {"input", "1x1x6x6"}, {"filter", "2"}, {"pad", "3"}});
    EXPECT_EQ(RunCase(gradient, Soc(), Comparing()).message, "");
  }
}

// The files' own mistake in those places shows.
TEST(PoolVerdict, RefusesNumbersWhereWindowsHoldNoElement) {
  const std::string path = ::testing::TempDir() + "RefusesNumbersWhereWindowsHoldNoElement.npy";
  CaseCells cells = {{"input", "1x1x6x6"}, {"filter", "2"}, {"pad", "3"}};
  Tensor y = RunCase(PoolCaseOf(cells), Soc(), Comparing()).outputs.at(0);
  cells.emplace("expected_file", path);
  for (const double value : {-HUGE_VAL, -65504.0, -1e4}) {
    y.Set({0, 0, 0, 0}, value);
    WriteNpy(path, y);
    const CaseResult result = RunCase(PoolCaseOf(cells), Soc(), Comparing());
    EXPECT_EQ(result.verdict, value == -INFINITY ? Verdict::kOk : Verdict::kMismatch) << value;
    EXPECT_EQ(result.message.find("found -inf, expected -65504, error inf, allowed 0") != std::string::npos,
              value == -65504)
        << result.message;
  }
}

// dx is made of dy; x only says where it goes.
TEST(PoolVerdict, SaysNothingOfNaNThatOnlyChoosesTheArgmax) {
  const std::string path = ::testing::TempDir() + "SaysNothingOfNaNThatOnlyChoosesTheArgmax.npy";
  Tensor x(DType::kFp16, Layout(Format::kNCHW, {2, 70, 15, 16}));
  x.Set({1, 2, 3, 4}, NAN);
  x.Set({1, 3, 3, 4}, INFINITY);
  WriteNpy(path, x);
  const Case of_x = PoolCaseOf({{"op", "max_pool2d_grad"}, {"x_file", path}});
  const CaseResult run = RunCase(of_x, Soc(), {.plan = {}, .mode = {}});
  EXPECT_EQ(run.message, "");
  const CaseResult compared = RunCase(of_x, Soc(), Comparing());
  EXPECT_EQ(compared.verdict, Verdict::kOk);
  EXPECT_EQ(compared.message, "");
  ExpectSameOutputs(run, compared);
  Tensor dy(DType::kFp16, Layout(Format::kNCHW, {2, 70, 8, 8}));
  dy.Set({0, 0, 0, 0}, NAN);
  WriteNpy(path, dy);
  EXPECT_EQ(RunCase(PoolCaseOf({{"op", "max_pool2d_grad"}, {"dy_file", path}}), Soc(), Comparing()).message,
            "some input is inf or NaN: run and compared with numerics.ieee=1, so that dx keeps them");
}

TEST(PoolVerdict, SaysWhoWroteAGradientThatDiffers) {
  const std::string path = ::testing::TempDir() + "SaysWhoWroteAGradientThatDiffers.npy";
  const Case problem = PoolCaseOf({{"op", "max_pool2d_grad"}});
  Tensor dx = RunCase(problem, Soc(), {.plan = {}, .mode = {}}).outputs.at(0);
  dx.Set({0, 3, 7, 8}, dx.Get({0, 3, 7, 8}) + 1);
  WriteNpy(path, dx);
  const CaseResult result =
      RunCase(PoolCaseOf({{"op", "max_pool2d_grad"}, {"expected_file", path}}), Soc(), Comparing());
  EXPECT_EQ(result.verdict, Verdict::kMismatch);
  EXPECT_EQ(result.message.find("1 of 33600 elements differ from "), 0U) << result.message;
  EXPECT_NE(result.message.find("first (n=0, c=3, h=7, w=8): found "), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("written by AIV "), std::string::npos) << result.message;
}

TEST(PoolVerdict, RefusesAGivenArgmaxOutsideItsWindow) {
  const std::string path = WrongArgmax("RefusesAGivenArgmaxOutsideItsWindow", 7);
  const CaseResult result =
      RunCase(PoolCaseOf({{"op", "max_pool2d_grad"}, {"argmax_file", path}}), Soc(), Comparing());
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_EQ(
      result.message,
      "argmax_file: " + path +
          ": argmax at (n=1, c=60, h=4, w=5) = '7': must be an element of that output's window (h 7 to 9, w "
          "9 "
          "to 11), counted as plane, or -1 for none; give the argmax of this pooling, or none to compute it "
          "from x");
  const std::string none = WrongArgmax("RefusesAGivenArgmaxOutsideItsWindow", -1);
  EXPECT_EQ(
      RunCase(PoolCaseOf({{"op", "max_pool2d_grad"}, {"argmax_file", none}}), Soc(), Comparing()).verdict,
      Verdict::kOk);
}

}  // namespace
}  // namespace tilesim
