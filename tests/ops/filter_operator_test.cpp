// The filter gradient's tile program against the direct loops, over tilings written by hand: orders, steps,
// buffers, tails, groups, strides, pads and dilations.
#include <array>
#include <cstring>
#include <random>

#include "formats/compare.h"
#include "gtest/gtest.h"
#include "ops/conv3d_backprop/filter_reference.h"
#include "tests/support/filter_cases.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::FilterInputs;
using testing::HandTiling;

// Whole numbers small enough that fp32 sums are exact: the result must equal the reference to the bit.
void ExpectExact(const Conv3dProblem& problem, const HandTiling& tiling, uint64_t seed,
                 const std::string& what) {
  const SocConfig soc = LoadSoc("ascend910b2");
  FilterInputs inputs = testing::MakeInputs(problem, seed, true);
  const FilterReference reference = ReferenceFilterGradient(problem, inputs.x, inputs.dy);
  const OperatorRun run = RunFilter(problem, testing::MakePlan(problem, tiling, soc), soc,
                                    std::move(inputs.x), std::move(inputs.dy), {.mode = {}, .threads = 2});
  for (const Fault& fault : run.launch.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  const Comparison comparison = Compare(run.outputs.front(), reference.dw, reference.absdot,
                                        static_cast<double>(reference.products), Rule::kExact);
  EXPECT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " elements differ";
}

TEST(FilterOperator, EqualsTheLoopsForEverySynchronisationCase) {
  for (const testing::FilterCase& test : testing::SynchronisationCases()) {
    ExpectExact(test.problem, test.tiling, 3, test.name);
  }
}

TEST(FilterOperator, EqualsTheLoopsOnRandomProblemsAndTilings) {
  std::mt19937 random(20261121 + static_cast<unsigned>(TestTurn()));
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  int run = 0;
  for (int trial = 0; run < Repetitions(60) && trial < 1000; ++trial) {
    Conv3dProblem problem;
    problem.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
    problem.groups = pick(0, 2) == 0 ? pick(2, 5) : 1;
    problem.batch = pick(1, 2);
    problem.cin = problem.groups * pick(1, problem.groups > 1 ? 6 : 40);
    problem.cout = problem.groups * pick(1, problem.groups > 1 ? 6 : 40);
    problem.in = {pick(1, 4), pick(1, 10), pick(1, 12)};
    problem.kernel = {pick(1, 3), pick(1, 4), pick(1, 4)};
    problem.stride = {pick(1, 3), pick(1, 3), pick(1, 3)};
    problem.dilation = {pick(1, 2), pick(1, 3), pick(1, 3)};
    problem.pad = {pick(0, 2), pick(0, 2), pick(0, 6), pick(0, 6), pick(0, 3), pick(0, 3)};
    problem.out = ForwardExtents(problem);
    if (WhyNot(problem)) {
      continue;
    }
    HandTiling tiling;
    tiling.base_m = static_cast<uint32_t>(16 * pick(1, 3));
    tiling.base_n = static_cast<uint32_t>(16 * pick(1, 4));
    tiling.base_k = static_cast<uint32_t>(16 * pick(1, 3));
    tiling.step_ka = static_cast<uint32_t>(pick(1, 2));
    tiling.step_kb = tiling.step_ka * static_cast<uint32_t>(pick(1, 2));
    tiling.order = static_cast<uint32_t>(pick(0, 1));
    tiling.l0_buffers = static_cast<uint32_t>(pick(1, 2));
    tiling.c_buffers = static_cast<uint32_t>(pick(1, 2));
    tiling.a1_buffers = static_cast<uint32_t>(pick(1, 2));
    tiling.b1_buffers = static_cast<uint32_t>(pick(1, 2));
    tiling.single_m = pick(0, 1) == 0 ? 0 : static_cast<uint32_t>(16 * pick(1, 2));
    tiling.single_ho = pick(0, 1) == 0 ? 0 : static_cast<uint32_t>(pick(1, problem.out.h));
    tiling.cores = pick(1, 24);
    ++run;
    ExpectExact(problem, tiling, static_cast<uint64_t>(trial), "trial " + std::to_string(trial));
  }
  EXPECT_EQ(run, Repetitions(60));
}

TEST(FilterOperator, GivesTheSameBitsAndCyclesForOneAndTwoThreads) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const Conv3dProblem problem = testing::MakeProblem(DType::kFp16, 3, 40, {4, 12, 14}, 48, {3, 3, 3});
  const HandTiling tiling{.base_m = 48, .base_n = 48, .base_k = 32, .single_ho = 4, .cores = 20};
  const auto run = [&](int threads) {
    FilterInputs inputs = testing::MakeInputs(problem, 5, false);
    return RunFilter(problem, testing::MakePlan(problem, tiling, soc), soc, std::move(inputs.x),
                     std::move(inputs.dy), {.mode = {}, .threads = threads});
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

TEST(FilterOperator, TakesTheSameCyclesWithAndWithoutValues) {
  const SocConfig soc = LoadSoc("ascend910b2");
  for (const testing::FilterCase& test : testing::SynchronisationCases()) {
    const FilterPlan plan = testing::MakePlan(test.problem, test.tiling, soc);
    FilterInputs inputs = testing::MakeInputs(test.problem, 5, true);
    const OperatorRun run = RunFilter(test.problem, plan, soc, std::move(inputs.x), std::move(inputs.dy), {});
    EXPECT_EQ(run.launch.cycles, TimeFilter(test.problem, plan, soc, {}).cycles) << test.name;
  }
}

}  // namespace
}  // namespace tilesim
