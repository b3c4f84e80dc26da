// The planner of max poolings: what it plans is legal, and what it refuses fits with what it says.
#include "tiling/max_pool/max_pool_op_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "formats/error.h"
#include "tests/tiling/pool_examples.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_estimate.h"

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
    EXPECT_GT(plan.estimate.cycles, 0);
  }
}

// Of the blocks of equal parts, as many lanes as there are, that fit: none is estimated to be more than 1 %
// faster, and of those that are as fast none has less work for the vector units of all cores.
TEST(MaxPoolOpPlanner, PlansTheLeastWorkAmongTheFastest) {
  const SocConfig soc = LoadSoc("ascend910b2");
  constexpr uint32_t kSeed = 12;
  RandomPoolAxes random(kSeed);
  int less_work_than_fastest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    PoolShape shape;
    shape.dtype = trial % 2 == 0 ? DType::kFp32 : DType::kFp16;
    shape.batch = random.Pick(1, 3);
    shape.channels = random.Pick(1, 300);
    shape.channels_last = trial % 3 == 0;
    for (PoolAxis* axis : {&shape.d, &shape.h, &shape.w}) {
      const int64_t in = random.Pick(4, 60);
      const int64_t window = random.Pick(1, 3);
      const int64_t stride = random.Pick(1, 2);
      *axis = {in, (in - window) / stride + 1, window, stride, 1, 0};
    }
    const int64_t cores = random.Pick(1, 48);
    const MaxPoolEstimate planned = PlanMaxPoolOp(shape, soc, cores).estimate;
    const int64_t lanes = std::min(kPoolLanes, shape.channels * (shape.channels_last ? 1 : shape.batch));
    std::vector<MaxPoolEstimate> others;
    for (int64_t d = 1; d <= shape.d.out; ++d) {
      for (int64_t h = 1; h <= shape.h.out; ++h) {
        for (int64_t w = 1; w <= shape.w.out; ++w) {
          const bool equal_parts = CeilDiv(shape.d.out, CeilDiv(shape.d.out, d)) == d &&
                                   CeilDiv(shape.h.out, CeilDiv(shape.h.out, h)) == h &&
                                   CeilDiv(shape.w.out, CeilDiv(shape.w.out, w)) == w;
          for (int64_t rows = 1; equal_parts && rows <= kMostPoolRows; rows *= 2) {
            const PoolTile tile = {lanes, d, h, w, rows, shape.w.window, h};
            const MaxPoolBuffers buffers = MaxPoolBuffersOf(shape, tile);
            if (buffers.planes <= kMostPoolPlanes && buffers.total() <= UsableUbBytes(soc.ub_bytes) &&
                MovesFit(shape, tile)) {
              others.push_back(EstimateMaxPool(shape, tile, soc, cores));
            }
          }
        }
      }
    }
    ASSERT_FALSE(others.empty()) << "seed " << kSeed << ", trial " << trial;
    const double fastest = std::ranges::min(others, {}, &MaxPoolEstimate::time).time();
    EXPECT_LE(planned.time(), 1.01 * fastest) << "seed " << kSeed << ", trial " << trial;
    for (const MaxPoolEstimate& other : others) {
      EXPECT_TRUE(other.time() > planned.time() || other.work() >= planned.work())
          << "seed " << kSeed << ", trial " << trial << ": " << other.time() << " with " << other.work()
          << " against " << planned.time() << " with " << planned.work();
    }
    less_work_than_fastest += planned.time() > fastest ? 1 : 0;
  }
  EXPECT_GT(less_work_than_fastest, 0) << "no trial in which the least work is not the fastest";
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
