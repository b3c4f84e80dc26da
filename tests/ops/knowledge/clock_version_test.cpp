// The cycles of a clock version: where they change, kClockVersion has to, so that no tiling tuned under the
// old clock is taken for the best under the new one.
#include <gtest/gtest.h>

#include "ops/cases/case_file.h"
#include "ops/knowledge/model_version.h"
#include "ops/operator_run.h"
#include "ops/operators.h"

namespace tilesim {
namespace {

struct Timed {
  CaseCells cells;
  PlannerKind planner;
  int64_t cycles;
};

TEST(ClockVersion, ChangesWithTheCycles) {
  ASSERT_EQ(kClockVersion, 3) << "count the cycles below anew";
  const SocConfig soc = LoadSoc("ascend910b2");
  const Timed launches[] = {
      {{{"op", "conv3d_backprop_filter"}, {"input", "2x32x4x16x16"}, {"filter", "64x32x3x3x3"}, {"pad", "1"}},
       PlannerKind::kApi,
       5598},
      {{{"op", "conv3d_backprop_input"}, {"input", "2x32x4x16x16"}, {"filter", "64x32x3x3x3"}, {"pad", "1"}},
       PlannerKind::kApi,
       6308},
      {{{"op", "matmul"}, {"m", "512"}, {"n", "512"}, {"k", "512"}, {"transpose_b", "1"}},
       PlannerKind::kOp,
       5758},
      {{{"op", "copy"}, {"input", "64x1024"}}, PlannerKind::kOp, 876},
  };
  for (const Timed& launch : launches) {
    const Case problem = ReadCase(launch.cells, 0, "");
    const std::unique_ptr<Operator> op = MakeOperator(problem);
    const Plan plan = op->MakePlan(launch.planner, soc, CoresOf(*op, soc));
    EXPECT_EQ(TimeOperator(*op, plan, soc, {}).cycles, launch.cycles)
        << problem.op
        << ": cycles have changed: raise kClockVersion where a formula, a cost or a tile program "
        << "is why; where only figures in configs or a planner are, count them anew here";
  }
}

}  // namespace
}  // namespace tilesim
