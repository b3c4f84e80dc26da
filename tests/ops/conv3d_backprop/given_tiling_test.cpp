// Tilings given by hand to both gradients, and how a planner's flags are told beside the rules they break.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ops/cases/case_file.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "tests/support/default_soc.h"
#include "tests/support/json_text.h"
#include "tiling/conv_backprop/gradient_api_planner.h"

namespace tilesim {
namespace {

constexpr int64_t kCores = 4;

class GivenTiling : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Case problem = ReadCase({{"op", GetParam()},
                                   {"input", "1x4x2x6x5"},
                                   {"filter", "4x2x1x3x2"},
                                   {"groups", "2"},
                                   {"stride", "1x2x1"}},
                                  1, "");
    op_ = MakeOperator(problem);
    tiling_ = ParseOrderedJson(JsonOf(op_->MakePlan(PlannerKind::kOp, Soc(), kCores).tiling));
    tiling_.erase("split");
  }

  [[nodiscard]] Plan Given(const nlohmann::ordered_json& tiling) const {
    return op_->GivenPlan(Dump(tiling), "tiling.json", Soc(), kCores);
  }

  std::unique_ptr<Operator> op_;
  nlohmann::ordered_json tiling_;
};

TEST_P(GivenTiling, WithoutASplitIsDealtOut) {
  const Plan plan = Given(tiling_);
  ASSERT_TRUE(plan.legal) << plan.reasons.front();
  EXPECT_GE(plan.UsedCores(), 1);
}

// Tasks are counted by division: a field of 0 has to be found before.
TEST_P(GivenTiling, WithAFieldOfZeroIsRefusedOrRuns) {
  int refused = 0;
  int run = 0;
  for (const auto& [section, fields] : tiling_.items()) {
    for (const auto& [field, value] : fields.items()) {
      SCOPED_TRACE(section + "." + field);
      nlohmann::ordered_json changed = tiling_;
      changed[section][field] = 0;
      const Plan plan = Given(changed);
      EXPECT_EQ(plan.legal, plan.reasons.empty());
      EXPECT_EQ(plan.planner, "given");
      if (plan.legal) {
        ++run;
        EXPECT_TRUE(TimeOperator(*op_, plan, Soc(), {}).completed);
      } else {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 30);
  EXPECT_GT(run, 3);  // what is 0 already
}

INSTANTIATE_TEST_SUITE_P(Gradients, GivenTiling,
                         ::testing::Values("conv3d_backprop_filter", "conv3d_backprop_input"),
                         [](const auto& test) { return test.param.substr(sizeof("conv3d_backprop")); });

TEST(WithNearest, TakesTheWordsOfTheSameFieldOrRuleOnly) {
  const RaisedFlag raised = {ApiFlag::kNoteSingleBuffer, {"single", "al1Pbuffer", 1, 2, "think"}};
  const Rejection elsewhere = {"another rule", "split.mDim", 1, 2, "2 fits"};
  const Rejection same_field = {"copies", "al1Pbuffer", 1, 2, "al1Pbuffer 2 fits"};
  const Rejection same_rule = {"single", "bl1Pbuffer", 1, 2, "bl1Pbuffer 2 fits"};
  const Rejection other_value = {"copies", "al1Pbuffer", 0, 2, "al1Pbuffer 2 fits"};
  for (const Rejection& same : {same_field, same_rule}) {
    Rejections rejections = {elsewhere, other_value, same};
    EXPECT_EQ(WithNearest(raised, rejections).why, same);
    EXPECT_EQ(rejections, (Rejections{elsewhere, other_value}));
    EXPECT_EQ(WithNearest(raised, rejections).why, raised.why);
    EXPECT_EQ(rejections, (Rejections{elsewhere, other_value})) << "told by itself";
  }
}

}  // namespace
}  // namespace tilesim
