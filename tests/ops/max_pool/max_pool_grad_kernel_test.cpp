// The tile program of the pooling gradient against loops of the test's own: the same bits, and no report of
// the checker.
#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/max_pool/pool_grad_run.h"
#include "tests/support/repetitions.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

using testing::ExpectRight;
using testing::PoolGradData;
using testing::PoolGradRun;

const SocConfig& GradKernelSoc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

// Where the argmax is computed, in one phase and in two.
std::vector<PoolGradOpPlan> PlansOf(const PoolGradProblem& problem, const SocConfig& soc = GradKernelSoc(),
                                    int64_t cores = GradKernelSoc().aic_cores * GradKernelSoc().aiv_per_aic) {
  std::vector<PoolGradOpPlan> plans = {PlanInOnePhase(problem, soc, cores)};
  if (problem.recomputes) {
    plans.push_back(PlanInTwoPhases(problem, soc, cores));
  }
  return plans;
}

TEST(MaxPoolGradKernel, HasTheBitsOfALoopOnRandomShapes) {
  const auto [begin, end] = SeedsFrom(1, 120);
  for (uint64_t seed = begin; seed < end; ++seed) {
    std::mt19937_64 random(seed);
    const PoolGradProblem problem = testing::RandomPoolGradProblem(random);
    const std::string what = "seed " + std::to_string(seed) + ": " + testing::Text(problem);
    const PoolGradData data = testing::RandomPoolGradData(problem, seed, 7, seed % 2 == 0);
    for (const PoolGradOpPlan& plan : PlansOf(problem)) {
      ASSERT_TRUE(plan.legal) << what;
      ExpectRight(problem, plan.tiling, data, GradKernelSoc(), what);
    }
    if (HasFailure()) {
      return;
    }
  }
}

// Planes of y whose windows are complete before those of planes before them: gaps between the taps along D,
// and windows clipped at the end.
TEST(MaxPoolGradKernel, PoolsDilatedPlanesInOrder) {
  PoolGradProblem problem;
  problem.recomputes = true;
  const auto expect_right = [&](uint64_t seed) {
    const std::string what = "seed " + std::to_string(seed) + ": " + testing::Text(problem);
    for (const PoolGradOpPlan& plan : PlansOf(problem)) {
      ASSERT_TRUE(plan.legal) << what;
      ExpectRight(problem, plan.tiling, testing::RandomPoolGradData(problem, seed, 7, false), GradKernelSoc(),
                  what);
    }
  };
  problem.shape.d = {.in = 4, .out = 5, .window = 2, .stride = 1, .dilation = 3, .before = 2};
  expect_right(0);
  problem.shape.d = {.in = 6, .out = 2, .window = 3, .stride = 5, .dilation = 3, .before = 2};
  expect_right(0);
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](int64_t from, int64_t to) {
      return std::uniform_int_distribution<int64_t>(from, to)(random);
    };
    problem = testing::RandomPoolGradProblem(random);
    problem.recomputes = true;
    problem.shape.channels = pick(1, 5);
    problem.shape.h = problem.shape.w = {};
    PoolAxis& d = problem.shape.d;
    d = {.in = pick(1, 16),
         .out = 1,
         .window = pick(2, 4),
         .stride = pick(1, 5),
         .dilation = pick(2, 5),
         .before = 0};
    const int64_t reach = (d.window - 1) * d.dilation;
    d.before = pick(0, reach);
    d.out = std::max<int64_t>(1, (d.in + d.before + pick(0, reach) - reach - 1) / d.stride + pick(1, 2));
    expect_right(seed);
    if (HasFailure()) {
      return;
    }
  }
}

