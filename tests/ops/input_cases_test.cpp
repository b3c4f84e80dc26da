// Whole input gradients with the planners' tilings: the oracle's tensors, random problems of every kind, and
// the operator's limits.
#include "tests/support/input_cases.h"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "formats/compare.h"
#include "formats/npy.h"
#include "gtest/gtest.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

struct Expected {
  std::vector<double> dx;
  std::vector<double> absdot;
  double products = 0;
};

// Runs the plan in full and compares; false where the planner has none.
bool ExpectEqual(const Conv3dProblem& problem, PlannerKind planner, int64_t cores, const Tensor& dy,
                 const Tensor& filter, const Expected& expected, const std::string& what) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const InputPlan plan = PlanInput(problem, planner, soc, cores);
  if (!plan.legal) {
    return false;
  }
  const OperatorRun run = RunInput(problem, plan, soc, dy, filter, {.mode = {}, .threads = 2});
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return true;
  }
  const Comparison comparison = Compare(run.outputs.front(), expected.dx, expected.absdot, expected.products,
                                        Rule::kAnyOrder, Overflow::kSaturate);
  EXPECT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " of " << comparison.elements
                                << " differ, the worst "
                                << Text(comparison.worst.value_or(Mismatch{}), run.outputs.front().layout());
  return true;
}

Expected FromReference(const Conv3dProblem& problem, const Tensor& dy, const Tensor& filter) {
  InputReference reference = ReferenceInputGradient(problem, dy, filter);
  return {.dx = std::move(reference.dx),
          .absdot = std::move(reference.absdot),
          .products = static_cast<double>(reference.products)};
}

// How many of the oracle's cases the planner has a tiling for; `takes(i)`: whether case i is run.
template <class Takes>
int RunOracle(PlannerKind planner, const Takes& takes) {
  const std::string folder = "tests/data/oracle/";
  int run = 0;
  int cases = 0;
  for (const testing::InputRow& oracle : testing::ReadInputRows(folder + "conv_backprop_input.csv")) {
    if (!takes(cases++)) {
      continue;
    }
    const CaseCells& row = oracle.cells;
    const Conv3dProblem& problem = oracle.problem;
    const Tensor dy = ReadNpy(folder + row.at("dy_file"), problem.dtype, problem.DyLayout());
    const Tensor filter = ReadNpy(folder + row.at("w_file"), problem.dtype, problem.FilterLayout());
    Expected expected = FromReference(problem, dy, filter);
    const Tensor file = ReadNpy(folder + row.at("expected_file"), DType::kFp32, problem.XLayout());
    const Tensor dx = Converted(file, CanonicalLayout(file.layout()));
    const auto values = dx.As<float>();
    expected.dx.assign(values.begin(), values.end());
    run += ExpectEqual(problem, planner, 24, dy, filter, expected, oracle.id) ? 1 : 0;
  }
  return run;
}

TEST(InputCases, EqualTheOraclesTensors) {
  int taken = 0;
  const int run = RunOracle(PlannerKind::kOp, [&](int i) {
    taken += IsOfThisPart(i) ? 1 : 0;
    return IsOfThisPart(i);
  });
  EXPECT_EQ(run, taken);
  EXPECT_TRUE(TestPart() == 1 ? taken == 26 : taken >= 1) << taken;
}

TEST(InputCases, EqualTheOraclesTensorsWithTheTilingsOfTheApiPlanner) {
  EXPECT_GE(RunOracle(PlannerKind::kApi, [](int) { return true; }),
            10);  // groups, and pads beyond the window, are not for that planner
}

void ExpectEqualToReference(const Conv3dProblem& problem, uint64_t seed, int64_t cores,
                            const std::string& what) {
  Tensor dy(problem.dtype, problem.DyLayout());
  Tensor filter(problem.dtype, problem.FilterLayout());
  FillRandom(dy, seed, -1, 1);
  FillRandom(filter, seed + 1, -1, 1);
  EXPECT_TRUE(
      ExpectEqual(problem, PlannerKind::kOp, cores, dy, filter, FromReference(problem, dy, filter), what))
      << what << ": no tiling";
}

