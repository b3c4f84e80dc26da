// The planners against the simulator: planner `op` is faster than `api` where both plan, and its estimate is
// what the simulator then measures.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ops/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "tiling/conv_backprop/filter_op_planner.h"

namespace tilesim {
namespace {

constexpr int64_t kCores = 24;

const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

// The group-1 layers of two-byte types that the vendor's planner can be asked for: the twenty and the
// networks'.
std::vector<Case> Layers() {
  std::vector<Case> layers;
  for (const char* file : {"configs/cases/conv3d_backprop_filter.csv", "configs/cases/network_filter.csv"}) {
    for (const Case& item : ReadCaseFile(file).cases) {
      if (item.conv.groups == 1 && item.conv.dtype != DType::kFp32) {
        layers.push_back(item);
      }
    }
  }
  return layers;
}

double Simulated(const Case& item, const FilterTiling& tiling) {
  FilterPlan plan;
  plan.tiling = tiling;
  plan.legal = true;
  return static_cast<double>(TimeFilter(item.conv, plan, Soc(), {}).cycles);
}

TEST(FilterPlanners, OpIsNeverSlowerThanApiAndATenthFasterInTheMean) {
  double log_sum = 0;
  int compared = 0;
  for (const Case& item : Layers()) {
    const FilterPlan op = PlanFilter(item.conv, PlannerKind::kOp, Soc(), kCores);
    const FilterPlan api = PlanFilter(item.conv, PlannerKind::kApi, Soc(), kCores);
    ASSERT_TRUE(op.legal) << item.id;
    if (!api.legal) {
      continue;
    }
    const double op_cycles = Simulated(item, op.tiling);
    const double api_cycles = Simulated(item, api.tiling);
    EXPECT_LE(op_cycles, api_cycles) << item.id;
    log_sum += std::log(api_cycles / op_cycles);
    ++compared;
  }
  EXPECT_GE(compared, 31);
  EXPECT_GE(std::exp(log_sum / compared), 1.10);
}

TEST(FilterPlanners, EstimateWhatTheSimulatorMeasures) {
  double worst = 0;
  double sum = 0;
  int compared = 0;
  for (const Case& item : Layers()) {
    const FilterOpPlan op = PlanFilterOp(ToFilterProblem(item.conv), Soc(), kCores);
    ASSERT_TRUE(op.legal) << item.id;
    const double error = std::abs(op.estimate.cycles / Simulated(item, op.tiling) - 1);
    worst = std::max(worst, error);
    sum += error;
    ++compared;
  }
  EXPECT_LT(sum / compared, 0.03);  // in the mean
  EXPECT_LT(worst, 0.10);
}

}  // namespace
}  // namespace tilesim
