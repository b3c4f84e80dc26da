// The spaces of a pooling's tilings, forward and gradient: bounds are never above the time.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>
#include <random>
#include <variant>
#include <vector>

#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "tests/ops/max_pool/pool_regimes.h"
#include "tests/ops/max_pool/random_pool.h"
#include "tests/ops/tune/random_tiling.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"
#include "tiling/max_pool/pool_work.h"
#include "tiling/tune/tile_space.h"

namespace tilesim::testing {
namespace {

// Small ones of every kind, and larger ones whose pipes are full.
PoolProblem RandomProblem(std::mt19937& random, int i, double most_taps) {
  constexpr std::array kRegimes = {PoolRegime::kLongRows, PoolRegime::kWideStrides, PoolRegime::kDilated,
                                   PoolRegime::kLongWindows, PoolRegime::kLargeWindows};
  if (i % 3 == 2) {
    return RandomPoolOf(kRegimes[static_cast<size_t>(i / 3) % kRegimes.size()], random, most_taps);
  }
  PoolProblem problem = RandomPool(random, 2e5);
  if (i % 3 == 1) {
    problem.windows.in.h += 12;
    problem.windows.in.w += 20;
    problem.channels += 60;
    problem.out = ForwardExtents(problem.windows, problem.rounding);
  }
  return problem;
}

template <class MakeOperator, class TooLongOf>
void CheckBounds(MakeOperator&& make, double most_taps, int all_problems, TooLongOf&& too_long) {
  const int problems = Repetitions(all_problems);
  const uint64_t seed = TestSeed();
  std::mt19937 shapes(seed);
  std::mt19937_64 random(seed);
  Tightness tightness;
  for (int i = 0; i < problems; ++i) {
    const SocConfig soc = RandomPart(random);
    const PoolProblem problem = RandomProblem(shapes, i, most_taps);
    const auto op = make(problem, i);
    const int64_t cores = std::uniform_int_distribution<int64_t>(1, 48)(random);
    for (int j = 0; j < 3; ++j) {
      CheckRandomTiling(*op, soc, cores, random, tightness, j == 2 ? Descent::kPromising : Descent::kAny,
                        [&](const Plan& plan) { return too_long(i, problem, plan); });
    }
    if (::testing::Test::HasFailure()) {
      std::cout << "problem " << i << ", " << cores << " cores: " << Description(problem) << "\n";
      break;
    }
  }
  if (TestPart() == 1) {  // of a few problems chance may leave out too many
    ASSERT_GT(tightness.count, 2 * problems);
    EXPECT_LT(tightness.skipped, problems / 2) << "of " << 3 * problems;
  }
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
}

// For a test: cycles of a core are some 1e9 where all that there is passes by for a few points of dx.
bool IsTooLong(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, const SocConfig& soc) {
  constexpr double kMost = 1e6;
  const MaxPoolCounts counts(problem.shape);
  const auto work = WorkOf(problem, counts, tiling, PoolGradKnown::kBuffers, soc);
  return PoolLeastCycles(soc, work->Mean(tiling.split.used_cores), FactsOf(problem, tiling)) > kMost;
}

TEST(MaxPoolSpace, BoundsOfRandomTilingsAreNeverAboveTheirTime) {
  CheckBounds([](const PoolProblem& problem, int) { return std::make_unique<MaxPoolOperator>(problem); }, 2e6,
              100, [](int, const PoolProblem&, const Plan&) { return false; });
}

TEST(MaxPoolGradSpace, BoundsOfRandomTilingsAreNeverAboveTheirTime) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const auto source = [](int i) { return i % 2 == 0 ? ArgmaxSource::kGiven : ArgmaxSource::kX; };
  CheckBounds([&](const PoolProblem& problem,
                  int i) { return std::make_unique<MaxPoolGradOperator>(problem, source(i)); },
              3e4, 24,
              [&](int i, const PoolProblem& problem, const Plan& plan) {
                return IsTooLong(ToPoolGradProblem(problem, source(i)),
                                 std::get<MaxPoolGradTiling>(plan.tiling), soc);
              });
}

PoolProblem ProblemOf(DType dtype, Format layout, int64_t channels, const Windows& windows) {
  PoolProblem problem;
  problem.dtype = dtype;
  problem.layout = layout;
  problem.channels = channels;
  problem.windows = windows;
  problem.out = ForwardExtents(windows, problem.rounding);
  return problem;
}

// Along one axis all taps land beside dx: of the outputs near a block none reaches it, and what loads them
// for one tap after the other stores zeros before anything has come.
TEST(MaxPoolGradSpace, BoundsOfBlocksThatLoadNothingAreNeverAboveTheirTime) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const Extents3 in = {1, 1, 3}, one = {1, 1, 1};
  for (const Windows& windows : {Windows{in, {2, 1, 1}, one, {3, 1, 1}, {2, 2, 0, 0, 0, 0}},
                                 Windows{in, {1, 2, 1}, one, {1, 3, 1}, {0, 0, 2, 2, 0, 0}}}) {
    const PoolProblem problem = ProblemOf(DType::kFp32, Format::kNCDHW, 44, windows);
    for (const ArgmaxSource source : {ArgmaxSource::kGiven, ArgmaxSource::kX}) {
      Tightness tightness;
      CheckAllTilings(MaxPoolGradOperator(problem, source), soc, 2, tightness);
      ASSERT_GT(tightness.count, 0) << Description(problem);
    }
  }
}