// More of dy in UB than one instruction could take, if there were room for it.
TEST(MaxPoolGradKernel, TakesNoMoreAtOnceThanInstructionsDo) {
  SocConfig soc = GradKernelSoc();
  soc.ub_bytes = 1 << 24;
  PoolGradProblem problem;
  problem.shape.dtype = DType::kFp32;
  problem.shape.channels = 2;
  const PoolAxis one = {};
  const PoolAxis square = {.in = 60, .out = 59, .window = 2, .stride = 1, .dilation = 1, .before = 0};
  const PoolAxis row = {.in = 9000, .out = 9000, .window = 1, .stride = 1, .dilation = 1, .before = 0};
  for (const bool recomputes : {false, true}) {
    problem.recomputes = recomputes;
    for (const bool channels_last : {false, true}) {
      problem.shape.channels_last = channels_last;
      for (const auto& [h, w] : {std::pair(square, square), std::pair(one, row)}) {
        problem.shape.h = h;
        problem.shape.w = w;
        for (const PoolGradOpPlan& plan : PlansOf(problem, soc, 1)) {
          ASSERT_TRUE(plan.legal) << testing::Text(problem);
          ExpectRight(problem, plan.tiling, testing::RandomPoolGradData(problem, 3, 0, false), soc,
                      testing::Text(problem));
        }
      }
    }
  }
}

// Everything in parts: less UB than one output's window takes.
TEST(MaxPoolGradKernel, HasTheSameBitsWithLittleUb) {
  const auto [begin, end] = SeedsFrom(1, 120);
  constexpr std::array kUbBytes = {40 * 1024, 44 * 1024, 48 * 1024, 64 * 1024};
  std::array<int, 4> strategies{};
  int cuts = 0;
  int two_phases = 0;
  for (uint64_t seed = begin; seed < end; ++seed) {
    std::mt19937_64 random(seed);
    const PoolGradProblem problem = testing::RandomPoolGradProblem(random);
    SocConfig soc = GradKernelSoc();
    soc.ub_bytes = kUbBytes[seed % kUbBytes.size()];
    const std::string what = "seed " + std::to_string(seed) + ": " + testing::Text(problem);
    const PoolGradData data = testing::RandomPoolGradData(problem, seed, 7, seed % 2 == 0);
    for (const PoolGradOpPlan& plan : PlansOf(problem, soc)) {
      if (!plan.legal && plan.tiling.pooling) {
        continue;  // the pooling alone may take more, for it stores
      }
      two_phases += plan.tiling.pooling ? 1 : 0;
      ASSERT_TRUE(plan.legal) << what << (plan.reasons.empty() ? "" : Sentence(plan.reasons.front()));
      ++strategies[static_cast<size_t>(plan.tiling.split.strategy)];
      cuts += plan.tiling.split.cut_w < problem.shape.w.stride ||
              plan.tiling.split.cut_h < problem.shape.h.stride;
      ExpectRight(problem, plan.tiling, data, soc, what);
    }
    if (HasFailure()) {
      return;
    }
  }
  if (TestPart() == 1) {
    for (const int met : strategies) {
      EXPECT_GT(met, 0);
    }
    EXPECT_GT(cuts, 0);
    EXPECT_GT(two_phases, 0);
  }
}

// At the border a part of a row has fewer columns than others; those behind them are compared, too.
TEST(MaxPoolGradKernel, HasNarrowerPartsAtTheBorder) {
  const PoolAxis axis = {.in = 28, .out = 28, .window = 3, .stride = 1, .dilation = 1, .before = 1};
  PoolGradProblem problem;
  problem.shape.channels_last = true;
  problem.shape.channels = 64;
  problem.shape.h = problem.shape.w = axis;
  for (const DType dtype : {DType::kBf16, DType::kFp32}) {
    problem.shape.dtype = dtype;
    const auto tiling = FittedTiling(problem, {.sizes = {.h = 2, .w = 14}}, GradKernelSoc().ub_bytes, 48);
    ASSERT_TRUE(tiling);
    ASSERT_LT(tiling->split.part_wo, axis.out);
    ExpectRight(problem, *tiling, testing::RandomPoolGradData(problem, 3, 0, false), GradKernelSoc(),
                testing::Text(problem));
  }
}

