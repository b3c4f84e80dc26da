#include "tiling/conv_backprop/filter_tasks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/tiling/random_filter_problem.h"
#include "tiling/conv_backprop/gradient_search.h"

namespace tilesim {
namespace {

FilterTaskSpace SpaceOf(const FilterProblem& p) {
  return {.batch_dout = p.batch * p.dout, .groups = ExtentsOf(p).real_groups, .dk = p.dk};
}

std::vector<FilterPromisingCut> Cuts(const FilterProblem& p, int64_t cores) {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return PromisingCuts(p, soc, cores, 1000);
}

TEST(FilterTasks, AreEachRunByOneCore) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 6; ++round) {
    const FilterProblem p = testing::RandomFilterProblem(random, DType::kFp16, round % 2 == 0 ? 1 : 5);
    for (const FilterPromisingCut& found : Cuts(p, 13)) {
      const FilterCut& cut = found.cut;
      std::map<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>, int> runs;
      for (int64_t core = 0; core < cut.split.used_cores; ++core) {
        ForEachFilterTask(cut.split, SpaceOf(p), core, [&](const FilterTask& t) {
          runs[{t.batch_dout, t.group, t.dk, t.m, t.n, t.k}] += 1;
        });
      }
      const FilterTaskSpace space = SpaceOf(p);
      const int64_t all =
          space.batch_dout * space.groups * space.dk * cut.split.m_dim * cut.split.n_dim * cut.split.k_dim;
      ASSERT_EQ(static_cast<int64_t>(runs.size()), all) << Name(cut.split.strategy);
      for (const auto& [task, times] : runs) {
        ASSERT_EQ(times, 1);
      }
    }
  }
}

TEST(FilterTasks, OfAListDifferByOneBetweenCores) {
  FilterSplit split{
      .strategy = FilterStrategy::kBasicBlockMK, .batch_dim = 5, .dk_dim = 3, .m_dim = 2, .k_dim = 2};
  split.used_cores = 7;
  const FilterTaskSpace space{.batch_dout = 5, .groups = 1, .dk = 3};
  std::vector<int64_t> counts(7, 0);
  for (int64_t core = 0; core < 7; ++core) {
    ForEachFilterTask(split, space, core, [&](const FilterTask&) { ++counts[static_cast<size_t>(core)]; });
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{9, 9, 9, 9, 8, 8, 8}));  // 60 tasks
}

TEST(FilterTasks, OfAListRunInTheOrderOfTheSpecification) {
  FilterSplit split{
      .strategy = FilterStrategy::kBasicBlockMK, .batch_dim = 1, .dk_dim = 1, .m_dim = 2, .k_dim = 2};
  const FilterTaskSpace space{.batch_dout = 2, .groups = 1, .dk = 1};
  const auto order = [&] {
    std::string text;
    ForEachFilterTask(split, space, 0, [&](const FilterTask& t) {
      text +=
          "k" + std::to_string(t.k) + "b" + std::to_string(t.batch_dout) + "m" + std::to_string(t.m) + " ";
    });
    return text;
  };
  EXPECT_EQ(order(), "k0b0m0 k0b0m1 k0b1m0 k0b1m1 k1b0m0 k1b0m1 k1b1m0 k1b1m1 ");
  split.column_first = true;
  EXPECT_EQ(order(), "k0b0m0 k1b0m0 k0b1m0 k1b1m0 k0b0m1 k1b0m1 k0b1m1 k1b1m1 ");
}

}  // namespace
}  // namespace tilesim
