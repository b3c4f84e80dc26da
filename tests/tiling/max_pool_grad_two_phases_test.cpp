// The pooling gradient in two phases: when it is planned, and how its tiling is checked, written and read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "tests/support/json_text.h"
#include "tests/tiling/pool_grad_examples.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/pool_op_planner.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;
using testing::Axis;
using testing::kCores;
using testing::Reasons;
using testing::Stem;

MaxPoolGradTiling Tiling(const PoolGradProblem& problem = Stem(true)) {
  return PlanInTwoPhases(problem, Soc(), kCores).tiling;
}

double LaunchedCyclesOf(const PoolGradOpPlan& plan) {
  return plan.cycles + LaunchCycles(LaunchedCores(plan.tiling), Soc());
}

// One window of `edge` squared, and another one beside it along each axis.
PoolGradProblem Squares(int64_t edge) {
  PoolGradProblem problem = Stem(true);
  problem.shape.batch = 1;
  problem.shape.channels = 3;
  problem.shape.d = Axis(1, 1, 1, 0);
  problem.shape.h = problem.shape.w = Axis(2 * edge, edge, edge, 0);
  return problem;
}

TEST(MaxPoolGradTwoPhases, ArePlannedWhereTheyPromiseLess) {
  int in_two = 0;
  int in_one = 0;
  for (const int64_t edge : {2, 3, 4, 5, 6, 8, 12, 16, 24, 40, 80, 100}) {
    const PoolGradProblem problem = Squares(edge);
    const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, Soc(), kCores);
    const PoolGradOpPlan one = PlanInOnePhase(problem, Soc(), kCores);
    const PoolGradOpPlan two = PlanInTwoPhases(problem, Soc(), kCores);
    ASSERT_TRUE(plan.legal && one.legal && two.legal);
    EXPECT_EQ(Reasons(plan.tiling, problem, Soc().ub_bytes), "");
    const bool sooner = LaunchedCyclesOf(two) < LaunchedCyclesOf(one);
    EXPECT_EQ(plan.tiling.pooling.has_value(), sooner) << edge;
    EXPECT_EQ(plan.cycles, (sooner ? two : one).cycles);
    EXPECT_EQ(plan.tried, one.tried + two.tried);
    const std::string& last = plan.explanation.back();
    EXPECT_EQ(last, sooner ? Say("in one phase about ", static_cast<int64_t>(one.cycles), " cycles")
                           : Say("in two phases about ", static_cast<int64_t>(two.cycles), " cycles"));
    (sooner ? in_two : in_one) += 1;
  }
  EXPECT_GT(in_two, 0);
  EXPECT_GT(in_one, 0);
}

TEST(MaxPoolGradTwoPhases, AreBothPlansOneBehindTheOther) {
  const PoolGradProblem problem = Squares(100);
  const PoolGradOpPlan plan = PlanInTwoPhases(problem, Soc(), kCores);
  PoolShape shape = problem.shape;
  shape.index = PoolIndex::kPlane;
  const MaxPoolOpPlan pooling = PlanMaxPoolOp(shape, Soc(), kCores);
  const PoolGradOpPlan gradient = PlanMaxPoolGradOp({.shape = shape, .recomputes = false}, Soc(), kCores);
  EXPECT_TRUE(DifferentFields(FieldsIn<MaxPool3DWithArgmaxTilingData>(), &plan.tiling.pooling->data,
                              &pooling.tiling.data)
                  .empty());
  EXPECT_TRUE(
      DifferentFields(FieldsIn<MaxPool3DGradWithArgmaxTilingData>(), &plan.tiling.data, &gradient.tiling.data)
          .empty());
  EXPECT_EQ(plan.tiling.split, gradient.tiling.split);
  EXPECT_DOUBLE_EQ(plan.cycles, pooling.cycles + gradient.cycles +
                                    static_cast<double>(Soc().barrier_cycles + Soc().cross_core_cycles));
  EXPECT_EQ(LaunchedCores(plan.tiling),
            std::max(pooling.tiling.split.used_cores, gradient.tiling.split.used_cores));
  const PoolGradOpPlan taken = PlanMaxPoolGradOp(problem, Soc(), kCores);
  EXPECT_EQ(taken.explanation.front(),
            Say("two phases on ", LaunchedCores(taken.tiling),
                " cores: x is pooled first, its argmax stands in 48 bytes of workspace in GM; when all cores "
                "have met, the gradient reads it"));
  EXPECT_TRUE(taken.explanation[1].starts_with("pooling: no_expand_indices: ")) << taken.explanation[1];
  EXPECT_TRUE(taken.not_larger.front().field.starts_with("pooling: data.")) << taken.not_larger.front().field;
}

