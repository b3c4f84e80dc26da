// Two tilings set against each other: every field that differs is there, in sets that cannot be smaller, with
// the cycles and bytes of a plain run.
#include "ops/plans/tiling_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ops/cases/case_file.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "tests/support/default_soc.h"
#include "tests/support/json_text.h"
#include "tiling/max_pool/pool_op_planner.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

Case FilterCase() {
  return ReadCase(
      {{"op", "conv3d_backprop_filter"}, {"input", "2x32x4x16x16"}, {"filter", "64x32x3x3x3"}, {"pad", "1"}},
      0, "");
}

Case ProductCase() { return ReadCase({{"op", "matmul"}, {"m", "1000"}, {"n", "700"}, {"k", "300"}}, 0, ""); }

// The first with the second's values in these fields.
Plan Mixed(const Operator& op, const Plan& first, const Plan& second,
           const std::vector<TilingFieldDifference>& fields) {
  ordered_json text = ParseOrderedJson(JsonOf(first.tiling));
  const ordered_json other = ParseOrderedJson(JsonOf(second.tiling));
  for (const TilingFieldDifference& field : fields) {
    const ordered_json::json_pointer path("/" + field.path.substr(0, field.path.find('.')) + "/" +
                                          field.path.substr(field.path.find('.') + 1));
    text.at(path) = other.at(path);
  }
  return op.GivenPlan(Dump(text), "mixed", Soc(), CoresOf(op, Soc()));
}

void ExpectSameAsARun(const TilingCost& cost, const Operator& op, const Plan& plan) {
  const LaunchResult run = TimeOperator(op, plan, Soc(), {});
  int64_t bytes = 0;
  for (const CoreResult& core : run.cores) {
    bytes += core.statistics.gm_read_bytes + core.statistics.gm_write_bytes;
  }
  EXPECT_EQ(cost.cycles, run.cycles);
  EXPECT_EQ(cost.time_us, run.time_us);
  EXPECT_EQ(cost.cores, plan.UsedCores());
  EXPECT_EQ(cost.gm_bytes, bytes);
  EXPECT_GT(cost.stall_cycles, 0);  // no pipe is busy from the start
  EXPECT_LT(cost.stall_cycles, cost.cycles);
  EXPECT_NE(cost.stalled_by, "");
}

void ExpectExplained(const Operator& op, const Plan& first, const Plan& second) {
  ASSERT_TRUE(first.legal && second.legal);
  const TilingDiff diff = DiffTilings(op, first, second, Soc(), CoresOf(op, Soc()), 1);
  ExpectSameAsARun(diff.first, op, first);
  ExpectSameAsARun(diff.second, op, second);
  std::vector<std::string> told;
  for (const TilingChange& change : diff.changes) {
    const Plan plan = Mixed(op, first, second, change.fields);
    ASSERT_TRUE(plan.legal);
    ASSERT_TRUE(change.cost.has_value()) << change.why_not;
    ExpectSameAsARun(*change.cost, op, plan);
    for (const TilingFieldDifference& field : change.fields) {
      told.push_back(field.path);
    }
  }
  const ordered_json first_text = ParseOrderedJson(JsonOf(first.tiling));
  const ordered_json second_text = ParseOrderedJson(JsonOf(second.tiling));
  for (const auto& [section, fields] : first_text.items()) {
    for (const auto& [name, value] : fields.items()) {
      const std::string path = section + "." + name;
      EXPECT_EQ(std::ranges::count(told, path) > 0, value != second_text[section][name]) << path;
    }
  }
}

TEST(TilingDiff, TellsEveryFieldOfTwoPlannersAnswers) {
  const std::unique_ptr<Operator> op = MakeOperator(FilterCase());
  const int64_t cores = CoresOf(*op, Soc());
  const Plan by_api = op->MakePlan(PlannerKind::kApi, Soc(), cores);
  const Plan by_op = op->MakePlan(PlannerKind::kOp, Soc(), cores);
  ExpectExplained(*op, by_api, by_op);
  ExpectExplained(*op, by_op, by_api);
}

TEST(TilingDiff, TellsEveryFieldOfAPlanForFewerCores) {
  const std::unique_ptr<Operator> op = MakeOperator(ProductCase());
  ExpectExplained(*op, op->MakePlan(PlannerKind::kOp, Soc(), 24), op->MakePlan(PlannerKind::kOp, Soc(), 2));
}

