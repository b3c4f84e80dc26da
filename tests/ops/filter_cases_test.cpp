// Whole cases through the harness: the oracle's tensors, the planners' tilings on random problems of every
// kind, and the operator's limits.
#include <array>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "ops/harness/harness.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

CaseResult CompareCase(const Case& item, PlannerKind planner, int64_t cores) {
  const SocConfig soc = LoadSoc("ascend910b2");
  HarnessOptions options;
  options.plan = {.planner = planner, .tiling_file = "", .cores = cores};
  options.threads = 2;
  options.compare = true;
  return RunCase(item, soc, options);
}

TEST(FilterCases, EqualTheOraclesTensors) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv");
  EXPECT_TRUE(file.errors.empty());
  ASSERT_GE(file.cases.size(), 16U);
  int cases = 0;
  for (const Case& item : file.cases) {
    EXPECT_FALSE(item.expected_file.empty()) << item.id;
    if (!IsOfThisPart(cases++)) {
      continue;
    }
    const CaseResult result = CompareCase(item, PlannerKind::kOp, 24);
    EXPECT_EQ(result.verdict, Verdict::kOk) << item.id << ": " << result.message;
  }
}

TEST(FilterCases, EqualTheOraclesTensorsWithTheTilingsOfTheApiPlanner) {
  int planned = 0;
  for (const Case& item : ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv").cases) {
    const CaseResult result = CompareCase(item, PlannerKind::kApi, 24);
    if (result.verdict != Verdict::kNoTiling) {  // groups and fp32 are not for that planner
      EXPECT_EQ(result.verdict, Verdict::kOk) << item.id << ": " << result.message;
      ++planned;
    }
  }
  EXPECT_GE(planned, 10);
}

// Every dtype, groups to depthwise, strides, dilations, asymmetric pads, 2D as D = 1 and HF32, with whatever
// the planner chooses.
Case RandomCase(std::mt19937& random) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  Case item;
  item.op = "conv3d_backprop_filter";
  item.seed = pick(0, 1000);
  Conv3dProblem& p = item.conv();
  p.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
  p.hf32 = p.dtype == DType::kFp32 && pick(0, 2) == 0;
  const int64_t kind = pick(0, 3);
  p.groups = kind == 0 ? pick(2, 20) : 1;
  const int64_t each = kind == 0 && pick(0, 1) == 0 ? 1 : pick(1, kind == 0 ? 5 : 70);  // 1: depthwise
  p.cin = p.groups * each;
  p.cout = p.groups * (kind == 0 ? pick(1, 4) : pick(1, 70));
  p.batch = pick(1, 3);
  p.in = {pick(1, 5), pick(1, 20), pick(1, 40)};
  p.kernel = {pick(1, 3), pick(1, 5), pick(1, 5)};
  p.stride = {pick(1, 3), pick(1, 4), pick(1, 4)};
  p.dilation = {pick(1, 2), pick(1, 3), pick(1, 3)};
  p.pad = {pick(0, 2), pick(0, 2), pick(0, 5), pick(0, 5), pick(0, 5), pick(0, 5)};
  p.out = ForwardExtents(p);
  return item;
}

TEST(FilterCases, EqualTheLoopsOnRandomProblems) {
  const unsigned kSeed = 20261122 + static_cast<unsigned>(TestTurn());
  const int wanted = Repetitions(60);
  std::mt19937 random(kSeed);
  int run = 0;
  for (int trial = 0; run < wanted && trial < 2000; ++trial) {
    const Case item = RandomCase(random);
    if (WhyNot(item.conv())) {
      continue;
    }
    ++run;
    const CaseResult result = CompareCase(item, PlannerKind::kOp, 1 + trial % 24);
    EXPECT_EQ(result.verdict, Verdict::kOk)
        << "seed " << kSeed << ", trial " << trial << ": " << result.message;
  }
  EXPECT_EQ(run, wanted);
}

TEST(FilterCases, RunLimitsOfTheOperator) {
  struct Extreme {
    const char* name;
    Extents3 in, kernel, stride, dilation;
    Pads pad;
  };
  const std::array<Extreme, 7> extremes = {{
      {"stride 63", {1, 130, 130}, {1, 3, 3}, {1, 63, 63}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {"dilation 255 in H", {1, 258, 3}, {1, 2, 2}, {1, 1, 1}, {1, 255, 1}, {0, 0, 0, 0, 0, 0}},
      {"dilation 255 in W", {1, 3, 258}, {1, 2, 2}, {1, 1, 1}, {1, 1, 255}, {0, 0, 0, 0, 0, 0}},
      {"pads 255", {1, 3, 3}, {1, 2, 2}, {1, 40, 40}, {1, 1, 1}, {0, 0, 255, 255, 255, 255}},
      {"pad below only", {1, 2, 5}, {1, 1, 1}, {1, 2, 1}, {1, 1, 1}, {0, 0, 0, 200, 0, 3}},
      {"kernel 511 high", {1, 512, 2}, {1, 511, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {"kernel 32 wide", {2, 3, 40}, {1, 1, 32}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
  }};
  for (const Extreme& extreme : extremes) {
    Case item;
    item.op = "conv3d_backprop_filter";
    item.conv().cin = 5;
    item.conv().cout = 18;
    item.conv().in = extreme.in;
    item.conv().kernel = extreme.kernel;
    item.conv().stride = extreme.stride;
    item.conv().dilation = extreme.dilation;
    item.conv().pad = extreme.pad;
    item.conv().out = ForwardExtents(item.conv());
    ASSERT_FALSE(WhyNot(item.conv())) << extreme.name << ": " << Sentence(*WhyNot(item.conv()));
    const CaseResult result = CompareCase(item, PlannerKind::kOp, 8);
    EXPECT_EQ(result.verdict, Verdict::kOk) << extreme.name << ": " << result.message;
  }
}

}  // namespace
}  // namespace tilesim
