// What planner op answers of poolings, beside the simulated time of what else it could have answered.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "formats/units.h"
#include "gtest/gtest.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_device.h"
#include "ops/plans/plan_cost.h"
#include "tests/ops/max_pool/random_pool.h"
#include "tests/support/repetitions.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

constexpr int64_t kCores = 48;

SocConfig Soc() { return LoadSoc("ascend910b2"); }

template <class Tiling>
double TimeUs(const Operator& op, const Tiling& tiling, int64_t cores, const SocConfig& soc) {
  const auto cost = CostModelOf<Tiling>(op, soc).launch(tiling, std::numeric_limits<int64_t>::max());
  return TimeWithLaunchUs(static_cast<double>(cost.value().cycles), cores, soc);
}

PoolProblem Problem(DType dtype, int64_t batch, int64_t channels, const Windows& windows) {
  PoolProblem problem;
  problem.dtype = dtype;
  problem.layout = Format::kNCDHW;
  problem.batch = batch;
  problem.channels = channels;
  problem.windows = windows;
  problem.out = ForwardExtents(windows, problem.rounding);
  return problem;
}

// Of the blocks of equal parts, some by chance: none is clearly faster, on as many cores as it has use for.
TEST(PoolPlanner, TakesBlocksThanWhichOthersAreNotFaster) {
  const SocConfig soc = Soc();
  constexpr uint32_t kSeed = 12;
  std::mt19937 random(kSeed);
  const auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  int others = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Extents3 kernel = {pick(1, 2), pick(1, 3), pick(1, 3)};
    const Extents3 stride = {pick(1, 2), pick(1, 2), pick(1, 2)};
    PoolProblem problem = Problem(trial % 2 == 0 ? DType::kFp32 : DType::kFp16, pick(1, 2), pick(1, 130),
                                  {{pick(2, 6), pick(4, 30), pick(4, 30)}, kernel, stride, {}, {}});
    problem.layout = trial % 3 == 0 ? Format::kNDHWC : Format::kNCDHW;
    const PoolShape shape = ToPoolShape(problem);
    std::vector<PoolTile> tiles;
    for (int i = 0; i < 12; ++i) {
      const auto part = [&](int64_t out) { return CeilDiv(out, pick(1, out)); };
      tiles.push_back({.lanes = std::min(kPoolLanes, shape.lanes()),
                       .d = part(shape.d.out),
                       .h = part(shape.h.out),
                       .w = part(shape.w.out),
                       .rows = pick(1, 4),
                       .taps_w = shape.w.window,
                       .store_rows = 1});
    }
    if (!IsOfThisPart(trial)) {
      continue;
    }
    const MaxPoolOperator op(problem);
    const MaxPoolOpPlan plan = PlanMaxPoolOp(shape, soc, kCores, CostModelOf<MaxPoolTiling>(op, soc));
    ASSERT_TRUE(plan.legal && plan.cost.has_value());
    const double planned_us = TimeUs(op, plan.tiling, plan.tiling.split.used_cores, soc);
    for (const PoolTile& tile : tiles) {
      const int64_t cores = CoresFor(BlockCountsOf(shape, tile).total(), kCores);
      const MaxPoolTiling tiling = TilingOf(shape, tile, cores);
      if (WhyNot(tiling, shape, soc.ub_bytes, kCores).empty()) {
        ++others;
        EXPECT_LE(planned_us, 1.01 * TimeUs(op, tiling, cores, soc))
            << testing::Description(problem) << ", seed " << kSeed;
      }
    }
  }
  EXPECT_GT(others, TestPart() == 1 ? 80 : 0);
}

