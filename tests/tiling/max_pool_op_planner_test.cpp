// The planner of max poolings: what it plans is legal, and what it refuses fits with what it says.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "formats/error.h"
#include "tests/tiling/pool_examples.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

using testing::LongRows;
using testing::RandomPoolAxes;
using testing::Shape;
using testing::WhyNotText;

TEST(MaxPoolOpPlanner, PlansWhatFitsAndSaysWhy) {
  const SocConfig soc = LoadSoc("ascend910b2");
  constexpr uint32_t kSeed = 11;
  RandomPoolAxes random(kSeed);
  for (int trial = 0; trial < 200; ++trial) {
    PoolShape shape;
    shape.dtype = trial % 2 == 0 ? DType::kFp32 : DType::kBf16;
    shape.batch = random.Pick(1, 3);
    shape.channels = random.Pick(1, 300);
    shape.channels_last = trial % 3 == 0;
    shape.d = random.Axis();
    shape.h = random.Axis();
    shape.w = random.Axis();
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 48);
    ASSERT_TRUE(plan.legal) << "seed " << kSeed << ", trial " << trial;
    ASSERT_EQ(WhyNotText(plan.tiling, shape), "");
    EXPECT_LE(MaxPoolBuffersOf(shape, TileOf(plan.tiling)).total(), UsableUbBytes(soc.ub_bytes));
    EXPECT_GE(plan.explanation.size(), 4U);
    EXPECT_GT(plan.cycles, 0);
  }
}

// Runs are made up here: what is promised least is told to be fastest.
TEST(MaxPoolOpPlanner, TakesWhatRunsTellToBeTheFastest) {
  const SocConfig soc = LoadSoc("ascend910b2");
  PoolShape shape = Shape();
  shape.h = shape.w = {.in = 40, .out = 20, .window = 2, .stride = 2, .dilation = 1, .before = 0};
  const MaxPoolTiling promised = PlanMaxPoolOp(shape, soc, 8).tiling;
  std::vector<PoolTile> run;
  CostModel<MaxPoolTiling> cost;
  cost.core = [&](const MaxPoolTiling& tiling, size_t, size_t) -> std::optional<PartCost> {
    run.push_back(TileOf(tiling));
    return PartCost{.cycles = 1e5 / static_cast<double>(run.size()), .run_cycles = 1};
  };
  const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 8, cost);
  ASSERT_GT(run.size(), 2U);
  EXPECT_EQ(run.front(), TileOf(promised));
  EXPECT_EQ(TileOf(plan.tiling), run.back());
  EXPECT_EQ(plan.cycles, 1e5 / static_cast<double>(run.size()));
  EXPECT_EQ(WhyNotText(plan.tiling, shape), "");
}

TEST(MaxPoolOpPlanner, HeedsThePointsOfAMoveInALargeUb) {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.ub_bytes = 8 << 20;
  for (const PoolShape& shape : {LongRows(20000, 1), LongRows(1366, 8)}) {
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 1);
    ASSERT_TRUE(plan.legal);
    EXPECT_LE(LoadedColumns(shape, TileOf(plan.tiling)), kMostMovePoints);
    EXPECT_EQ(WhyNotText(plan.tiling, shape, soc.ub_bytes, 1), "");
  }
}

TEST(MaxPoolOpPlanner, SaysWhatTheSmallestBlockNeeds) {
  SocConfig soc = LoadSoc("ascend910b2");
  PoolShape shape;
  shape.dtype = DType::kFp32;
  shape.channels = 64;
  shape.h = shape.w = {.in = 4, .out = 2, .window = 2, .stride = 2, .dilation = 1, .before = 0};
  PoolShape last = LongRows(20000, 1);
  PoolShape wide = shape;
  wide.w = {.in = 900, .out = 1, .window = 900, .stride = 1, .dilation = 1, .before = 0};
  for (const PoolShape& each : {shape, last, wide}) {
    soc.ub_bytes = 9000;
    const MaxPoolOpPlan plan = PlanMaxPoolOp(each, soc, 1);
    EXPECT_FALSE(plan.legal);
    ASSERT_EQ(plan.reasons.size(), 1U);
    const int64_t least = plan.reasons[0].value;
    const std::string sentence = Sentence(plan.reasons[0]);
    EXPECT_TRUE(sentence.ends_with(Say("found ", least, ", must be at most ", 9000 - kSelectScratchBytes,
                                       "; this is the smallest block: memory.ub_bytes ",
                                       least + kSelectScratchBytes, " fits")))
        << sentence;
    soc.ub_bytes = least + kSelectScratchBytes;  // it does, and no less
    EXPECT_TRUE(PlanMaxPoolOp(each, soc, 1).legal) << sentence;
    soc.ub_bytes -= 1;
    EXPECT_FALSE(PlanMaxPoolOp(each, soc, 1).legal) << sentence;
  }
}

TEST(MaxPoolOpPlanner, SaysTheSameSmallestBlockInAnyUb) {
  SocConfig soc = LoadSoc("ascend910b2");
  PoolShape shape;  // a whole row of 6 takes less than a part of it
  shape.dtype = DType::kFp16;
  shape.channels = 10;
  shape.h = shape.w = {.in = 11, .out = 6, .window = 3, .stride = 2, .dilation = 1, .before = 1};
  std::set<std::string> mends;
  for (const int64_t ub_bytes : {64, 8191, 8192, 9000, 20000}) {
    soc.ub_bytes = ub_bytes;
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, 1);
    ASSERT_EQ(plan.reasons.size(), 1U) << ub_bytes;
    EXPECT_GE(plan.reasons[0].limit, 0) << Sentence(plan.reasons[0]);
    mends.insert(plan.reasons[0].mend);
  }
  EXPECT_EQ(mends.size(), 1U) << *mends.begin() << *mends.rbegin();
}

TEST(MaxPoolOpPlanner, RefusesNoCores) {
  const MaxPoolOpPlan plan = PlanMaxPoolOp(Shape(), LoadSoc("ascend910b2"), 0);
  EXPECT_FALSE(plan.legal);
  ASSERT_EQ(plan.reasons.size(), 1);
  EXPECT_EQ(plan.reasons[0].field, "cores");
}

}  // namespace
}  // namespace tilesim
