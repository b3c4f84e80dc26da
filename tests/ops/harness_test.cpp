#include "ops/harness/harness.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "formats/npy.h"
#include "formats/tensor.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/least_work.h"
#include "ops/harness/comparison.h"
#include "ops/harness/harness_faults.h"
#include "ops/operators.h"

namespace tilesim {
namespace {

const SocConfig& Unit() {
  static const SocConfig kUnit = LoadSoc("unit");
  return kUnit;
}

Case TinyCase(const CaseCells& more) {
  CaseCells cells = {{"op", "conv3d_backprop_filter"}, {"input", "1x16x1x4x4"}, {"filter", "16x16x1x1x1"}};
  for (const auto& [column, cell] : more) {
    cells[column] = cell;
  }
  return ReadCase(cells, 1, "");
}

TEST(LeastWork, CountsEachFractalAndLineOnce) {
  const Work work = LeastFilterWork(TinyCase({}).conv(), Unit());
  EXPECT_EQ(work.cube_cycles, 1);                        // 16 x 16 x 16
  EXPECT_EQ(work.gm_read_bytes, 16 * 32 + 16 * 32);      // x and dy: 16 places of one data block
  EXPECT_EQ(work.gm_write_bytes, int64_t{16} * 16 * 4);  // dw, fp32
}

TEST(LeastWork, LeavesOutWhatNoWindowReaches) {
  // windows of one element, two apart: 4 of the 16 places; K = 4 takes a whole fractal
  const Work work = LeastFilterWork(TinyCase({{"stride", "1x2x2"}}).conv(), Unit());
  EXPECT_EQ(work.cube_cycles, 1);
  EXPECT_EQ(work.gm_read_bytes, 4 * 32 + 4 * 32);
}

TEST(LeastWork, LeavesOutPlanesOfPadding) {
  // D = 2, three kernel planes, pad 1: 1 + 2 + 1 of the 6 (window, plane) pairs hold x
  const Work work = LeastFilterWork(
      TinyCase({{"input", "1x16x2x4x4"}, {"filter", "16x16x3x1x1"}, {"pad", "1x0x0"}}).conv(), Unit());
  EXPECT_EQ(work.cube_cycles, 4);
}

TEST(RuleOf, AsksForBlocksWhereChainsAreShort) {
  const auto rule = [](uint32_t rows, double products) {
    FilterTiling tiling{};
    tiling.data.dwTiling.wo = 64;
    tiling.data.dwTiling.singleCoreHo = rows;
    Plan plan;
    plan.tiling = tiling;
    Truth truth;
    truth.products = products;
    return FilterOperator({}).RuleOf(plan, truth);
  };
  EXPECT_EQ(rule(4, 256), Rule::kBlocked);          // 1.5 (16 + 1) = 25.5 of 32 + 16/4 = 36
  EXPECT_EQ(rule(16, 65536), Rule::kBlocked);       // 1.5 (32 + 8) = 60 of 32 + 256/4 = 96
  EXPECT_EQ(rule(64, 4096), Rule::kAnyOrder);       // one chain: 1.5 (64 + 1) = 97.5 of 32 + 64/4 = 48
  EXPECT_EQ(rule(2048, 1 << 26), Rule::kAnyOrder);  // a chain longer than was measured
}

TEST(Harness, MakesTheSameValuesInEveryLayout) {
  const auto made = [](const Case& problem) { return MakeInputs(problem, *MakeOperator(problem)); };
  const std::vector<Tensor> first = made(TinyCase({{"seed", "7"}}));
  const std::vector<Tensor> last = made(
      TinyCase({{"seed", "7"}, {"layout", "NDHWC"}, {"input", "1x1x4x4x16"}, {"filter", "1x1x1x16x16"}}));
  for (int64_t c = 0; c < 16; ++c) {
    EXPECT_EQ(first[0].Get({0, c, 0, 1, 2}), last[0].Get({0, c, 0, 1, 2}));
    EXPECT_EQ(first[1].Get({0, c, 0, 1, 2}), last[1].Get({0, c, 0, 1, 2}));
    EXPECT_NE(first[0].Get({0, c, 0, 1, 2}), first[1].Get({0, c, 0, 1, 2}));  // seed and seed + 1
  }
}

Fault FaultOf(FaultKind kind, const std::string& core, const std::string& what) {
  Fault fault;
  fault.kind = kind;
  fault.core = core;
  fault.what = what;
  return fault;
}

TEST(TextOfFaults, HasTheFirstInFullAndCountsTheRestByKind) {
  const Fault hazard = FaultOf(FaultKind::kHazard, "AIC 1", "nothing orders the two");
  EXPECT_EQ(TextOf({hazard, hazard, hazard}),
            "AIC 1: [hazard] nothing orders the two\n"
            "that is the first of 3: 3 hazards; --output DIR keeps all");
}

// The verdict is of the one, the column of the other.
TEST(TextOfFaults, HasTheFirstHazardAndTheFirstOtherFault) {
  const Fault flag = FaultOf(FaultKind::kFlag, "AIC 0", "MTE1_M flag 0 is left set");
  const Fault hazard = FaultOf(FaultKind::kHazard, "AIC 1", "nothing orders the two");
  EXPECT_EQ(TextOf(std::vector<Fault>{flag}), "AIC 0: [flag] MTE1_M flag 0 is left set");
  EXPECT_EQ(TextOf({hazard, flag, hazard, hazard}),
            "AIC 1: [hazard] nothing orders the two\n"
            "that is the first of 4: 3 hazards, 1 wrong flag; --output DIR keeps all\n"
            "the first that is no hazard: AIC 0: [flag] MTE1_M flag 0 is left set");
  EXPECT_EQ(TextOf({flag, hazard}),
            "AIC 0: [flag] MTE1_M flag 0 is left set\n"
            "that is the first of 2: 1 hazard, 1 wrong flag; --output DIR keeps all\n"
            "the first hazard: AIC 1: [hazard] nothing orders the two");
}

// The device multiplies padding: 0 * inf is NaN there, and the comparison says for how many outputs.
TEST(Harness, SaysWhatPaddingMakesNan) {
  const std::string path = ::testing::TempDir() + "SaysWhatPaddingMakesNan.dy.npy";
  Tensor dy(DType::kFp16, Layout(Format::kNCDHW, {1, 16, 1, 4, 4}));
  FillRandom(dy, 3, -1, 1);
  dy.Set({0, 5, 0, 0, 0}, std::numeric_limits<double>::infinity());
  WriteNpy(path, dy);
  const CaseCells cells = {{"filter", "16x16x1x3x3"}, {"pad", "0x1x1"}, {"dy_file", path}};
  HarnessOptions options;
  options.compare = true;
  const CaseResult result = RunCase(TinyCase(cells), Unit(), options);
  EXPECT_EQ(result.verdict, Verdict::kOk) << result.message;
  EXPECT_EQ(result.nan_from_padding,
            5 * 16);  // the corner meets padding at 5 of 9 taps, of 16 input channels
  EXPECT_EQ(
      result.message,
      "80 outputs are NaN on the device, which multiplies padding: 0 times inf or NaN of dy; the direct "
      "loop counted as NaN there");
  options.compare = false;
  EXPECT_FALSE(RunCase(TinyCase(cells), Unit(), options).nan_from_padding.has_value());
  EXPECT_EQ(RunCase(TinyCase({}), Unit(), {.plan = {}, .mode = {}, .compare = true}).nan_from_padding, 0);
}

// dx of fp16 saturates, and NaN becomes 0; a NaN of the file is none the less no 0.
TEST(Harness, TakesNoNanOfAFileForZero) {
  const std::string path = ::testing::TempDir() + "TakesNoNanOfAFileForZero.npy";
  Tensor dx(DType::kFp32, Layout(Format::kNCDHW, {1, 16, 1, 4, 4}));
  dx.Set({0, 5, 0, 1, 2}, std::numeric_limits<double>::quiet_NaN());
  WriteNpy(path, dx);
  HarnessOptions options;
  options.compare = true;
  const CaseCells cells = {{"op", "conv3d_backprop_input"}, {"range", "0:0"}, {"expected_file", path}};
  const CaseResult result = RunCase(TinyCase(cells), Unit(), options);
  EXPECT_EQ(result.verdict, Verdict::kMismatch);
  EXPECT_EQ(result.message, path +
                                " is NaN in 1 output of which the direct loop has a number, the first at "
                                "(n=0, c=5, d=0, h=1, w=2)\ndy is random (seed 0): no dy_file was given\n"
                                "w is random (seed 0): no w_file was given");
}

TEST(Harness, SaysWhichInputsOfAMismatchAreRandom) {
  const std::string folder = ::testing::TempDir() + "SaysWhichInputsOfAMismatchAreRandom";
  Tensor dw(DType::kFp32, Layout(Format::kOIDHW, {16, 16, 1, 1, 1}));
  dw.Set({0, 0, 0, 0, 0}, 1000);
  WriteNpy(folder + ".dw.npy", dw);
  WriteNpy(folder + ".dy.npy", Tensor(DType::kFp16, Layout(Format::kNCDHW, {1, 16, 1, 4, 4})));
  HarnessOptions options;
  options.compare = true;
  const auto message = [&](CaseCells cells) {
    cells["seed"] = "7";
    return RunCase(TinyCase(cells), Unit(), options).message;
  };
  const std::string x = "\nx is random (seed 7): no x_file was given";
  const std::string dy = "\ndy is random (seed 7): no dy_file was given";
  EXPECT_TRUE(message({{"expected_file", folder + ".dw.npy"}}).ends_with(x + dy));
  EXPECT_TRUE(message({{"expected_file", folder + ".dw.npy"}, {"dy_file", folder + ".dy.npy"}}).ends_with(x));
  EXPECT_EQ(message({}), "");
}

TEST(Harness, RefusesSumsOfAbsoluteProductsThatAreNone) {
  const std::string path = ::testing::TempDir() + "RefusesSumsOfAbsoluteProductsThatAreNone.npy";
  Tensor absdot(DType::kFp32, Layout(Format::kOIDHW, {16, 16, 1, 1, 1}));
  absdot.Set({0, 5, 0, 0, 0}, -2);
  WriteNpy(path, absdot);
  HarnessOptions options;
  options.compare = true;
  const CaseResult result = RunCase(TinyCase({{"absdot_file", path}}), Unit(), options);
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_NE(result.message.find("holds -2, must hold sums of absolute products: finite and at least 0"),
            std::string::npos)
      << result.message;
}

// Products of 1e-40 have no more than 17 bits in fp32: each is rounded to a multiple of 2^-149.
TEST(Harness, AllowsForProductsThatUnderflow) {
  HarnessOptions options;
  options.compare = true;
  for (const std::string dtype : {"fp32", "bf16"}) {
    for (const std::string op : {"conv3d_backprop_filter", "conv3d_backprop_input"}) {
      const CaseResult result =
          RunCase(TinyCase({{"op", op}, {"dtype", dtype}, {"range", "-1e-20:1e-20"}}), Unit(), options);
      EXPECT_EQ(result.verdict, Verdict::kOk) << op << " " << dtype << ": " << result.message;
    }
  }
}

TEST(Harness, RefusesToMakeATensorItKnowsNoSourceOf) {
  class Strange : public FilterOperator {
   public:
    explicit Strange(const Conv3dProblem& problem) : FilterOperator(problem) {}
    [[nodiscard]] std::vector<OperatorTensor> Inputs() const override { return Outputs(); }
  };
  const Case problem = TinyCase({});
  EXPECT_THROW(MakeInputs(problem, Strange(problem.conv())), std::logic_error);  // "dw" is no input
}

// Request e24 of the project's oracle list.
TEST(Harness, SaysWhichFileHoldsAnArgmaxThatIsNone) {
  const std::string path = ::testing::TempDir() + "SaysWhichFileHoldsAnArgmaxThatIsNone.npy";
  Tensor argmax(DType::kInt32, Layout(Format::kNCHW, {1, 1, 2, 2}));
  argmax.Set({0, 0, 1, 1}, 99);
  WriteNpy(path, argmax);
  Case problem = ReadCase({{"op", "max_pool2d_grad"},
                           {"dtype", "fp32"},
                           {"input", "1x1x4x4"},
                           {"filter", "2x2"},
                           {"stride", "2"}},
                          1, "");
  problem.argmax_file = path;
  const CaseResult result = RunCase(problem, LoadSoc("ascend910b2"), {});
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_NE(result.message.find("argmax_file: " + path + ": argmax at (n=0, c=0, h="), std::string::npos)
      << result.message;
}

TEST(Harness, SaysWhereARefusedRowStands) {
  Case problem = TinyCase({});
  problem.place = "cases.csv:2: row 1 (1)";
  HarnessOptions options;
  options.plan.tiling_file = "no/such.json";
  const CaseResult result = RunCase(problem, Unit(), options);
  EXPECT_EQ(result.verdict, Verdict::kRefused);
  EXPECT_EQ(result.message,
            "cases.csv:2: row 1 (1): no/such.json: no such tiling file; give the JSON that `tilesim plan` "
            "prints for this case");
}

TEST(Harness, RefusesASecondWordOnTheTilingOfARow) {
  Case problem = TinyCase({});
  problem.tiling_file = "own.json";
  problem.place = "cases.csv:2: row 1 (1)";
  HarnessOptions options;
  options.plan.tiling_file = "no/such.json";
  EXPECT_EQ(
      RunCase(problem, Unit(), options).message,
      "cases.csv:2: row 1 (1): --tiling and the row's tiling_file 'own.json' exclude each other: a case "
      "has one tiling; empty that cell, or leave the option out");
  for (const PlannerKind planner : {PlannerKind::kOp, PlannerKind::kApi}) {
    options.plan = {.planner = planner, .tiling_file = "", .cores = std::nullopt};
    const CaseResult result = RunCase(problem, Unit(), options);
    EXPECT_EQ(result.verdict, Verdict::kRefused);
    EXPECT_EQ(
        result.message,
        "cases.csv:2: row 1 (1): --planner and the row's tiling_file 'own.json' exclude each other: the "
        "tiling is planned or given; empty that cell, or leave the option out");
  }
}

}  // namespace
}  // namespace tilesim