// The planned gradient, and what FittedTiling makes of the choices.
class GradChoices {
 public:
  GradChoices(const PoolProblem& problem, ArgmaxSource source)
      : problem_(problem), op_(problem_, source), grad_(ToPoolGradProblem(problem_, source)) {
    const Plan plan = op_.MakePlan(PlannerKind::kOp, soc_, kCores);
    EXPECT_TRUE(plan.legal);
    const auto& tiling = std::get<MaxPoolGradTiling>(plan.tiling);
    planned_us_ = TimeUs(op_, tiling, LaunchedCores(tiling), soc_);
  }

  [[nodiscard]] double planned_us() const { return planned_us_; }
  // 0: does not fit.
  [[nodiscard]] double TimeOfUs(const PoolGradChoice& choice) const {
    const auto tiling = FittedTiling(grad_, choice, soc_.ub_bytes, kCores);
    return tiling ? TimeUs(op_, *tiling, LaunchedCores(*tiling), soc_) : 0;
  }

 private:
  const SocConfig soc_ = Soc();
  const PoolProblem problem_;
  const MaxPoolGradOperator op_;
  const PoolGradProblem grad_;
  double planned_us_ = 0;
};

TEST(PoolPlanner, FindsTheSizeForVeryLongRowsOfAGradient) {
  const GradChoices choices(Problem(DType::kFp16, 1, 64, {{1, 1, 20000}, {1, 1, 3}, {1, 1, 2}, {}, {}}),
                            ArgmaxSource::kX);
  int fitted = 0;
  for (const int64_t slots : {5, 10, 20, 30, 40, 50, 60}) {
    if (const double us = choices.TimeOfUs({.sizes = {.w = slots}}); us > 0) {
      ++fitted;
      EXPECT_LE(choices.planned_us(), us) << slots << " slots";
    }
  }
  EXPECT_GE(fitted, 4);
}

// Rows of x and boxes of dx share what a block leaves of UB: either may have it.
TEST(PoolPlanner, GivesUbToRowsOfXOrToDxWhicheverIsSooner) {
  int alone = 0;  // blocks for which one row of x is sooner
  for (const int64_t size : {16, 28, 40, 56}) {
    const GradChoices choices(Problem(DType::kFp16, 4, 256, {{1, size, size}, {1, 2, 2}, {1, 2, 2}, {}, {}}),
                              ArgmaxSource::kX);
    for (int64_t parts = 1; parts <= 8; parts *= 2) {
      std::array<double, 3> us = {};
      for (const int64_t x_rows : {1, 2}) {
        const double of_choice =
            choices.TimeOfUs({.sizes = {.w = CeilDiv(size / 2, parts)}, .x_rows = x_rows});
        us[static_cast<size_t>(x_rows)] = of_choice;
        EXPECT_TRUE(of_choice == 0 || choices.planned_us() <= of_choice)
            << size << " wide, " << parts << " parts, " << x_rows;
      }
      alone += us[1] > 0 && us[1] < us[2] ? 1 : 0;
    }
  }
  EXPECT_GT(alone, 0);
}

// A plan's cycles are those of its run.
TEST(PoolPlanner, TellsTheCyclesOfTheRun) {
  const SocConfig soc = Soc();
  const PoolProblem problem = Problem(DType::kFp16, 2, 70, {{1, 30, 31}, {1, 3, 2}, {1, 2, 2}, {}, {}});
  for (const int64_t cores : {1, 7, 48}) {
    const MaxPoolOperator pooling(problem);
    const MaxPoolOpPlan forward =
        PlanMaxPoolOp(ToPoolShape(problem), soc, cores, CostModelOf<MaxPoolTiling>(pooling, soc));
    ASSERT_TRUE(forward.cost.has_value());
    EXPECT_EQ(forward.cycles, static_cast<double>(forward.cost->cycles));
    EXPECT_DOUBLE_EQ(TimeWithLaunchUs(forward.cycles, forward.tiling.split.used_cores, soc),
                     TimeUs(pooling, forward.tiling, forward.tiling.split.used_cores, soc));
    EXPECT_LE(forward.tiling.split.used_cores, cores);
  }
}

}  // namespace
}  // namespace tilesim
