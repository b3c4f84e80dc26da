// The space of an input gradient's tilings: bounds are never above the time.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "ops/conv3d_backprop/input_operator.h"
#include "tests/ops/tune/conv_problem_of.h"
#include "tests/ops/tune/random_tiling.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"
#include "tests/tiling/random_input_problem.h"

namespace tilesim::testing {
namespace {

InputProblem RandomSmallInput(std::mt19937_64& random, DType dtype, int64_t groups) {
  while (true) {
    InputProblem p = RandomInputProblem(random, dtype, groups);
    p.output_pad_d = p.output_pad_h = p.output_pad_w = 0;
    p.hi = std::min<int64_t>(p.hi, 20);
    p.wi = std::min<int64_t>(p.wi, 60);
    p.cin = std::min<int64_t>(p.cin, 100 * groups), p.cout = std::min<int64_t>(p.cout, 100 * groups);
    DeriveOutputs(p);
    if (WhyNot(p).empty()) {
      return p;
    }
  }
}

TEST(InputSpace, BoundsOfRandomTilingsAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  Tightness tightness;
  for (int i = 0; i < Repetitions(60); ++i) {
    const SocConfig soc = RandomPart(random);
    const DType dtype = i % 5 == 4 ? DType::kFp32 : i % 2 == 0 ? DType::kFp16 : DType::kBf16;
    const InputProblem problem = RandomSmallInput(random, dtype, i % 6 == 5 ? 3 : 1);
    const InputOperator op(ProblemOf(problem));
    const int64_t cores = std::uniform_int_distribution<int64_t>(1, soc.aic_cores)(random);
    if (!op.MakePlan(PlannerKind::kOp, soc, cores).legal) {
      continue;
    }
    for (int j = 0; j < 3; ++j) {
      CheckRandomTiling(op, soc, cores, random, tightness);
    }
    if (HasFailure()) {
      std::cout << "problem " << i << ", " << cores << " cores\n";
      break;
    }
  }
  ASSERT_GT(tightness.count, PartOf(80));
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
}

// Where many cores are at work at once, most of them alike.
TEST(InputSpace, BoundsOfPromisingTilingsOfManyCoresAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  Tightness tightness;
  for (int i = 0; i < Repetitions(20); ++i) {
    const SocConfig soc = RandomPart(random);
    InputProblem problem;
    problem.dtype = i % 5 == 4 ? DType::kFp32 : DType::kFp16;
    problem.batch = pick(1, 3);
    problem.cin = 16 * pick(1, 8), problem.cout = 16 * pick(1, 12);
    problem.hk = problem.wk = i % 2 == 0 ? 1 : pick(2, 3);
    problem.dk = i % 4 == 3 ? pick(2, 3) : 1;
    problem.di = problem.dk == 1 ? 1 : pick(3, 4);
    problem.hi = pick(6, 20), problem.wi = i % 8 < 4 ? 4 * pick(2, 6) : pick(8, 24);
    problem.stride_h = problem.stride_w = i % 3 == 2 ? 2 : 1;
    DeriveOutputs(problem);
    if (!WhyNot(problem).empty()) {
      continue;
    }
    const InputOperator op(ProblemOf(problem));
    const int64_t cores = pick(12, soc.aic_cores);
    for (int j = 0; j < 3; ++j) {
      CheckRandomTiling(op, soc, cores, random, tightness, Descent::kPromising);
    }
    if (HasFailure()) {
      std::cout << "problem " << i << ", " << cores << " cores\n";
      break;
    }
  }
  ASSERT_GT(tightness.count, PartOf(30));
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
}

// What is proven to be the best is: strided layers, which write blocks of zeros, too.
TEST(InputSpace, NoPromisingTilingIsFasterThanOneThatIsProvenToBeTheBest) {
  std::mt19937_64 random(TestSeed());
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const SocConfig soc = LoadSoc("ascend910b2");
  int proven = 0;
  for (int i = 0; i < 8; ++i) {
    InputProblem problem;
    problem.dtype = DType::kFp16;
    problem.batch = pick(1, 2);
    problem.cin = 16 * pick(1, 4), problem.cout = 16 * pick(1, 4);
    problem.dk = 1 + i % 2;
    problem.di = problem.dk + pick(0, 2);
    problem.hk = problem.wk = pick(1, 3);
    problem.stride_h = problem.stride_w = pick(1, 2);
    problem.hi = pick(6, 12), problem.wi = pick(6, 24);
    DeriveOutputs(problem);
    if (!WhyNot(problem).empty()) {
      continue;
    }
    const InputOperator op(ProblemOf(problem));
    const int64_t cores = pick(2, soc.aic_cores);
    const Tuned tuned = TuneOperator(op, soc, cores, {.runs = 300, .threads = 1});
    if (!tuned.proven) {
      continue;
    }
    ++proven;
    const std::unique_ptr<TunableTilings> tilings = op.Tilings(soc, cores);
    for (int j = 0; j < 40; ++j) {
      const Descent descent = j % 2 == 0 ? Descent::kPromising : Descent::kAny;
      const std::vector<TileNode> way = RandomDescent(tilings->space(), random, descent);
      if (!way.empty()) {
        EXPECT_LE(tuned.best->cost.time_us, RunPlan(op, tilings->PlanOf(way.back().path), soc).time_us)
            << "problem " << i << ", " << cores << " cores";
      }
    }
  }
  EXPECT_GT(proven, 0);
}

// Rows of dx behind the last that a window reaches: their tasks begin behind dy.
TEST(InputSpace, TasksThatReadNothingOfDyTakeTheTimeOfTheLaunch) {
  std::mt19937_64 random(TestSeed());
  const SocConfig soc = LoadSoc("ascend910b2");
  InputProblem problem;
  problem.dtype = DType::kFp16;
  problem.batch = problem.di = problem.dk = problem.hk = problem.wk = 1;
  problem.cin = 64, problem.cout = 16;
  problem.hi = problem.wi = 16;
  problem.stride_h = problem.stride_w = 8;
  DeriveOutputs(problem);
  ASSERT_TRUE(WhyNot(problem).empty());
  Tightness tightness;
  for (int i = 0; i < Repetitions(60) && !HasFailure(); ++i) {
    CheckRandomTiling(InputOperator(ProblemOf(problem)), soc, 8, random, tightness);
  }
  EXPECT_GT(tightness.count, PartOf(30));
}

}  // namespace
}  // namespace tilesim::testing