// One problem under many tilings: cores, blocks, parts, threads.
TEST(MaxPoolGradKernel, HasTheSameBitsForEverySplitAndNumberOfThreads) {
  const PoolAxis axis = {.in = 13, .out = 11, .window = 4, .stride = 1, .dilation = 1, .before = 1};
  PoolGradProblem problem = {.shape = {.dtype = DType::kFp32,
                                       .batch = 2,
                                       .channels = 35,
                                       .channels_last = false,
                                       .ignores_nan = false,
                                       .index = PoolIndex::kPlane,
                                       .d = {},
                                       .h = axis,
                                       .w = axis},
                             .recomputes = false};
  const PoolGradData data = testing::RandomPoolGradData(problem, 5, 9, false);
  const std::vector<float> expected = testing::ScatteredPoolGrad(problem, data);
  std::set<int64_t> cores_used;
  for (const bool recomputes : {false, true}) {
    problem.recomputes = recomputes;
    PoolGradData here = data;
    if (recomputes) {
      here = testing::RandomPoolGradData(problem, 5, 0, false);
    }
    const std::vector<float> wanted = recomputes ? testing::ScatteredPoolGrad(problem, here) : expected;
    for (const int64_t cores : {1, 3, 48}) {
      for (const int64_t ub_kib : {44, 72, 192}) {
        SocConfig soc = GradKernelSoc();
        soc.ub_bytes = ub_kib * 1024;
        for (const PoolGradOpPlan& plan : PlansOf(problem, soc, cores)) {
          ASSERT_TRUE(plan.legal);
          cores_used.insert(LaunchedCores(plan.tiling));
          int64_t cycles = 0;
          for (const int threads : {1, 3}) {
            const PoolGradRun run =
                testing::RunPoolGrad(problem, plan.tiling, here, soc, {.threads = threads});
            EXPECT_TRUE(run.launch.faults.empty());
            EXPECT_EQ(testing::FirstDifference(run.dx, wanted), "")
                << cores << " cores, " << ub_kib << " KiB";
            EXPECT_TRUE(cycles == 0 || run.launch.cycles == cycles);
            cycles = run.launch.cycles;
          }
        }
      }
    }
  }
  EXPECT_GE(cores_used.size(), 3U);
}

// Windows of more points than UB holds, along each axis, and a global one.
TEST(MaxPoolGradKernel, TakesWindowsLargerThanUb) {
  const PoolAxis one = {};
  const auto long_axis = [](int64_t in, int64_t stride) {
    return PoolAxis{.in = in,
                    .out = (in - 700) / stride + 1,
                    .window = 700,
                    .stride = stride,
                    .dilation = 1,
                    .before = 0};
  };
  const auto global = [](int64_t in) {
    return PoolAxis{.in = in, .out = 1, .window = in, .stride = in, .dilation = 1, .before = 0};
  };
  const std::array<std::array<PoolAxis, 3>, 5> shapes = {{{long_axis(905, 100), one, one},
                                                          {one, long_axis(905, 100), one},
                                                          {one, one, long_axis(905, 1)},
                                                          {one, one, long_axis(1500, 700)},
                                                          {global(8), global(14), global(14)}}};
  for (const auto& [d, h, w] : shapes) {
    for (const bool recomputes : {false, true}) {
      if (recomputes && w.out > 100) {
        continue;  // correct, but a million windows of 700
      }
      for (const bool channels_last : {false, true}) {
        const PoolGradProblem problem = {.shape = {.dtype = channels_last ? DType::kFp16 : DType::kFp32,
                                                   .batch = 1,
                                                   .channels = 3,
                                                   .channels_last = channels_last,
                                                   .ignores_nan = false,
                                                   .index = PoolIndex::kNhwc,
                                                   .d = d,
                                                   .h = h,
                                                   .w = w},
                                         .recomputes = recomputes};
        for (const PoolGradOpPlan& plan : PlansOf(problem)) {
          ASSERT_TRUE(plan.legal) << testing::Text(problem);
          ExpectRight(problem, plan.tiling, testing::RandomPoolGradData(problem, 3, 0, false),
                      GradKernelSoc(), testing::Text(problem));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilesim
