// Poolings from case to verdict: the oracle's tensors, every mode, cores and threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "formats/npy.h"
#include "tests/ops/max_pool/pool_case_run.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::Comparing;
using testing::ExpectSameOutputs;
using testing::PoolCaseOf;

// The rows of a file of the oracle, those of this part of the tests: values, argmax and gradients.
void ExpectRight(const std::string& name, size_t rows) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/" + name);
  EXPECT_TRUE(file.errors.empty());
  EXPECT_EQ(file.cases.size(), rows);
  const int parts = std::min(TestPart(), static_cast<int>(rows));  // so that each part has a row
  int index = 0;
  for (const Case& row : file.cases) {
    if (index++ % parts != TestTurn() % parts) {
      continue;
    }
    EXPECT_FALSE(row.expected_file.empty()) << row.id;
    const CaseResult result = RunCase(row, Soc(), Comparing());
    EXPECT_EQ(result.verdict, Verdict::kOk) << row.id << ": " << result.message;
    EXPECT_EQ(result.Hazards(), 0) << row.id;
    EXPECT_TRUE(result.comparison && result.comparison->elements > 0) << row.id;
  }
}

TEST(PoolHarness, AgreesWithTheOraclesValuesAndArgmaxes) { ExpectRight("max_pool.csv", 17); }

// Of x, and (rows `-given`) of the argmax_file.
TEST(PoolHarness, AgreesWithTheOraclesGradients) { ExpectRight("max_pool_grad.csv", 20); }

TEST(PoolHarness, AgreesWithTheOracleOnNaNAndMinusInfinity) {
  ExpectRight("max_pool_nan.csv", 7);
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
  const std::string folder = ::testing::TempDir() + "GivesAnEmptyResultForAnEmptyBatch.";
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

// The tile programs leave to the compiler what it does by itself: V behind V. All else they say.
TEST(PoolHarness, LacksOnlyBarriersOfTheVectorUnitWhereTheCompilerAddsNothing) {
  const std::string given = ::testing::TempDir() + "LacksOnlyBarriers.npy";
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
