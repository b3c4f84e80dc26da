// What some core of a deal has to do at least, which core has most and which orders differ, against walking
// over all tasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "formats/units.h"
#include "tests/support/test_seed.h"
#include "tests/tiling/random_input_problem.h"
#include "tiling/tune/cube_dealing.h"

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

TEST(InputDealing, LeastProductsAreNoMoreThanTheBusiestCoreHasAndNoFewerThanAnEvenShare) {
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

// 8 for every tap of depth and 1 for every plane, of every row and line, summed task by task.
int64_t WalkedWeight(const InputTaskSpace& space, const InputDeal& deal, int64_t core) {
  InputSplit split;
  split.strategy = deal.strategy;
  split.used_cores = deal.used_cores;
  int64_t weight = 0;
  ForEachInputTask(space, split, core, [&](const InputTask& task) {
    for (int64_t din = task.din; din < task.din + task.dins; ++din) {
      weight += task.rows * task.lines * (8 * space.depth.TapsOf(din) + 1);
    }
  });
  return weight;
}

TEST(InputDealing, TheBusiestCoreWeighsMostAndHasNeighboursWhereOneOfTheHeaviestHas) {
  std::mt19937_64 random(11);
  Draw draw(random);
  int inner = 0, first = 0, last = 0;
  for (int round = 0; round < 200; ++round) {
    const InputProblem p = RandomInputProblem(random, DType::kFp16, round % 4 == 3 ? 3 : 1);
    const InputDealing dealing(p, draw.Pick(1, 8));
    const InputPart part = dealing.PartOf(draw.Pick(0, dealing.parts() - 1));
    const std::vector<InputDeal> deals = dealing.DealsOf(part);
    const InputDeal deal = deals[static_cast<size_t>(draw.Pick(0, std::ssize(deals) - 1))];
    std::vector<int64_t> weights;
    for (int64_t core = 0; core < deal.used_cores; ++core) {
      weights.push_back(WalkedWeight(dealing.SpaceOf(part), deal, core));
    }
    const int64_t most = *std::ranges::max_element(weights);
    const auto busiest = static_cast<int64_t>(dealing.BusiestCore(part, deal));
    int64_t expected = weights.front() == most ? 0 : deal.used_cores - 1;
    for (int64_t core = deal.used_cores - 2; core > 0; --core) {
      expected = weights[static_cast<size_t>(core)] == most ? core : expected;
    }
    EXPECT_EQ(busiest, expected) << "round " << round;
    ++(expected == 0 ? first : expected == deal.used_cores - 1 ? last : inner);
  }
  EXPECT_GT(inner, 0);
  EXPECT_GT(first, 0);
  EXPECT_GT(last, 0);
}

TEST(InputDealing, DifferentOrdersAreThoseInWhichTasksFollowEachOtherDifferently) {
  std::mt19937_64 random(12);
  Draw draw(random);
  std::set<size_t> counts;
  for (int round = 0; round < 100; ++round) {
    const auto parts = [&] { return draw.Pick(0, 1) == 0 ? 1 : draw.Pick(2, 4); };
    const int64_t lines = parts();
    const InputTaskSpace space{
        .batch = parts(), .rows = parts(), .lines = lines, .lines_g = lines, .depth = {.di = parts()}};
    std::vector<std::vector<std::array<int64_t, 4>>> walks;
    std::vector<InputStrategy> orders;
    for (const InputStrategy order :
         {InputStrategy::kBasicBlock, InputStrategy::kListMnd, InputStrategy::kListDmn,
          InputStrategy::kListDnm, InputStrategy::kListNmd, InputStrategy::kListNdm}) {
      InputSplit split;
      split.strategy = order;
      std::vector<std::array<int64_t, 4>> walk;
      ForEachInputTask(space, split, 0, [&](const InputTask& task) {
        walk.push_back({task.batch, task.din, task.row, task.line});
      });
      if (std::ranges::find(walks, walk) == walks.end()) {
        walks.push_back(walk);
        orders.push_back(order);
      }
    }
    EXPECT_EQ(DifferentOrders(space), orders) << "round " << round;
    counts.insert(orders.size());
  }
  EXPECT_EQ(counts, (std::set<size_t>{1, 2, 6}));
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