// Of a set of several, all but one field does not fit, unless the one is what the set was made for.
TEST(TilingDiff, ChangesAsFewFieldsAsFit) {
  const std::unique_ptr<Operator> op = MakeOperator(ProductCase());
  const int64_t cores = CoresOf(*op, Soc());
  const Plan few = op->MakePlan(PlannerKind::kOp, Soc(), 2);
  const Plan many = op->MakePlan(PlannerKind::kOp, Soc(), cores);
  bool some_together = false;
  for (const TilingChange& change : DiffTilings(*op, few, many, Soc(), cores, 1).changes) {
    int fewer_fit = 0;
    for (size_t i = 0; change.fields.size() > 1 && i < change.fields.size(); ++i) {
      std::vector<TilingFieldDifference> fewer = change.fields;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
      fewer_fit += Mixed(*op, few, many, fewer).legal ? 1 : 0;
      some_together = true;
    }
    EXPECT_LE(fewer_fit, 1) << change.fields.front().path;
  }
  EXPECT_TRUE(some_together);  // otherwise this shows nothing
}

// Of a gradient in one phase and one in two only the second has the section of the pooling.
TEST(TilingDiff, TellsASectionThatOneTilingHasNot) {
  const Case problem = ReadCase(
      {{"op", "max_pool2d_grad"}, {"input", "1x16x20x20"}, {"filter", "3x3"}, {"stride", "1"}}, 0, "");
  const auto& pooling = std::get<PoolCase>(problem.problem);
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  const int64_t cores = CoresOf(*op, Soc());
  const PoolGradProblem grad = ToPoolGradProblem(pooling.pool, ArgmaxSource::kX);
  const auto plan_of = [&](const MaxPoolGradTiling& tiling) {
    return Plan(CheckMaxPoolGradTiling(pooling.pool, ArgmaxSource::kX, tiling, Soc(), cores), true);
  };
  const Plan one = plan_of(PlanInOnePhase(grad, Soc(), cores).tiling);
  const Plan two = plan_of(PlanInTwoPhases(grad, Soc(), cores).tiling);
  Plan fewer_rows = two;  // of x in a load
  auto& tiling = std::get<MaxPoolGradTiling>(fewer_rows.tiling);
  PoolTile tile = TileOf(*tiling.pooling);
  ASSERT_GT(tile.rows, 1);
  tile.rows = 1;
  tiling.pooling = TilingOf(FirstPhaseOf(grad), tile, tiling.pooling->split.used_cores);
  const auto paths_of = [&](const Plan& first, const Plan& second) {
    std::vector<std::string> paths;
    for (const TilingChange& change : DiffTilings(*op, first, second, Soc(), cores, 1).changes) {
      EXPECT_TRUE(change.cost.has_value()) << change.why_not;
      for (const TilingFieldDifference& field : change.fields) {
        paths.push_back(field.path + " " + field.first + " " + field.second);
      }
    }
    return paths;
  };
  const std::vector<std::string> there = paths_of(one, two);
  EXPECT_NE(std::ranges::find(there, "pooling none there"), there.end());
  EXPECT_NE(std::ranges::find(there, "split.argmaxFrom x given"), there.end());
  const std::vector<std::string> gone = paths_of(two, one);
  EXPECT_NE(std::ranges::find(gone, "pooling there none"), gone.end());
  const std::vector<std::string> within = paths_of(two, fewer_rows);
  EXPECT_NE(
      std::ranges::find(
          within, "pooling.data.partH " +
                      std::to_string(TileOf(*std::get<MaxPoolGradTiling>(two.tiling).pooling).rows) + " 1"),
      within.end());
}

TEST(TilingDiff, FindsNothingInEqualTilings) {
  const std::unique_ptr<Operator> op = MakeOperator(ProductCase());
  const Plan plan = op->MakePlan(PlannerKind::kOp, Soc(), 24);
  const TilingDiff diff = DiffTilings(*op, plan, plan, Soc(), 24, 1);
  EXPECT_TRUE(diff.changes.empty());
  EXPECT_EQ(diff.first.cycles, diff.second.cycles);
}

}  // namespace
}  // namespace tilesim
