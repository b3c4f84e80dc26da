#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/harness/harness.h"
#include "ops/operators.h"
#include "ops/sequence/sequence_steps.h"
#include "tests/support/default_soc.h"

namespace tilesim {
namespace {

CaseResult RunCells(const CaseCells& cells, bool aclnn, bool timing = false) {
  HarnessOptions options;
  options.mode = {.values = !timing, .time = true, .hazards = !timing};
  options.threads = 2;
  options.aclnn = aclnn;
  options.compare = !timing;
  return RunCase(ReadCase(cells, 0, ""), Soc(), options);
}

std::vector<std::string> KernelsOf(const CaseResult& result) {
  std::vector<std::string> names;
  for (const CaseResult& kernel : result.kernels) {
    names.push_back(kernel.kernel);
  }
  return names;
}

CaseCells Filter(const std::string& dtype) {
  return {{"op", "conv3d_backprop_filter"},
          {"dtype", dtype},
          {"input", "2x19x4x7x9"},
          {"filter", "35x19x3x3x3"},
          {"pad", "1"}};
}

TEST(Sequence, TheFilterGradientsKernelsGiveTheFilterGradient) {
  for (const std::string dtype : {"fp16", "bf16", "fp32"}) {
    const CaseResult result = RunCells(Filter(dtype), true);
    EXPECT_EQ(result.verdict, Verdict::kOk) << dtype << ": " << result.message;
    EXPECT_EQ(KernelsOf(result), (std::vector<std::string>{"TransData x", "TransData dy", "MemSet dw",
                                                           "Conv3DBackpropFilter", "TransData dw"}));
    const CaseResult alone = RunCells(Filter(dtype), false);
    ASSERT_EQ(result.outputs.size(), 1u);
    EXPECT_EQ(result.outputs[0].layout(), alone.outputs[0].layout());
    EXPECT_EQ(result.outputs[0].Get({34, 18, 2, 1, 0}), alone.outputs[0].Get({34, 18, 2, 1, 0}));
    EXPECT_LT(result.kernels[3].launch->cycles, alone.launch->cycles) << "dw is filled by MemSet alone";
  }
}

// The own kernel adds to what MemSet leaves: other values than zeros stay in dw.
TEST(Sequence, TheFilterGradientAddsToWhatMemSetLeft) {
  const Case problem = ReadCase(Filter("fp16"), 0, "");
  const std::unique_ptr<Operator> alone = MakeOperator(problem);
  const std::vector<SequenceStep> steps = AclnnSteps(problem);
  const SequenceStep& own = steps.at(3);
  ASSERT_EQ(own.adds_to, std::optional<size_t>(2));
  EXPECT_EQ(steps.at(2).kernel, "MemSet dw");
  const Plan plan = ChoosePlan(problem, *alone, Soc(), {});
  const OperatorTensor dw = own.op->Outputs().front();
  Tensor poisoned(dw.dtype, dw.device);
  for (float& value : poisoned.As<float>()) {
    value = 1000;
  }
  std::vector<Tensor> held;
  held.push_back(std::move(poisoned));
  const RunOptions options{.mode = {.values = true, .time = true, .hazards = true}, .threads = 2};
  RunOptions adding = options;
  adding.adds_to_outputs = true;
  const OperatorRun sum =
      RunOperator(*own.op, plan, Soc(), MakeInputs(problem, *alone), adding, std::move(held));
  EXPECT_TRUE(sum.launch.faults.empty()) << sum.launch.faults.front().Text();
  const OperatorRun plain = RunOperator(*alone, plan, Soc(), MakeInputs(problem, *alone), options);
  const std::vector<std::vector<int64_t>> places = {{0, 0, 0, 0, 0}, {34, 18, 2, 1, 0}, {17, 3, 1, 2, 2}};
  for (const std::vector<int64_t>& at : places) {
    EXPECT_NEAR(sum.outputs[0].Get(at), 1000 + plain.outputs[0].Get(at), 1e-2);
  }
}

TEST(Sequence, NamesTheTypeOfEachKernelsInputs) {
  const CaseResult result = RunCells(Filter("bf16"), true, true);
  std::vector<std::string> types;
  for (const CaseResult& kernel : result.kernels) {
    types.push_back(kernel.dtype);
  }
  EXPECT_EQ(types, (std::vector<std::string>{"bf16", "bf16", "fp32", "bf16", "fp32"}));
  EXPECT_EQ(result.dtype, "bf16");
}

// --cores counts AI cores; the vector kernels have those of as many.
TEST(Sequence, CoresBoundEveryKernel) {
  HarnessOptions options;
  options.mode = {.values = false, .time = true, .hazards = false};
  options.aclnn = true;
  options.plan.cores = 2;
  const CaseResult result = RunCase(ReadCase(Filter("fp16"), 0, ""), Soc(), options);
  ASSERT_EQ(result.kernels.size(), 5U) << result.message;
  for (const CaseResult& kernel : result.kernels) {
    EXPECT_LE(kernel.plan->UsedCores(), kernel.kernel == "Conv3DBackpropFilter" ? 2 : 4) << kernel.kernel;
  }
}

TEST(Sequence, AddsUpItsKernelsWithALaunchEach) {
  CaseCells cells = Filter("fp16");
  cells["measured_us"] = "10";
  const CaseResult result = RunCells(cells, true);
  double time_us = 0;
  int64_t cycles = 0;
  for (const CaseResult& kernel : result.kernels) {
    EXPECT_GT(kernel.launch->time_us, Soc().launch_us);
    time_us += kernel.launch->time_us;
    cycles += kernel.launch->cycles;
  }
  ASSERT_TRUE(result.total.has_value());
  EXPECT_DOUBLE_EQ(result.total->time_us, time_us);
  EXPECT_EQ(result.total->cycles, cycles);
  ASSERT_TRUE(result.error_us_percent.has_value());
  EXPECT_NEAR(*result.error_us_percent, (time_us / 10 - 1) * 100, 1e-9);
  const CaseResult timed = RunCells(cells, true, true);
  EXPECT_EQ(timed.total->cycles, cycles) << "timing mode has the same clock";
  EXPECT_FALSE(RunCells(cells, false).error_us_percent.has_value()) << "one kernel of a call is not the call";
}

TEST(Sequence, GroupsHaveOneMoreConversionAndFill) {
  for (const std::string groups : {"2", "12"}) {
    const CaseResult result = RunCells({{"op", "conv3d_backprop_filter"},
                                        {"input", "1x24x3x6x7"},
                                        {"filter", groups == "2" ? "24x12x2x3x3" : "24x2x2x3x3"},
                                        {"groups", groups}},
                                       true);
    EXPECT_EQ(result.verdict, Verdict::kOk) << result.message;
    EXPECT_EQ(KernelsOf(result),
              (std::vector<std::string>{"TransData x", "TransData dy", "MemSet dw", "Conv3DBackpropFilter",
                                        "MemSet dw", "TransData dw", "TransData dw DHWIO"}));
  }
}

TEST(Sequence, InputGradientsAnd2dAndChannelsLast) {
  const CaseCells cases[] = {
      {{"op", "conv3d_backprop_input"}, {"input", "2x19x4x7x9"}, {"filter", "35x19x3x3x3"}, {"pad", "1"}},
      {{"op", "conv2d_backprop_input"},
       {"layout", "NHWC"},
       {"input", "2x9x9x20"},
       {"filter", "3x3x20x33"},
       {"stride", "2"}},
      {{"op", "conv2d_backprop_filter"},
       {"layout", "NHWC"},
       {"input", "2x9x9x20"},
       {"filter", "3x3x20x33"},
       {"stride", "2"}},
      {{"op", "conv2d_backprop_filter"}, {"input", "2x20x9x9"}, {"filter", "33x20x3x3"}},
      {{"op", "conv2d_backprop_filter"}, {"input", "2x20x9x9"}, {"filter", "20x1x3x3"}, {"groups", "20"}},
      {{"op", "conv2d_backprop_input"}, {"input", "2x20x9x9"}, {"filter", "20x1x3x3"}, {"groups", "20"}},
      {{"op", "conv3d_transpose"}, {"output", "1x17x3x4x5"}, {"filter", "17x18x2x2x2"}, {"stride", "2"}}};
  for (const CaseCells& cells : cases) {
    const CaseResult result = RunCells(cells, true);
    EXPECT_EQ(result.verdict, Verdict::kOk) << cells.at("op") << ": " << result.message;
    EXPECT_GE(result.kernels.size(), 5u);
  }
}

TEST(Sequence, ACallOfOneKernelIsThatKernel) {
  const CaseCells pooling = {
      {"op", "max_pool2d"}, {"input", "1x16x9x9"}, {"filter", "3x3"}, {"measured_us", "5"}};
  const CaseResult result = RunCells(pooling, true);
  EXPECT_EQ(result.verdict, Verdict::kOk);
  EXPECT_TRUE(result.kernels.empty());
  EXPECT_NEAR(*result.error_us_percent, (result.launch->time_us / 5 - 1) * 100, 1e-9);
}

TEST(Sequence, TellsOfATilingThatDoesNotExist) {
  CaseCells cells = Filter("fp16");
  HarnessOptions options;
  options.aclnn = true;
  options.plan.cores = 48;  // vector cores there are; cube cores there are not
  const CaseResult result = RunCase(ReadCase(cells, 0, ""), Soc(), options);
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_NE(result.message.find("--cores = '48': must be a whole number of 1 to 24"), std::string::npos)
      << result.message;
}

TEST(Sequence, NeedsVectorCores) {
  HarnessOptions options;
  options.aclnn = true;
  const SocConfig soc = LoadSoc("ascend910b2", std::vector<std::string>{"chip.aiv_per_aic=0"});
  const CaseResult result = RunCase(ReadCase(Filter("fp16"), 0, ""), soc, options);
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_NE(result.message.find("TransData x runs on vector cores"), std::string::npos) << result.message;
}

// A tiling goes to the case's own kernel, and one of another family is told by its name.
TEST(Sequence, TilingFilesOfVectorKernelsAreRead) {
  const Case add = ReadCase({{"op", "add"}, {"input", "64x1000"}}, 0, "");
  const Case turn = ReadCase({{"op", "transpose"}, {"input", "64x1000"}, {"perm", "1x0"}}, 0, "");
  const Plan plan = ChoosePlan(add, *MakeOperator(add), Soc(), {});
  const std::string path = ::testing::TempDir() + "add.tiling.json";
  std::ofstream(path) << JsonOf(plan.tiling);
  HarnessOptions options;
  options.mode = {.values = false, .time = true, .hazards = false};
  options.plan.tiling_file = path;
  EXPECT_EQ(RunCase(add, Soc(), options).verdict, Verdict::kOk);
  const CaseResult other = RunCase(turn, Soc(), options);
  EXPECT_EQ(other.verdict, Verdict::kRefused);
  EXPECT_NE(other.message.find("is the tiling of an operator on elements (copy, mem_set, add)"),
            std::string::npos)
      << other.message;
}

}  // namespace
}  // namespace tilesim