// They need not fit where one phase does, nor the other way round: then the other one is planned.
TEST(MaxPoolGradTwoPhases, AreNotPlannedOfAGivenArgmaxNorWhereTheyDoNotFit) {
  EXPECT_FALSE(PlanMaxPoolGradOp(Stem(), Soc(), kCores).tiling.pooling.has_value());
  const PoolGradProblem problem = Stem(true);
  SocConfig soc = Soc();
  int only_one = 0;
  for (soc.ub_bytes = 16 * 1024; soc.ub_bytes < 64 * 1024; soc.ub_bytes += 1024) {
    const PoolGradOpPlan one = PlanInOnePhase(problem, soc, kCores);
    const PoolGradOpPlan two = PlanInTwoPhases(problem, soc, kCores);
    const PoolGradOpPlan plan = PlanMaxPoolGradOp(problem, soc, kCores);
    EXPECT_EQ(plan.legal, one.legal || two.legal);
    EXPECT_TRUE(!plan.legal || Reasons(plan.tiling, problem, soc.ub_bytes).empty());
    only_one += one.legal != two.legal ? 1 : 0;
  }
  EXPECT_GT(only_one, 0);
}

TEST(MaxPoolGradTwoPhases, TellEachWrongNumberOfThePooling) {
  const PoolGradProblem problem = Stem(true);
  const MaxPoolGradTiling tiling = Tiling();
  ASSERT_EQ(Reasons(tiling, problem, Soc().ub_bytes), "");
  const auto expect_told = [&](const MaxPoolGradTiling& wrong, const std::string& field) {
    const std::string reasons = Reasons(wrong, problem, Soc().ub_bytes);
    EXPECT_NE(reasons.find("pooling: " + field + ": "), std::string::npos) << field << ": " << reasons;
  };
  for (const TilingField& field : FieldsIn<MaxPool3DWithArgmaxTilingData>()) {
    for (const uint64_t more : {uint64_t{100000}, uint64_t{1} << 62}) {
      MaxPoolGradTiling wrong = tiling;
      WriteField(&wrong.pooling->data, field, ReadField(&tiling.pooling->data, field) + more);
      expect_told(wrong, field.path());
    }
  }
  for (const TilingField& field : FieldsIn<MaxPoolSplit>()) {
    if (field.words.empty()) {
      MaxPoolGradTiling wrong = tiling;
      WriteField(&wrong.pooling->split, field, ReadField(&tiling.pooling->split, field) + 100000);
      expect_told(wrong, field.path());
    }
  }
  MaxPoolGradTiling wrong = tiling;
  wrong.pooling->split.index = PoolIndex::kNhwc;
  expect_told(wrong, "split.argmax");
  wrong = tiling;
  wrong.split.argmax_order = static_cast<int64_t>(PoolIndex::kNhwc);
  EXPECT_EQ(Reasons(wrong, problem, Soc().ub_bytes),
            "split.argmax: repeats the problem: found nhwc, must be plane; split.argmax plane fits\n");
}

