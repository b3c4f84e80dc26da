// The input gradient's tile program against the direct loops, over tilings written by hand: orders, steps,
// buffers, tails, groups, strides, pads and dilations.
#include <array>
#include <cstring>
#include <random>

#include "formats/compare.h"
#include "gtest/gtest.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "tests/support/input_cases.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::HandInputTiling;
using testing::InputInputs;

// Whole numbers small enough that fp32 sums are exact: the result must equal the reference to the bit of its
// type.
void ExpectExact(const Conv3dProblem& problem, const HandInputTiling& tiling, uint64_t seed,
                 const std::string& what) {
  const SocConfig soc = LoadSoc("ascend910b2");
  InputInputs inputs = testing::MakeInputInputs(problem, seed, true);
  const InputReference reference = ReferenceInputGradient(problem, inputs.dy, inputs.filter);
  const OperatorRun run =
      RunInput(problem, testing::MakeInputPlan(problem, tiling), soc, std::move(inputs.dy),
               std::move(inputs.filter), {.mode = {}, .threads = 2});
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  const Comparison comparison = Compare(run.outputs.front(), reference.dx, reference.absdot,
                                        static_cast<double>(reference.products), Rule::kExact);
  EXPECT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " of " << comparison.elements
                                << " elements differ, first "
                                << Text(comparison.first.value_or(Mismatch{}), run.outputs.front().layout());
}

TEST(InputOperator, EqualsTheLoopsForEverySynchronisationCase) {
  for (const testing::InputCase& test : testing::InputSynchronisationCases()) {
    ExpectExact(test.problem, test.tiling, 3, test.name);
  }
}

struct Picker {
  std::mt19937 random;
  int64_t operator()(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
};

Conv3dProblem RandomProblem(Picker& pick) {
  Conv3dProblem problem;
  problem.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
  problem.hf32 = problem.dtype == DType::kFp32 && pick(0, 2) == 0;  // holds small whole numbers exactly
  problem.groups = pick(0, 2) == 0 ? pick(2, 5) : 1;
  problem.batch = pick(1, 2);
  problem.cin = problem.groups * pick(1, problem.groups > 1 ? 6 : 40);
  problem.cout = problem.groups * pick(1, problem.groups > 1 ? 6 : 40);
  problem.in = {pick(1, 4), pick(1, 12), pick(1, 20)};
  problem.kernel = {pick(1, 3), pick(1, 4), pick(1, 4)};
  const int64_t most_stride = pick(0, 1) == 0 ? 1 : 6;
  problem.stride = {pick(1, 3), pick(1, most_stride), pick(1, most_stride)};
  problem.dilation = {pick(1, 2), pick(1, 3), pick(1, 3)};
  problem.pad = {pick(0, 2), pick(0, 2), pick(0, 6), pick(0, 6), pick(0, 6), pick(0, 6)};
  problem.out = ForwardExtents(problem);
  return problem;
}

HandInputTiling RandomTiling(Picker& pick, const Conv3dProblem& problem) {
  HandInputTiling tiling;
  tiling.base_m = static_cast<uint32_t>(16 * pick(1, 4));
  tiling.base_n = static_cast<uint32_t>(16 * pick(1, 3));
  tiling.k_lines = static_cast<uint32_t>(pick(1, 3));
  tiling.k_parts = static_cast<uint32_t>(pick(1, 4));
  tiling.step_ka = static_cast<uint32_t>(pick(1, 2));
  tiling.step_kb = tiling.step_ka * static_cast<uint32_t>(pick(1, 2));
  if (pick(0, 1) == 0) {
    std::swap(tiling.step_ka, tiling.step_kb);
  }
  tiling.order = static_cast<uint32_t>(pick(0, 1));
  tiling.l0_buffers = static_cast<uint32_t>(pick(1, 2));
  tiling.c_buffers = static_cast<uint32_t>(pick(1, 2));
  tiling.a1_buffers = static_cast<uint32_t>(pick(1, 2));
  tiling.b1_buffers = static_cast<uint32_t>(pick(1, 2));
  tiling.single_rows = pick(0, 1) == 0 ? 0 : pick(1, problem.in.h);
  tiling.single_lines = pick(0, 1) == 0 ? 0 : pick(1, 3);
  tiling.single_dins = pick(1, 2);
  tiling.strategy = static_cast<InputStrategy>(pick(0, 11));
  tiling.cores = pick(1, 24);
  return tiling;
}

TEST(InputOperator, EqualsTheLoopsOnRandomProblemsAndTilings) {
  const unsigned kSeed = 20261123 + static_cast<unsigned>(TestTurn());
  Picker pick{std::mt19937(kSeed)};
  int run = 0;
  for (int trial = 0; run < Repetitions(80) && trial < 2000; ++trial) {
    const Conv3dProblem problem = RandomProblem(pick);
    if (WhyNot(problem)) {
      continue;
    }
    ++run;
    ExpectExact(problem, RandomTiling(pick, problem), static_cast<uint64_t>(trial),
                "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
  }
  EXPECT_EQ(run, Repetitions(80));
}

TEST(InputOperator, GivesTheSameBitsAndCyclesForOneAndTwoThreads) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const Conv3dProblem problem = testing::MakeProblem(DType::kFp16, 3, 40, {4, 12, 14}, 48, {3, 3, 3});
  const HandInputTiling tiling{.base_m = 48, .base_n = 48, .single_rows = 4, .cores = 20};
  const auto run = [&](int threads) {
    InputInputs inputs = testing::MakeInputInputs(problem, 5, false);
    return RunInput(problem, testing::MakeInputPlan(problem, tiling), soc, std::move(inputs.dy),
                    std::move(inputs.filter), {.mode = {}, .threads = threads});
  };
  const OperatorRun one = run(1);
  const OperatorRun two = run(2);
  ASSERT_EQ(one.outputs.front().size_bytes(), two.outputs.front().size_bytes());
  EXPECT_EQ(
      std::memcmp(one.outputs.front().data(), two.outputs.front().data(), one.outputs.front().size_bytes()),
      0);
  EXPECT_EQ(one.launch.cycles, two.launch.cycles);
  EXPECT_GT(one.launch.cycles, 0);
}

TEST(InputOperator, TakesTheSameCyclesWithAndWithoutValues) {
  const SocConfig soc = LoadSoc("ascend910b2");
  for (const testing::InputCase& test : testing::InputSynchronisationCases()) {
    const InputPlan plan = testing::MakeInputPlan(test.problem, test.tiling);
    InputInputs inputs = testing::MakeInputInputs(test.problem, 5, true);
    const OperatorRun run =
        RunInput(test.problem, plan, soc, std::move(inputs.dy), std::move(inputs.filter), {});
    EXPECT_EQ(run.launch.cycles, TimeInput(test.problem, plan, soc, {}).cycles) << test.name;
  }
}

}  // namespace
}  // namespace tilesim