// No tap lands in most columns, or rows: where lanes are channels these are zeroed, two points at a time of
// 16 bits.
TEST(MaxPoolGradSpace, BoundsOfBlocksWithGapsAreNeverAboveTheirTime) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const Extents3 one = {1, 1, 1};
  for (const DType dtype : {DType::kFp16, DType::kFp32}) {
    for (const Windows& windows :
         {Windows{{1, 40, 100}, one, {1, 1, 50}, one, {}}, Windows{{1, 80, 50}, one, {1, 80, 1}, one, {}}}) {
      const PoolProblem problem = ProblemOf(dtype, Format::kNDHWC, 1, windows);
      std::mt19937_64 random(1);  // whatever the seed of the test
      Tightness tightness;
      for (int i = 0; i < Repetitions(20) && !HasFailure(); ++i) {
        CheckRandomTiling(MaxPoolGradOperator(problem, ArgmaxSource::kGiven), soc, 1, random, tightness,
                          Descent::kPromising);
      }
      ASSERT_GT(tightness.count, 0) << Description(problem);
      std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count << "\n";
    }
  }
}

// Of few rows and many channels: parts of dy bring planes whole, or do not.
TEST(MaxPoolGradSpace, BoundsOfFlatProblemsAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  const SocConfig soc = LoadSoc("ascend910b2");
  const auto flat = [](Extents3 in, Extents3 kernel, Extents3 stride, Pads pad) {
    PoolProblem problem;
    problem.dtype = DType::kFp16;
    problem.layout = Format::kNCDHW;
    problem.batch = 2;
    problem.channels = 500;
    problem.windows = {.in = in, .kernel = kernel, .stride = stride, .dilation = {1, 1, 1}, .pad = pad};
    problem.out = ForwardExtents(problem.windows, problem.rounding);
    return problem;
  };
  for (const PoolProblem& problem : {flat({1, 2, 1}, {1, 2, 2}, {1, 4, 1}, {0, 0, 1, 1, 0, 2}),
                                     flat({1, 3, 1}, {1, 2, 2}, {1, 4, 1}, {0, 0, 1, 1, 0, 2}),
                                     flat({1, 1, 8}, {1, 1, 3}, {1, 1, 2}, {0, 0, 0, 0, 0, 0}),
                                     flat({1, 2, 8}, {1, 2, 3}, {1, 1, 2}, {0, 0, 0, 0, 1, 1})}) {
    for (const ArgmaxSource source : {ArgmaxSource::kGiven, ArgmaxSource::kX}) {
      Tightness tightness;
      for (int i = 0; i < Repetitions(40) && !HasFailure(); ++i) {
        CheckRandomTiling(MaxPoolGradOperator(problem, source), soc, 48, random, tightness);
      }
      EXPECT_EQ(tightness.skipped, 0);
      ASSERT_GT(tightness.count, PartOf(20)) << Description(problem);
    }
  }
}

// Two phases are no part of the space: what bounds them bounds each pair of a pooling's and a gradient's
// tiling.
TEST(MaxPoolGradSpace, BoundsOfTwoPhasesAreNeverAboveTheirTime) {
  const uint64_t seed = TestSeed();
  std::mt19937 shapes(seed);
  std::mt19937_64 random(seed);
  int run = 0;
  double tightness = 0;
  for (int i = 0; i < Repetitions(40) && !HasFailure(); ++i) {
    const SocConfig soc = RandomPart(random);
    const PoolProblem problem = RandomProblem(shapes, i, 3e4);
    const PoolGradProblem grad = ToPoolGradProblem(problem, ArgmaxSource::kX);
    const MaxPoolGradOperator op(problem, ArgmaxSource::kX);
    const int64_t cores = std::uniform_int_distribution<int64_t>(1, 48)(random);
    const double bound_us = op.Tilings(soc, cores)->left_out([] { return false; })->bound_us;
    EXPECT_EQ(op.Tilings(soc, cores)->left_out([] { return true; })->bound_us, 0);  // nobody waits for it
    EXPECT_FALSE(MaxPoolGradOperator(problem, ArgmaxSource::kGiven).Tilings(soc, cores)->left_out([] {
      return false;
    }));
    const auto first = AllTilingsOf(FirstPhaseOf(grad), soc, cores, 0);
    const auto second = AllTilingsOf(SecondPhaseOf(grad), soc, cores, 0);
    second->GiveUpWhen([] { return true; });
    EXPECT_FALSE(second->Open(0, {}, 1e30).whole);
    second->GiveUpWhen({});
    for (const Descent descent : {Descent::kAny, Descent::kPromising, Descent::kPromising}) {
      const std::vector<TileNode> pooling = RandomDescent(*first, random, descent);
      const std::vector<TileNode> gradient = RandomDescent(*second, random, descent);
      if (pooling.empty() || gradient.empty()) {
        continue;
      }
      MaxPoolGradTiling tiling = second->TilingOf(gradient.back().path);
      if (IsTooLong(SecondPhaseOf(grad), tiling, soc)) {
        continue;
      }
      tiling.pooling = first->TilingOf(pooling.back().path);
      const Plan plan(CheckMaxPoolGradTiling(problem, ArgmaxSource::kX, tiling, soc, cores), true);
      ASSERT_TRUE(plan.legal) << plan.reasons.front();
      const double time_us = RunPlan(op, plan, soc).time_us;
      EXPECT_LE(bound_us, time_us * (1 + 1e-9))
          << "problem " << i << ", " << cores << " cores: " << Description(problem);
      CheckRuns(op, plan, soc, time_us);
      tightness += bound_us / time_us;
      ++run;
    }
  }
  ASSERT_GT(run, PartOf(60));
  std::cout << run << " tilings: bound / time " << tightness / run << "\n";
}

}  // namespace
}  // namespace tilesim::testing