TEST(MaxPoolGradTwoPhases, AreWholeOrRefused) {
  const PoolGradProblem problem = Stem(true);
  MaxPoolGradTiling tiling = Tiling();
  EXPECT_EQ(Reasons(tiling, Stem(), Soc().ub_bytes),
            "pooling: is for a gradient whose argmax is computed; here it is given, leave the section out\n");
  tiling.split.recomputes = 1;  // in both phases
  EXPECT_EQ(
      Reasons(tiling, problem, Soc().ub_bytes),
      "split.argmaxFrom: the argmax is given, by argmax_file or by the section 'pooling': found x, must be "
      "given; split.argmaxFrom given fits\n");
  EXPECT_NE(
      Reasons(SecondPhaseOf(Tiling()), problem, Soc().ub_bytes)
          .find("split.argmaxFrom: is that of a given argmax, and there is none: add the section 'pooling', "
                "which makes it of x, or give --argmax_file; in one phase x fits"),
      std::string::npos);
  tiling = Tiling();
  EXPECT_NE(Reasons(tiling, problem, 20 * 1024).find("pooling: UB: bytes of UB"), std::string::npos);
  EXPECT_NE(Reasons(tiling, problem, 20 * 1024).find("\nUB: bytes of UB"), std::string::npos);
  const int64_t used = tiling.pooling->split.used_cores;
  EXPECT_NE(Reasons(tiling, problem, Soc().ub_bytes, used - 1).find("pooling: data.coreNums: cores: found "),
            std::string::npos);
}

TEST(MaxPoolGradTwoPhases, AreReadAsTheyAreWritten) {
  const MaxPoolGradTiling tiling = Tiling();
  const MaxPoolGradTiling read = ParseMaxPoolGradTiling(JsonOf(tiling), "a.json");
  EXPECT_TRUE(
      DifferentFields(FieldsIn<MaxPool3DGradWithArgmaxTilingData>(), &read.data, &tiling.data).empty());
  EXPECT_EQ(read.split, tiling.split);
  ASSERT_TRUE(read.pooling.has_value());
  EXPECT_TRUE(
      DifferentFields(FieldsIn<MaxPool3DWithArgmaxTilingData>(), &read.pooling->data, &tiling.pooling->data)
          .empty());
  EXPECT_EQ(read.pooling->split, tiling.pooling->split);
  const std::vector<std::byte> bytes = ToBytes(tiling);
  ASSERT_EQ(bytes.size(), 336U + 368U);
  EXPECT_TRUE(std::ranges::equal(std::span(bytes).first(336), ToBytes(tiling.data)));
  EXPECT_TRUE(std::ranges::equal(std::span(bytes).subspan(336), ToBytes(tiling.pooling->data)));
  EXPECT_EQ(ToBytes(SecondPhaseOf(tiling)).size(), 336U);
}

TEST(MaxPoolGradTwoPhases, SayWhatIsWrongWithTheirText) {
  const auto told = [](const ordered_json& json) -> std::string {
    try {
      ParseMaxPoolGradTiling(Dump(json), "a.json");
    } catch (const UserError& error) {
      return error.what();
    }
    return "nothing";
  };
  const ordered_json right = ParseOrderedJson(JsonOf(Tiling()));
  EXPECT_EQ(told(right), "nothing");
  ordered_json wrong = right;
  wrong["pooling"] = 3;
  EXPECT_EQ(told(wrong), "a.json: section 'pooling' is a number, must be an object {...}");
  wrong["pooling"] = ordered_json::object();
  EXPECT_EQ(
      told(wrong),
      "a.json: pooling: section 'data' is missing; add \"data\": {...}; pooling: section 'split' is missing; "
      "add \"split\": {...}");
  wrong = right;
  wrong["pooling"]["data"].erase("partH");
  wrong["pooling"]["split"]["nan"] = "ignored";
  const std::string text = told(wrong);
  for (const char* part : {"a.json: pooling: split.nan = \"ignored\"; did you mean ignore?",
                           "; pooling: data.partH is missing; must be a whole number"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  wrong["split"]["cutD"] = "one";  // of both phases at once
  EXPECT_EQ(told(wrong),
            "a.json: split.cutD = \"one\" is a string, must be a whole number 0 to 9223372036854775807; " +
                text.substr(std::string("a.json: ").size()));
  wrong = right;
  wrong["poolings"] = wrong["pooling"];
  EXPECT_NE(told(wrong).find("unknown field 'poolings'; did you mean 'pooling'?"), std::string::npos)
      << told(wrong);
}

}  // namespace
}  // namespace tilesim