// Every dtype, groups to depthwise, strides beyond the kernel, dilations, asymmetric pads, 2D as D = 1.
Conv3dProblem RandomProblem(std::mt19937& random) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  Conv3dProblem p;
  p.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
  const int64_t kind = pick(0, 3);
  p.groups = kind == 0 ? pick(2, 20) : 1;
  const int64_t each = kind == 0 && pick(0, 1) == 0 ? 1 : pick(1, kind == 0 ? 5 : 70);  // 1: depthwise
  p.cin = p.groups * each;
  p.cout = p.groups * (kind == 0 ? pick(1, 4) : pick(1, 70));
  p.batch = pick(1, 3);
  p.in = {pick(1, 5), pick(1, 20), pick(1, 40)};
  p.kernel = {pick(1, 3), pick(1, 5), pick(1, 5)};
  p.stride = {pick(1, 3), pick(1, 7), pick(1, 7)};
  p.dilation = {pick(1, 2), pick(1, 3), pick(1, 3)};
  p.pad = {pick(0, 2), pick(0, 2), pick(0, 5), pick(0, 5), pick(0, 5), pick(0, 5)};
  p.out = ForwardExtents(p);
  return p;
}

TEST(InputCases, EqualTheLoopsOnRandomProblems) {
  const unsigned kSeed = 20261126 + static_cast<unsigned>(TestTurn());
  const int wanted = Repetitions(60);
  std::mt19937 random(kSeed);
  int run = 0;
  for (int trial = 0; run < wanted && trial < 2000; ++trial) {
    const Conv3dProblem problem = RandomProblem(random);
    if (WhyNot(problem)) {
      continue;
    }
    ++run;
    ExpectEqualToReference(problem, static_cast<uint64_t>(trial), 1 + trial % 24,
                           "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
  }
  EXPECT_EQ(run, wanted);
}

TEST(InputCases, RunLimitsOfTheOperator) {
  struct Extreme {
    const char* name;
    Extents3 in, kernel, stride, dilation;
    Pads pad;
  };
  const std::array<Extreme, 8> extremes = {{
      {"stride 63", {1, 130, 130}, {1, 3, 3}, {1, 63, 63}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {"stride 255 in D", {300, 2, 3}, {2, 1, 1}, {255, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {"dilation 255 in H", {1, 258, 3}, {1, 2, 2}, {1, 1, 1}, {1, 255, 1}, {0, 0, 0, 0, 0, 0}},
      {"dilation 255 in W", {1, 3, 258}, {1, 2, 2}, {1, 1, 1}, {1, 1, 255}, {0, 0, 0, 0, 0, 0}},
      {"pads 255", {1, 3, 3}, {1, 2, 2}, {1, 40, 40}, {1, 1, 1}, {0, 0, 255, 255, 255, 255}},
      {"pad below only", {1, 2, 5}, {1, 1, 1}, {1, 2, 1}, {1, 1, 1}, {0, 0, 0, 200, 0, 3}},
      {"kernel 256 high", {1, 256, 2}, {1, 256, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {"kernel 32 wide", {2, 3, 40}, {1, 1, 32}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
  }};
  for (const Extreme& extreme : extremes) {
    Conv3dProblem problem;
    problem.cin = 5;
    problem.cout = 18;
    problem.in = extreme.in;
    problem.kernel = extreme.kernel;
    problem.stride = extreme.stride;
    problem.dilation = extreme.dilation;
    problem.pad = extreme.pad;
    problem.out = ForwardExtents(problem);
    ASSERT_FALSE(WhyNot(problem)) << extreme.name << ": " << Sentence(*WhyNot(problem));
    ExpectEqualToReference(problem, 7, 8, extreme.name);
  }
}

}  // namespace
}  // namespace tilesim
