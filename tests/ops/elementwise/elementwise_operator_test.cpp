#include "ops/elementwise/elementwise_operator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "formats/npy.h"
#include "gtest/gtest.h"
#include "ops/cases/refusal.h"
#include "ops/operator_run.h"
#include "tests/ops/elementwise/elementwise_run.h"
#include "tests/support/repetitions.h"
#include "tiling/elementwise/elementwise_planner.h"

namespace tilesim {
namespace {

using testing::CompareCase;
using testing::Soc910b2;

constexpr std::string_view kAll[] = {"fp16", "bf16", "fp32", "int32", "int64", "uint8"};

// A loop that knows only bytes: the second look at copies, beside the operator's own reference.
TEST(Copy, MovesEveryBit) {
  std::mt19937_64 random(5 + static_cast<uint64_t>(TestTurn()));
  for (const DType dtype : kAllDTypes) {
    const ElementwiseProblem problem{.op = ElementwiseOp::kCopy, .dtype = dtype, .extents = {3, 1237}};
    const ElementwiseOperator op(problem);
    Tensor x(dtype, problem.TensorLayout());
    for (size_t i = 0; i < x.size_bytes(); ++i) {
      x.data()[i] = static_cast<std::byte>(random());
    }
    const Tensor given = x;
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(x));
    const OperatorRun run = RunOperator(op, op.MakePlan(PlannerKind::kOp, Soc910b2(), 7), Soc910b2(),
                                        std::move(inputs), {.threads = 2});
    EXPECT_TRUE(run.launch.faults.empty());
    EXPECT_EQ(std::memcmp(run.outputs[0].data(), given.data(), given.size_bytes()), 0) << Name(dtype);
  }
}

TEST(Elementwise, EqualsThePlainLoopForRandomShapesAndAnyNumberOfCores) {
  std::mt19937_64 random(20261121 + static_cast<uint64_t>(TestTurn()));
  const int64_t cores[] = {1, 2, 5, 24, 48};
  for (int round = 0; round < Repetitions(60); ++round) {
    std::vector<int64_t> extents(1 + random() % 6);
    for (int64_t& extent : extents) {
      extent = 1 + static_cast<int64_t>(random() % (extents.size() > 3 ? 9 : 40));
    }
    const char* const ops[] = {"copy", "mem_set", "add"};
    const std::string op = ops[round % 3];
    const std::string dtype(kAll[random() % (op == "add" ? 4 : 6)]);
    CaseCells cells = {{"op", op}, {"dtype", dtype}, {"input", testing::ShapeCell(extents)}};
    if (op == "mem_set") {
      cells["value"] = std::to_string(random() % 200);
    } else {
      cells["seed"] = std::to_string(random() % 1000);
    }
    const CaseResult result = CompareCase(cells, cores[random() % 5]);
    EXPECT_EQ(result.verdict, Verdict::kOk)
        << op << " " << dtype << " " << cells["input"] << ": " << result.message;
  }
}

TEST(Elementwise, ALargeTensorIsCutIntoManyTilesOfEachCore) {
  for (const std::string op : {"copy", "mem_set", "add"}) {
    const CaseResult result = CompareCase({{"op", op}, {"dtype", "fp32"}, {"input", "1023x1025"}}, 3);
    EXPECT_EQ(result.verdict, Verdict::kOk) << op << ": " << result.message;
    EXPECT_GT(result.plan->UsedCores(), 1);
  }
}

TEST(MemSet, WritesBothHalvesOfA64BitValue) {
  for (const std::string value : {"-1", "4294967297", "-8589934591", "9007199254740993",
                                  "9223372036854775807", "-9223372036854775808"}) {
    const CaseResult result =
        CompareCase({{"op", "mem_set"}, {"dtype", "int64"}, {"input", "70001"}, {"value", value}}, 4);
    EXPECT_EQ(result.verdict, Verdict::kOk) << value << ": " << result.message;
    EXPECT_EQ(result.outputs[0].As<int64_t>()[70000], std::stoll(value));
  }
}

TEST(Add, RoundsOnceAndWrapsWholeNumbers) {
  EXPECT_EQ(
      CompareCase({{"op", "add"}, {"dtype", "bf16"}, {"input", "8191"}, {"range", "-1e30:1e30"}}).verdict,
      Verdict::kOk);
  EXPECT_EQ(
      CompareCase({{"op", "add"}, {"dtype", "fp16"}, {"input", "8191"}, {"range", "-65504:65504"}}).verdict,
      Verdict::kOk);  // saturates
  EXPECT_EQ(
      CompareCase({{"op", "add"}, {"dtype", "int32"}, {"input", "999"}, {"range", "0:2147483647"}}).verdict,
      Verdict::kOk);
}

// The variants that have been measured: one core or all, small tiles or large, one buffer or two.
TEST(Elementwise, TakesATilingByHand) {
  const ElementwiseProblem problem{.op = ElementwiseOp::kAdd, .dtype = DType::kFp16, .extents = {64, 1024}};
  const ElementwiseOperator op(problem);
  double cycles = 1e30;
  for (const uint64_t buffers : {1, 2}) {
    ElementwiseTiling tiling;
    tiling.data = {.rows = 64,
                   .columns = 1024,
                   .tileRows = 3,
                   .tileColumns = 1000,
                   .bufferNum = buffers,
                   .bufferBytes = 6144,
                   .l2Bypass = 1};
    tiling.split.used_cores = 2;
    const Plan plan = op.GivenPlan(JsonOf(tiling), "hand", Soc910b2(), 48);
    ASSERT_TRUE(plan.legal) << plan.reasons.front();
    const LaunchResult launch = TimeOperator(op, plan, Soc910b2(), {});
    EXPECT_LT(static_cast<double>(launch.cycles), cycles) << "two buffers overlap loads with sums";
    cycles = static_cast<double>(launch.cycles);
    Tensor x(DType::kFp16, problem.TensorLayout());
    FillRandom(x, 3, -1, 1);
    std::vector<Tensor> inputs = {x, x};
    const OperatorRun run = RunOperator(op, plan, Soc910b2(), std::move(inputs), {});
    EXPECT_TRUE(run.launch.faults.empty());
    EXPECT_EQ(run.outputs[0].Get({63, 1023}), 2 * x.Get({63, 1023}));
  }
}

// Tiles of other sizes on all cores, by the simulated clock, launch included.
TEST(Elementwise, PlannedTilesAreNearTheFastest) {
  for (const ElementwiseOp kind : {ElementwiseOp::kCopy, ElementwiseOp::kAdd}) {
    for (const int64_t elements : {int64_t{1} << 18, int64_t{1} << 21, int64_t{1} << 24}) {
      const ElementwiseOperator op(
          ElementwiseProblem{.op = kind, .dtype = DType::kFp16, .extents = {1, elements}});
      const auto us = [&](const Plan& plan) { return TimeOperator(op, plan, Soc910b2(), {}).time_us; };
      const Plan planned = op.MakePlan(PlannerKind::kOp, Soc910b2(), 48);
      double least = INFINITY;
      for (const uint64_t columns : {1024, 2048, 4096, 8192, 16128}) {
        ElementwiseTiling tiling = std::get<ElementwiseTiling>(planned.tiling);
        tiling.data.tileColumns = columns;
        tiling.data.bufferBytes = columns * 2 + 128;
        tiling.split.used_cores = std::min<int64_t>(48, GridOf(tiling.data).tiles());
        const Plan given = op.GivenPlan(JsonOf(tiling), "hand", Soc910b2(), 48);
        ASSERT_TRUE(given.legal) << given.reasons.front();
        least = std::min(least, us(given));
      }
      EXPECT_LE(us(planned), 1.03 * least) << elements << " elements of kind " << static_cast<int>(kind);
    }
  }
}

TEST(Elementwise, RefusesTilingsInWords) {
  const ElementwiseOperator op(
      ElementwiseProblem{.op = ElementwiseOp::kCopy, .dtype = DType::kFp32, .extents = {100, 1000}});
  const Plan planned = op.MakePlan(PlannerKind::kOp, Soc910b2(), 48);
  ASSERT_TRUE(planned.legal);
  const auto reason = [&](auto&& change) {
    ElementwiseTiling tiling = std::get<ElementwiseTiling>(planned.tiling);
    change(tiling);
    const Plan plan = op.GivenPlan(JsonOf(tiling), "hand", Soc910b2(), 48);
    EXPECT_FALSE(plan.legal);
    return plan.reasons.empty() ? std::string() : plan.reasons.front();
  };
  EXPECT_NE(
      reason([](auto& t) { t.data.rows = 3; }).find("data.columns: rows times columns are the elements"),
      std::string::npos);
  EXPECT_NE(reason([](auto& t) { t.data.bufferBytes = 64; }).find("data.bufferBytes"), std::string::npos);
  EXPECT_NE(reason([](auto& t) { t.data.bufferBytes = 1u << 20; }).find("bytes of UB: found"),
            std::string::npos);
  EXPECT_NE(reason([](auto& t) { t.data.bufferNum = 3; }).find("data.bufferNum: buffers of a queue"),
            std::string::npos);
  EXPECT_NE(reason([](auto& t) { t.split.used_cores = 49; }).find("must be at most 48"), std::string::npos);
  EXPECT_FALSE(op.MakePlan(PlannerKind::kApi, Soc910b2(), 48).legal);
}

TEST(MemSet, RefusesAValueThatItsTypeDoesNotHold) {
  try {
    ReadCase({{"op", "mem_set"}, {"input", "4"}, {"dtype", "int64"}, {"value", "9223372036854775808"}}, 0,
             "");
    FAIL();
  } catch (const RefusedInput& error) {
    EXPECT_STREQ(error.what(),
                 "value = '9223372036854775808': must be a whole number of -9223372036854775808 to "
                 "9223372036854775807; the default is 0");
  }
}

TEST(Copy, ComparesInt64ToTheLastDigit) {
  const std::string x = ::testing::TempDir() + "elementwise_int64_x.npy";
  const std::string y = ::testing::TempDir() + "elementwise_int64_y.npy";
  Tensor tensor(DType::kInt64, Layout(Format::kND, {2, 2}));
  std::ranges::fill(tensor.As<int64_t>(), (int64_t{1} << 53) + 1);
  WriteNpy(x, tensor);
  tensor.As<int64_t>()[3] -= 1;
  WriteNpy(y, tensor);
  for (const std::string op : {"copy", "transpose"}) {
    CaseCells cells = {{"op", op}, {"dtype", "int64"}, {"input", "2x2"}, {"x_file", x}, {"expected_file", x}};
    if (op == "transpose") {
      cells["perm"] = "1x0";
    }
    EXPECT_EQ(CompareCase(cells, 1).verdict, Verdict::kOk) << op;
    cells["expected_file"] = y;
    const CaseResult result = CompareCase(cells, 1);
    EXPECT_EQ(result.verdict, Verdict::kMismatch);
    EXPECT_NE(result.message.find("found 9007199254740993, expected 9007199254740992"), std::string::npos)
        << result.message;
  }
}

TEST(Elementwise, RefusesCellsByTheirNames) {
  const auto refused = [](const CaseCells& cells) {
    try {
      ReadCase(cells, 0, "");
    } catch (const RefusedInput& error) {
      return error.refusal().where;
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused({{"op", "copy"}}), "input");
  EXPECT_EQ(refused({{"op", "copy"}, {"input", "0x4"}}), "input");
  EXPECT_EQ(refused({{"op", "copy"}, {"input", "1x1x1x1x1x1x1"}}), "input");
  EXPECT_EQ(refused({{"op", "add"}, {"input", "4"}, {"dtype", "int64"}}), "dtype");
  EXPECT_EQ(refused({{"op", "mem_set"}, {"input", "4"}, {"dtype", "uint8"}, {"value", "256"}}), "value");
  EXPECT_EQ(refused({{"op", "mem_set"}, {"input", "4"}, {"dtype", "int32"}, {"value", "0.5"}}), "value");
  EXPECT_EQ(refused({{"op", "mem_set"}, {"input", "4"}, {"dtype", "int32"}, {"value", "2147483647"}}),
            "nothing");
  EXPECT_EQ(refused({{"op", "mem_set"}, {"input", "4"}, {"dtype", "int32"}, {"value", "2147483648"}}),
            "value");
  for (const auto& [dtype, range, where] :
       {std::array<std::string, 3>{"int64", "0:9223371487098961920", "nothing"},
        {"int64", "0:9223372036854775808", "range"},
        {"int32", "0:2147483647", "nothing"},
        {"int32", "0:2147483648", "range"},
        {"uint8", "0:255", "nothing"},
        {"uint8", "0:256", "range"},
        {"uint8", "-1:255", "range"}}) {
    EXPECT_EQ(refused({{"op", "copy"}, {"input", "4"}, {"dtype", dtype}, {"range", range}}), where)
        << dtype << " " << range;
  }
  EXPECT_EQ(refused({{"op", "copy"}, {"input", "4"}, {"value", "1"}}), "value");
  EXPECT_EQ(refused({{"op", "copy"}, {"input", "4"}, {"stride", "2"}}), "stride");
  EXPECT_EQ(refused({{"op", "max_pool2d"}, {"input", "1x1x4x4"}, {"filter", "2"}, {"value", "2"}}), "value");
}

TEST(Elementwise, IsTheSameForAnyNumberOfThreads) {
  const CaseCells cells = {{"op", "add"}, {"dtype", "bf16"}, {"input", "77x1001"}};
  const CaseResult one = CompareCase(cells, 48, 1);
  const CaseResult four = CompareCase(cells, 48, 4);
  EXPECT_EQ(one.launch->cycles, four.launch->cycles);
  EXPECT_EQ(std::memcmp(one.outputs[0].data(), four.outputs[0].data(), one.outputs[0].size_bytes()), 0);
}

}  // namespace
}  // namespace tilesim
