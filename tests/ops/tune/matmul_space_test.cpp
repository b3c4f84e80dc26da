// The space of a matrix product's tilings: bounds are never above the time.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "ops/matmul/matmul_operator.h"
#include "tests/ops/tune/random_tiling.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"

namespace tilesim::testing {
namespace {

TEST(MatmulSpace, BoundsOfRandomTilingsAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  Tightness tightness;
  for (int i = 0; i < Repetitions(60); ++i) {
    MatmulProblem problem;
    problem.m = pick(0, 1) == 0 ? pick(1, 200) : 16 * pick(1, 20);
    problem.n = pick(0, 1) == 0 ? pick(1, 200) : 16 * pick(1, 20);
    problem.k = pick(0, 1) == 0 ? pick(1, 300) : 16 * pick(1, 30);
    problem.dtype = i % 5 == 4 ? DType::kFp32 : i % 2 == 0 ? DType::kFp16 : DType::kBf16;
    problem.out = pick(0, 1) == 0 ? DType::kFp32 : problem.dtype;
    problem.transpose_a = pick(0, 1) == 0;
    problem.transpose_b = pick(0, 1) == 0;
    const SocConfig soc = RandomPart(random);
    const MatmulOperator op(problem);
    const int64_t cores = pick(1, soc.aic_cores);
    for (int j = 0; j < 2; ++j) {
      CheckRandomTiling(op, soc, cores, random, tightness);
    }
    if (HasFailure()) {
      std::cout << "problem " << i << ": " << problem.m << " x " << problem.n << " x " << problem.k << ", "
                << cores << " cores\n";
      break;
    }
  }
  ASSERT_GT(tightness.count, PartOf(100));
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
}

// Where many cores are at work at once: tasks of one size, and others.
TEST(MatmulSpace, BoundsOfPromisingTilingsOfManyCoresAreNeverAboveTheirTime) {
  std::mt19937_64 random(TestSeed());
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  Tightness tightness;
  for (int i = 0; i < Repetitions(30); ++i) {
    MatmulProblem problem;
    const auto even = [&] { return pick(0, 3) == 0 ? pick(1, 256) : 32 * pick(1, 8); };
    problem.m = even(), problem.n = even(), problem.k = pick(1, 2) * even();
    problem.dtype = i % 5 == 4 ? DType::kFp32 : i % 2 == 0 ? DType::kFp16 : DType::kBf16;
    problem.out = i % 3 == 0 ? DType::kFp32 : problem.dtype;
    problem.transpose_a = pick(0, 1) == 0;
    problem.transpose_b = pick(0, 1) == 0;
    if (i % 3 == 2) {  // the last core's tile of B ends within a fractal
      problem.transpose_b = true;
      problem.m = 16 * pick(1, 12), problem.n = 32 * pick(2, 12) + pick(1, 31), problem.k = 32 * pick(4, 24);
    }
    const SocConfig soc = RandomPart(random);
    const MatmulOperator op(problem);
    const int64_t cores = pick(12, soc.aic_cores);
    for (int j = 0; j < 3; ++j) {
      CheckRandomTiling(op, soc, cores, random, tightness, Descent::kPromising);
    }
    if (HasFailure()) {
      std::cout << "problem " << i << ": " << problem.m << " x " << problem.n << " x " << problem.k << ", "
                << cores << " cores\n";
      break;
    }
  }
  ASSERT_GT(tightness.count, PartOf(50));
  std::cout << tightness.count << " tilings: bound / time " << tightness.whole / tightness.count
            << ", one core / time " << tightness.core / tightness.count << "\n";
}

}  // namespace
}  // namespace tilesim::testing
