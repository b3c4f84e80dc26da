// Poolings from case to verdict: the oracle's tensors, every mode, and what is said of what differs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "formats/npy.h"
#include "ops/harness.h"

namespace tilesim {
namespace {

const SocConfig& Soc() {
  static const SocConfig kSoc = LoadSoc("ascend910b2");
  return kSoc;
}

Case PoolCaseOf(CaseCells cells) {
  cells.try_emplace("op", "max_pool2d");
  cells.try_emplace("input", "2x70x15x16");
  cells.try_emplace("filter", "3x3");
  cells.try_emplace("stride", "2");
  cells.try_emplace("pad", "1");
  return ReadCase(cells, 1, "");
}

HarnessOptions Comparing() {
  HarnessOptions options;
  options.threads = 2;
  options.compare = true;
  return options;
}

bool SameBytes(const Tensor& left, const Tensor& right) {
  return left.layout() == right.layout() && left.size_bytes() == right.size_bytes() &&
         std::equal(left.data(), left.data() + left.size_bytes(), right.data());
}

void ExpectSameOutputs(const CaseResult& left, const CaseResult& right) {
  ASSERT_EQ(left.outputs.size(), right.outputs.size());
  ASSERT_FALSE(left.outputs.empty()) << left.message;
  for (size_t i = 0; i < left.outputs.size(); ++i) {
    EXPECT_TRUE(SameBytes(left.outputs[i], right.outputs[i])) << left.id << ": output " << i;
  }
}

// How many rows of a file of the oracle are right, values, argmax and gradients.
int RightRows(const std::string& name) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/" + name);
  EXPECT_TRUE(file.errors.empty());
  int right = 0;
  for (const Case& row : file.cases) {
    EXPECT_FALSE(row.expected_file.empty()) << row.id;
    const CaseResult result = RunCase(row, Soc(), Comparing());
    EXPECT_EQ(result.verdict, Verdict::kOk) << row.id << ": " << result.message;
    EXPECT_EQ(result.Hazards(), 0) << row.id;
    right += result.verdict == Verdict::kOk && result.comparison && result.comparison->elements > 0 ? 1 : 0;
  }
  return right;
}

TEST(PoolHarness, AgreesWithTheOraclesValuesAndArgmaxes) { EXPECT_EQ(RightRows("max_pool.csv"), 17); }

// Of x, and (rows `-given`) of the argmax_file.
TEST(PoolHarness, AgreesWithTheOraclesGradients) { EXPECT_EQ(RightRows("max_pool_grad.csv"), 20); }

TEST(PoolHarness, AgreesWithTheOracleOnNaNAndMinusInfinity) {
  EXPECT_EQ(RightRows("max_pool_nan.csv"), 7);
  const CaseFile file = ReadCaseFile("tests/data/oracle/max_pool_nan.csv");
  EXPECT_EQ(RunCase(file.cases.front(), Soc(), Comparing()).message,
            "some input is inf or NaN: run and compared with numerics.ieee=1, so that y keeps them");
}

TEST(PoolHarness, AgreesWithTheDirectLoopOnLayersInEveryMode) {
  const std::set<std::string> chosen = {
      "odd_dilated",        "odd_gaps_grad",   "odd_asymmetric_pads_grad",
      "odd_3_channels",     "odd_nan_ignored", "odd_nan_ignored_grad",
      "odd_batch_in_index", "odd_1_element",   "odd_windows_of_padding_grad"};
  size_t met = 0;
  for (const Case& row : ReadCaseFile("configs/cases/max_pool.csv").cases) {
    if (!chosen.contains(row.id)) {
      continue;
    }
    ++met;
    const CaseResult full = RunCase(row, Soc(), Comparing());
    EXPECT_EQ(full.verdict, Verdict::kOk) << row.id << ": " << full.message;
    HarnessOptions options = Comparing();
    options.mode = {.values = true, .time = false, .hazards = false};
    const CaseResult functional = RunCase(row, Soc(), options);
    EXPECT_EQ(functional.verdict, Verdict::kOk) << row.id << ": " << functional.message;
    EXPECT_FALSE(functional.summary.has_value());
    ExpectSameOutputs(full, functional);
    options.mode = {.values = false, .time = true, .hazards = false};
    options.compare = false;
    const CaseResult timing = RunCase(row, Soc(), options);
    EXPECT_EQ(timing.verdict, Verdict::kOk) << row.id << ": " << timing.message;
    ASSERT_TRUE(full.summary && timing.summary) << row.id;
    EXPECT_EQ(timing.launch->cycles, full.launch->cycles) << row.id;
    EXPECT_GT(timing.summary->ratio(Pipe::kV), 0) << row.id;
    EXPECT_EQ(timing.summary->ratio(Pipe::kM), 0) << row.id;
    EXPECT_LE(timing.lower_bound->time_us, timing.launch->time_us) << row.id;
  }
  EXPECT_EQ(met, chosen.size());
}

TEST(PoolHarness, GivesTheSameOnAnyNumberOfThreadsAndCores) {
  for (const std::string op : {"max_pool2d", "max_pool2d_grad"}) {
    const Case problem = PoolCaseOf({{"op", op}, {"input", "6x70x31x30"}});
    HarnessOptions options;
    options.threads = 1;
    const CaseResult all = RunCase(problem, Soc(), options);
    options.threads = 3;
    const CaseResult threads = RunCase(problem, Soc(), options);
    options.plan.cores = 1;
    const CaseResult one = RunCase(problem, Soc(), options);
    EXPECT_GT(all.plan->UsedCores(), 24) << op;  // vector cores, two beside each cube core
    EXPECT_EQ(one.plan->UsedCores(), 1) << op;
    EXPECT_EQ(all.launch->cycles, threads.launch->cycles) << op;
    EXPECT_LT(all.launch->cycles, one.launch->cycles) << op;
    ExpectSameOutputs(all, threads);
    ExpectSameOutputs(all, one);
  }
}

TEST(PoolHarness, RefusesMoreCoresThanThereAreVectorCores) {
  HarnessOptions options;
  options.plan.cores = 49;
  const CaseResult result = RunCase(PoolCaseOf({}), Soc(), options);
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_NE(result.message.find("must be a whole number of 1 to 48"), std::string::npos) << result.message;
}

// PyTorch and TensorFlow.js give an empty result for an empty batch.
TEST(PoolHarness, GivesAnEmptyResultForAnEmptyBatch) {
  const std::string folder = testing::TempDir() + "GivesAnEmptyResultForAnEmptyBatch.";
  WriteNpy(folder + "x.npy", Tensor(DType::kFp16, Layout(Format::kNCHW, {0, 3, 4, 4})));
  WriteNpy(folder + "y.npy", Tensor(DType::kFp16, Layout(Format::kNCHW, {0, 3, 2, 2})));
  WriteNpy(folder + "argmax.npy", Tensor(DType::kInt32, Layout(Format::kNCHW, {0, 3, 2, 2})));
  const CaseCells empty = {{"input", "0x3x4x4"}, {"filter", "2x2"}, {"stride", "2"}, {"pad", "0"}};
  const CaseCells more[] = {{{"op", "max_pool2d"},
                             {"x_file", folder + "x.npy"},
                             {"expected_file", folder + "y.npy"},
                             {"expected_argmax_file", folder + "argmax.npy"}},
                            {{"op", "max_pool2d_grad"}, {"expected_file", folder + "x.npy"}},
                            {{"op", "max_pool2d_grad"}, {"argmax_file", folder + "argmax.npy"}}};
  for (CaseCells cells : more) {
    cells.insert(empty.begin(), empty.end());
    const Case problem = PoolCaseOf(cells);
    const CaseResult full = RunCase(problem, Soc(), Comparing());
    EXPECT_EQ(full.verdict, Verdict::kOk) << problem.op << ": " << full.message;
    EXPECT_EQ(full.message, "");
    ASSERT_EQ(full.outputs.size(), problem.op == "max_pool2d" ? 2U : 1U);
    for (const Tensor& output : full.outputs) {
      EXPECT_EQ(output.size_bytes(), 0U);
      EXPECT_EQ(output.layout().extents()[0], 0);
      EXPECT_EQ(output.layout().extents()[1], 3);
    }
    EXPECT_EQ(full.summary->gm_read_bytes + full.summary->gm_write_bytes, 0);
    HarnessOptions timing;
    timing.mode = {.values = false, .time = true, .hazards = false};
    EXPECT_EQ(RunCase(problem, Soc(), timing).verdict, Verdict::kOk) << problem.op;
  }
}

// A file of the argmaxes that a run gives, one of them another number. Returns its path.
std::string WrongArgmax(const std::string& name, int32_t index) {
  const CaseResult result = RunCase(PoolCaseOf({}), Soc(), {.plan = {}, .mode = {}});
  Tensor argmax = result.outputs.at(1);
  argmax.Set({1, 60, 4, 5}, index);
  const std::string path = testing::TempDir() + name + ".npy";
  WriteNpy(path, argmax);
  return path;
}

TEST(PoolHarness, SaysWhoWroteAnArgmaxThatDiffers) {
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
TEST(PoolHarness, RefusesExpectedArgmaxesThatAreNoWholeNumbers) {
  const std::string path = testing::TempDir() + "RefusesExpectedArgmaxesThatAreNoWholeNumbers.npy";
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
TEST(PoolHarness, KeepsTheMinusInfinityOfWindowsOfPaddingWhereItCompares) {
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
TEST(PoolHarness, RefusesNumbersWhereWindowsHoldNoElement) {
  const std::string path = testing::TempDir() + "RefusesNumbersWhereWindowsHoldNoElement.npy";
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
TEST(PoolHarness, SaysNothingOfNaNThatOnlyChoosesTheArgmax) {
  const std::string path = testing::TempDir() + "SaysNothingOfNaNThatOnlyChoosesTheArgmax.npy";
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

TEST(PoolHarness, SaysWhoWroteAGradientThatDiffers) {
  const std::string path = testing::TempDir() + "SaysWhoWroteAGradientThatDiffers.npy";
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

TEST(PoolHarness, RefusesAGivenArgmaxOutsideItsWindow) {
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

// The tile programs leave to the compiler what it does by itself: V behind V. All else they say.
TEST(PoolHarness, LacksOnlyBarriersOfTheVectorUnitWhereTheCompilerAddsNothing) {
  const std::string given = testing::TempDir() + "LacksOnlyBarriers.npy";
  WriteNpy(given, RunCase(PoolCaseOf({}), Soc(), {.plan = {}, .mode = {}}).outputs.at(1));
  for (const CaseCells& cells : {CaseCells{}, CaseCells{{"op", "max_pool2d_grad"}},
                                 CaseCells{{"op", "max_pool2d_grad"}, {"argmax_file", given}}}) {
    HarnessOptions options;
    options.plan.cores = 2;
    EXPECT_EQ(RunCase(PoolCaseOf(cells), Soc(), options).verdict, Verdict::kOk);
    options.mode.strict_sync = true;
    const CaseResult result = RunCase(PoolCaseOf(cells), Soc(), options);
    EXPECT_EQ(result.verdict, Verdict::kHazard);
    ASSERT_TRUE(result.launch.has_value());
    for (const Fault& fault : result.launch->faults) {
      ASSERT_NE(fault.Text().find("needs a PipeBarrier<PIPE_V> between them"), std::string::npos)
          << fault.Text();
    }
  }
}

// Only part of what 48 vector cores can read is what 24 could: the bound counts the cores that are started.
TEST(PoolHarness, IsNotFasterThanItsBoundWhereACoreReadsSlowly) {
  const std::string slow[] = {"gm.hbm_core_bytes_per_cycle=1", "gm.hbm_ub_core_bytes_per_cycle=1"};
  const SocConfig soc = LoadSoc("ascend910b2", slow);
  const Case problem = PoolCaseOf(
      {{"input", "12x32x32x64"}, {"layout", "NHWC"}, {"filter", "2x2"}, {"pad", "0"}, {"dtype", "fp32"}});
  const CaseResult result = RunCase(problem, soc, {.plan = {}, .mode = {.values = false, .hazards = false}});
  ASSERT_TRUE(result.lower_bound && result.launch) << result.message;
  EXPECT_LE(result.lower_bound->time_us, result.launch->time_us);
  EXPECT_GT(result.lower_bound->time_us, 0.5 * result.launch->time_us);
  EXPECT_EQ(Name(result.lower_bound->by), "gm_read");
}

}  // namespace
}  // namespace tilesim
