// The planners of the input gradient against the simulator: planner `op` is faster than `api` where both
// plan, and tells the cycles that the simulator then measures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ops/cases/case_file.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/plans/plan_cost.h"
#include "tests/support/default_soc.h"
#include "tests/support/repetitions.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/core_memory.h"

namespace tilesim {
namespace {

constexpr int64_t kCores = 24;

// A layer, and what planner `op` and the simulator say of it.
struct Planned {
  Case item;
  InputOpPlan op;
  double op_cycles = 0;
};

double Simulated(const Case& item, const InputTiling& tiling) {
  InputPlan plan;
  plan.tiling = tiling;
  plan.legal = true;
  return static_cast<double>(TimeInput(item.conv(), plan, Soc(), {}).cycles);
}

// The group-1 layers of two-byte types that the vendor's planner can be asked for, of the twenty and the
// networks' layers; those of this run's part.
const std::vector<Planned>& Layers() {
  static const std::vector<Planned> layers = [] {
    std::vector<Planned> planned;
    int index = 0;
    for (const char* file : {"configs/cases/conv3d_backprop_input.csv", "configs/cases/network_input.csv"}) {
      for (const Case& item : ReadCaseFile(file).cases) {
        if (item.conv().groups == 1 && item.conv().dtype != DType::kFp32 && IsOfThisPart(index++)) {
          const InputOperator op(item.conv());
          planned.push_back({.item = item,
                             .op = PlanInputOp(ToInputProblem(item.conv()), Soc(), kCores,
                                               Remembering(CostModelOf<InputTiling>(op, Soc())))});
          planned.back().op_cycles = planned.back().op.legal ? Simulated(item, planned.back().op.tiling) : 0;
        }
      }
    }
    return planned;
  }();
  return layers;
}

// Planner `api` as shipped, which knows of one core, and as it would answer if it knew of all.
TEST(InputPlanners, OpIsNeverMuchSlowerThanApiAndAFourthFasterInTheMean) {
  double log_sum = 0;
  int compared = 0;
  for (const auto& [item, op, op_cycles] : Layers()) {
    ASSERT_TRUE(op.legal) << item.id;
    const InputProblem p = ToInputProblem(item.conv());
    for (const int64_t cores_told : {int64_t{1}, kCores}) {
      const InputApiPlan api = PlanInputApi(p, CoreMemoryOf(Soc()), cores_told);
      if (!api.legal()) {
        continue;
      }
      const InputTiling tiling{.data = api.data, .split = DealOut(p, api.data.conv3DDxTiling, kCores)};
      ASSERT_TRUE(WhyNot(tiling, p, CoreMemoryOf(Soc()), kCores).empty()) << item.id;
      const double api_cycles = Simulated(item, tiling);
      // of long launches the first tasks alone are told apart
      EXPECT_LE(op_cycles, 1.01 * api_cycles) << item.id << ", api told of " << cores_told << " cores";
      log_sum += std::log(api_cycles / op_cycles);
      ++compared;
    }
  }
  EXPECT_GE(compared, SomeOf(80));
  if (TestPart() == 1) {  // the mean is that of all layers
    EXPECT_GE(std::exp(log_sum / compared), 1.25);
  }
}

TEST(InputPlanners, OpBalancesDepthPlanesThatFewerTapsReach) {
  // stride 2 in depth: every other plane of dx has one tap, its neighbours two
  Case item = ReadCaseFile("configs/cases/conv3d_backprop_input.csv").cases.front();
  Conv3dProblem& problem = item.conv();
  problem.stride.d = 2;
  problem.pad.front = problem.pad.back = 1;
  problem.out = ForwardExtents(problem);
  const InputPlan plan = PlanInput(problem, PlannerKind::kOp, Soc(), kCores);
  ASSERT_TRUE(plan.legal);
  const InputTaskSpace space = InputTaskSpace::Of(plan.tiling.data.conv3DDxTiling);
  int64_t most = 0;
  int64_t all = 0;
  for (int64_t core = 0; core < plan.tiling.split.used_cores; ++core) {
    int64_t taps = 0;
    ForEachInputTask(space, plan.tiling.split, core, [&](const InputTask& task) {
      taps += task.rows * task.lines * space.depth.TapsOf(task.din);
    });
    most = std::max(most, taps);
    all += taps;
  }
  EXPECT_LT(most, all / plan.tiling.split.used_cores * 135 / 100);
}

TEST(InputPlanners, TellTheCyclesThatTheSimulatorMeasures) {
  int compared = 0;
  for (const auto& [item, op, op_cycles] : Layers()) {
    ASSERT_TRUE(op.legal) << item.id;
    if (op.cost) {
      EXPECT_EQ(static_cast<double>(op.cost->cycles), op_cycles) << item.id;
      ++compared;
    }
  }
  EXPECT_GE(compared, SomeOf(20));
}

}  // namespace
}  // namespace tilesim
