// What some core of a deal has to do at least, against walking over all tasks.
#include "tiling/tune/input_dealing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "formats/units.h"
#include "tests/support/test_seed.h"
#include "tests/tiling/random_input_problem.h"

namespace tilesim::testing {
namespace {

// Products of a core, summed task by task.
int64_t WalkedProducts(const InputProblem& p, const InputTaskSpace& space, const InputDeal& deal,
                       int64_t core) {
  const InputExtents e = ExtentsOf(p);
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  int64_t products = 0;
  ForEachInputTask(space, split, core, [&](const InputTask& task) {
    const int64_t outs = std::min(e.cout1_g, CeilDiv(p.cout, e.c0) - task.group * e.cout1_g);
    for (int64_t din = task.din; din < task.din + task.dins; ++din) {
      products += task.rows * task.lines * outs * space.depth.TapsOf(din);
    }
  });
  return products;
}

TEST(InputDealing, SomeCoreHasAsManyProductsAsSomeCoreHasAtLeast) {
  const uint64_t seed = TestSeed();
  std::mt19937_64 random(seed);
  const auto below = [&](size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  };
  constexpr int64_t kCores = 24;
  for (int round = 0; round < 150; ++round) {
    const int64_t groups = round % 3 == 2 ? 3 : 1;
    const InputProblem p = RandomInputProblem(random, round % 4 == 3 ? DType::kFp32 : DType::kFp16, groups);
    const InputDealing dealing(p, kCores);
    const InputPart part = dealing.PartOf(static_cast<int64_t>(below(static_cast<size_t>(dealing.parts()))));
    const std::vector<InputDeal> deals = dealing.DealsOf(part);
    const InputDeal deal = deals[below(deals.size())];
    int64_t most = 0;
    int64_t all = 0;
    for (int64_t core = 0; core < deal.used_cores; ++core) {
      const int64_t products = WalkedProducts(p, dealing.SpaceOf(part), deal, core);
      most = std::max(most, products);
      all += products;
    }
    EXPECT_LE(dealing.LeastProducts(part, deal.used_cores), most) << "seed " << seed << ", round " << round;
    EXPECT_GE(dealing.LeastProducts(part, deal.used_cores) * deal.used_cores, all);
  }
}

// Seven tasks on four cores: one has two of them, however they are dealt out.
TEST(InputDealing, SomeCoreHasItsShareOfTheLargestTasks) {
  InputProblem p;
  p.dtype = DType::kFp16;
  p.batch = p.di = p.dk = p.hk = p.wk = 1;
  p.cin = p.cout = 16;
  p.hi = 7, p.wi = 16;
  DeriveOutputs(p);
  const InputDealing dealing(p, 4);
  EXPECT_EQ(dealing.LeastProducts({.rows = 1, .lines = 1, .dins = 1}, 4), 2);
  EXPECT_EQ(dealing.LeastProducts({.rows = 3, .lines = 1, .dins = 1}, 4), 3);
}

}  // namespace
}  // namespace tilesim::testing
