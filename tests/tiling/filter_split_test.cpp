#include <gtest/gtest.h>

#include "tests/tiling/conv_layers.h"
#include "tests/tiling/filter_vectors.h"
#include "tests/tiling/legal_filter_tiling.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_split.h"

namespace tilesim {
namespace {

constexpr CoreMemory kMemory910B{};
constexpr int64_t kCores = 24;

using testing::Told;

FilterProblem Problem() { return testing::PaddedLayer<FilterProblem>(); }
FilterTiling Legal() { return testing::LegalFilterTiling(Problem(), kCores); }

TEST(FilterSplit, DealsOutPlannerApisTasksLegally) {
  for (const auto& vector : testing::ReadFilterVectors()) {
    if (!vector.accepted || vector.problem.batch < 1 || !WhyNot(vector.problem).empty()) {
      continue;
    }
    FilterTiling tiling{.data = vector.data, .split = {}};
    tiling.split = DealOut(vector.problem, vector.data.dwTiling, kCores);
    EXPECT_NE(tiling.split.strategy, FilterStrategy::kBaseGrid) << vector.id;
    if (WhyNot(tiling.data, vector.problem, kMemory910B).empty()) {
      EXPECT_EQ(Told(WhyNot(tiling, vector.problem, kMemory910B, kCores)), "") << vector.id;
    }
  }
}

struct BrokenSplit {
  const char* name;
  int64_t FilterSplit::*member;
  int64_t value;
  const char* words;
};
class FilterSplitRule : public ::testing::TestWithParam<BrokenSplit> {};

TEST_P(FilterSplitRule, IsTold) {
  const BrokenSplit& broken = GetParam();
  FilterTiling tiling = Legal();
  tiling.split.*broken.member = broken.value;
  const std::string told = Told(WhyNot(tiling, Problem(), kMemory910B, kCores));
  EXPECT_EQ(told.substr(0, std::string(broken.words).size()), broken.words);
}

INSTANTIATE_TEST_SUITE_P(
    Of, FilterSplitRule,
    ::testing::Values(
        BrokenSplit{"Groups", &FilterSplit::groups, 2,
                    "split.groups: groups of the problem: found 2, must be 1"},
        BrokenSplit{"Merged", &FilterSplit::merged_groups, 2, "split.mergedGroups: "},
        BrokenSplit{"M", &FilterSplit::m_dim, 2,
                    "split.mDim: parts that singleCoreCout makes of M: found 2, must be 1"},
        BrokenSplit{"K", &FilterSplit::k_dim, 3,
                    "split.kDim: parts that singleCoreHo makes of K: found 3, must be 4"},
        BrokenSplit{"N", &FilterSplit::n_dim, 0,
                    "split.nDim: parts that singleCoreCin makes of N: found 0, must be 1"},
        BrokenSplit{"Batch", &FilterSplit::batch_dim, 17,
                    "split.batchDim: a list has each image of batch * dout: found 17, must be 16"},
        BrokenSplit{"BatchBelow", &FilterSplit::batch_dim, 8,
                    "split.batchDim: a list has each image of batch * dout: found 8, must be 16"},
        BrokenSplit{"Dk", &FilterSplit::dk_dim, 1,
                    "split.dkDim: a list has each dk: found 1, must be 3; split.dkDim 3 fits"},
        BrokenSplit{"Group", &FilterSplit::group_dim, 2, "split.groupDim: "},
        BrokenSplit{"Cores", &FilterSplit::used_cores, 25,
                    "split.usedCoreNum: cores there are, and tasks for them: found 25, must be at most "
                    "24"},
        BrokenSplit{"NoCore", &FilterSplit::used_cores, 0, "split.usedCoreNum: "}),
    [](const auto& test) { return test.param.name; });

TEST(FilterSplit, CoresAreJudgedByTheTasksThatThereMustBe) {
  FilterTiling tiling = Legal();
  tiling.split.dk_dim = 0;
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)),
            "split.dkDim: a list has each dk: found 0, must be 3; split.dkDim 3 fits\n");
}

TEST(FilterSplit, AGridsCellsAreItsCores) {
  FilterTiling tiling = Legal();
  tiling.split.strategy = FilterStrategy::kBaseGrid;
  tiling.split.batch_dim = 6, tiling.split.group_dim = 1, tiling.split.dk_dim = 1;
  tiling.split.used_cores = 24;  // 6 parts of batch * dout by 4 of ho
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)), "");
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, 20)),
            "split.usedCoreNum: cores there are, and tasks for them: found 24, must be at most 20; "
            "split.usedCoreNum 20 fits\n");
  tiling.split.used_cores = 23;
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)),
            "split.usedCoreNum: each cell of the grid is a core: found 23, must be 24; "
            "split.usedCoreNum 24 fits\n");
}

TEST(FilterSplit, ABasicBlockStrategyLeavesItsDimensionWhole) {
  FilterTiling tiling = Legal();
  tiling.split.strategy = FilterStrategy::kBasicBlockMN;  // but K is cut in 4
  EXPECT_EQ(Told(WhyNot(tiling, Problem(), kMemory910B, kCores)),
            "split.kDim: basic_block_mn leaves K whole: found 4, must be 1; split.kDim 1 fits\n");
}

}  // namespace
}  // namespace tilesim
