// Figures that are given show in what the time rests on: every one of them that changes the cycles of a
// kernel.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "formats/error.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "sim/core/time_basis.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

const std::vector<CaseCells>& Kernels() {
  static const std::vector<CaseCells> kernels = {
      {{"op", "conv3d_backprop_filter"}, {"input", "1x40x3x12x12"}, {"filter", "48x40x3x3x3"}, {"pad", "1"}},
      {{"op", "conv3d_backprop_filter"},
       {"dtype", "fp32"},
       {"input", "1x16x2x9x9"},
       {"filter", "16x16x1x3x3"},
       {"stride", "1x2x2"}},
      {{"op", "conv3d_backprop_input"},
       {"input", "1x40x3x12x12"},
       {"filter", "48x40x3x3x3"},
       {"stride", "2"}},
      {{"op", "matmul"}, {"m", "200"}, {"n", "301"}, {"k", "500"}},
      {{"op", "matmul"}, {"dtype", "fp32"}, {"m", "64"}, {"n", "64"}, {"k", "64"}},
      {{"op", "copy"}, {"input", "64x1024"}},
      {{"op", "add"}, {"input", "37x1023"}},
      {{"op", "mem_set"}, {"input", "512x1024"}},
      {{"op", "transpose"}, {"input", "64x70"}, {"perm", "1x0"}},
      {{"op", "max_pool2d"}, {"input", "2x32x16x16"}, {"filter", "3x3"}, {"stride", "2"}}};
  return kernels;
}

struct Timed {
  int64_t cycles = 0;  // 0: the kernel does not run on such a part
  TimeBasis basis;
};

Timed TimeOn(const SocConfig& soc, const Operator& op, const Plan& plan) {
  const LaunchResult result = TimeOperator(op, plan, soc, {.threads = 1});
  if (!result.completed || !result.faults.empty()) {
    return {};
  }
  return {result.cycles, BasisOf(soc, result)};
}

TEST(TimeBasisKeys, EveryFigureThatChangesCyclesShowsAsGiven) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::span<const SocParameter> parameters = SocParameters();
  const std::vector<double> values = SocValues(soc);
  int changed = 0;
  for (const CaseCells& cells : Kernels()) {
    const std::unique_ptr<Operator> op = MakeOperator(ReadCase(cells, 0, ""));
    const Plan plan = op->MakePlan(PlannerKind::kOp, soc, 24);
    ASSERT_TRUE(plan.legal) << cells.at("op");
    const Timed before = TimeOn(soc, *op, plan);
    ASSERT_GT(before.cycles, 0) << cells.at("op");
    EXPECT_EQ(before.basis.of(Provenance::kGiven), 0);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string key(parameters[i].key);
      if (key.starts_with("chip.") || key.starts_with("launch.") || key.starts_with("numerics.")) {
        continue;  // other cores, other time for the same cycles, other values
      }
      for (const double times : {0.25, 4.0}) {
        const std::string setting = key + "=" + std::to_string(std::lround(values[i] * times));
        SocConfig other;
        try {
          other = LoadSoc("ascend910b2", std::vector<std::string>{setting});
        } catch (const UserError&) {
          continue;
        }
        const Timed now = TimeOn(other, *op, plan);
        if (now.cycles > 0 && now.cycles != before.cycles) {
          ++changed;
          EXPECT_GT(now.basis.of(Provenance::kGiven), 0) << cells.at("op") << " with " << setting;
        }
      }
    }
  }
  EXPECT_GT(changed, 200);
}

}  // namespace
}  // namespace tilesim
