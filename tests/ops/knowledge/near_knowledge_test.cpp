// Records that are near a case: which is the nearest, the tiling that is made of it, and the searches it
// seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/knowledge/model_version.h"
#include "ops/knowledge/near_plan.h"
#include "tests/ops/knowledge/knowledge_fixture.h"

namespace tilesim::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(Knowledge, FindsTheNearestCase) {
  const auto record = [](const std::string& column, const std::string& value) {
    KnowledgeRecord r = Tuned(With(kMatmul, column, value)).Record();
    r.origin.id = column + value;
    return r;
  };
  KnowledgeRecord other_model = record("m", "1001");
  other_model.origin.model = "0-0";
  const KnowledgeBase base =
      Base(LineOf(record("m", "4000")) + LineOf(record("m", "1100")) + LineOf(record("n", "1400")) +
           LineOf(record("dtype", "bf16")) + LineOf(other_model));
  const Tuned tuned(kMatmul);
  const std::string model = ModelVersion(Soc());
  ASSERT_NE(base.Nearest(*KeyOf(tuned.problem), Soc().name, 24, model), nullptr);
  EXPECT_EQ(base.Nearest(*KeyOf(tuned.problem), Soc().name, 24, model)->origin.id, "m1100");
  EXPECT_EQ(base.Nearest(*KeyOf(tuned.problem), Soc().name, 20, model), nullptr);
  EXPECT_EQ(base.Nearest(*KeyOf(Tuned(kFilter).problem), Soc().name, 24, model), nullptr);
}

TEST_F(Knowledge, KeepsApartProblemsOfAnotherKind) {
  const Tuned tuned(kPool);
  const std::string model = ModelVersion(Soc());
  for (const auto& [column, value] :
       {std::pair("filter", "2x2"), std::pair("stride", "1"), std::pair("dilation", "2"),
        std::pair("dtype", "bf16"), std::pair("layout", "NHWC"), std::pair("nan", "ignore")}) {
    const KnowledgeBase base = Base(LineOf(Tuned(With(kPool, column, value)).Record()));
    EXPECT_EQ(base.Nearest(*KeyOf(tuned.problem), Soc().name, tuned.cores, model), nullptr) << column;
  }
  const KnowledgeBase base = Base(LineOf(Tuned(With(kPool, "input", "1x70x30x16")).Record()));
  EXPECT_NE(base.Nearest(*KeyOf(tuned.problem), Soc().name, tuned.cores, model), nullptr);
}

// A gradient in two phases is one in two phases again, whatever the case's planner would take.
TEST_F(Knowledge, MakesBothPhasesOfANearTilingFit) {
  const Tuned near(With(kPoolGrad, "stride", "1"));
  ASSERT_TRUE(std::get<MaxPoolGradTiling>(near.plan.tiling).pooling.has_value());
  for (const char* const input : {"1x20x9x31x30", "2x64x3x4x5"}) {
    const Tuned tuned(With(With(kPoolGrad, "stride", "1"), "input", input));
    const std::optional<Plan> plan = NearPlan(near.Record(), tuned.problem, *tuned.op, Soc(), tuned.cores);
    ASSERT_TRUE(plan && plan->legal) << input;
    EXPECT_TRUE(std::get<MaxPoolGradTiling>(plan->tiling).pooling.has_value()) << input;
  }
}

TEST_F(Knowledge, MakesANearTilingFitTheCase) {
  const std::pair<CaseCells, const char*> cases[] = {
      {kFilter, "1x64x8x24x24"},   {kFilter, "2x32x2x5x7"},   {kInput, "1x48x6x30x31"},
      {kInput, "2x32x3x6x9"},      {kPool, "1x20x40x50"},     {kPool, "3x200x7x5"},
      {kPoolGrad, "1x20x9x31x30"}, {kPoolGrad, "2x64x3x4x5"}, {kPool, "1x300x200x300"}};
  for (const auto& [cells, input] : cases) {
    const Tuned near(cells);
    CaseCells other = With(cells, "input", input);
    if (other.at("op").starts_with("conv")) {  // as many channels come in
      const std::string channels = std::string(input).substr(2, std::string(input).find('x', 2) - 2);
      other["filter"] = "64x" + channels + "x3x3x3";
    }
    const Tuned tuned(other);
    const std::optional<Plan> plan = NearPlan(near.Record(), tuned.problem, *tuned.op, Soc(), tuned.cores);
    ASSERT_TRUE(plan) << other.at("op") << " " << input;
    EXPECT_TRUE(plan->legal);
  }
  const Tuned near(kMatmul);
  for (const auto& [m, n, k] : {std::tuple("2000", "100", "64"), std::tuple("17", "4000", "1000")}) {
    const Tuned tuned(With(With(With(kMatmul, "m", m), "n", n), "k", k));
    EXPECT_TRUE(NearPlan(near.Record(), tuned.problem, *tuned.op, Soc(), tuned.cores)) << m;
  }
}

TEST_F(Knowledge, SeedsASearchWithTheCaseItselfOrTheNearestOne) {
  const Tuned tuned(kPool);
  const Tuned other(With(kPool, "input", "2x70x17x18"));
  KnowledgeRecord old = tuned.Record();
  old.origin.model = "0-0";
  const auto from = [&](const std::string& lines) {
    const std::optional<TuneSeed> seed = SeedOf(Base(lines), tuned.problem, *tuned.op, Soc(), tuned.cores);
    return seed ? seed->from : "";
  };
  EXPECT_EQ(from(LineOf(other.Record()) + LineOf(tuned.Record())), "kb");
  EXPECT_EQ(from(LineOf(other.Record())), "near");
  EXPECT_EQ(from(LineOf(other.Record()) + LineOf(old)), "near");
  EXPECT_EQ(from(LineOf(old)), "");
  const auto passed_over = [&](const std::string& lines) {
    return WhyPassedOver(Base(lines), tuned.problem, Soc(), tuned.cores);
  };
  KnowledgeRecord old_other = other.Record();
  old_other.origin.model = "0-0";
  EXPECT_EQ(passed_over(LineOf(tuned.Record())), "");
  EXPECT_EQ(passed_over(LineOf(old_other) + LineOf(tuned.Record())), "");
  EXPECT_EQ(passed_over(""), "");
  EXPECT_THAT(passed_over(LineOf(other.Record()) + LineOf(old)),
              HasSubstr(":2: was tuned under model 0-0, this is " + ModelVersion(Soc())));
  EXPECT_THAT(passed_over(LineOf(old_other)), HasSubstr(":1: was tuned under model 0-0"));
  EXPECT_EQ(from(LineOf(Tuned(kMatmul).Record())), "");
}

// What another operator's, part's or farther record says of its model is nothing to this case.
TEST_F(Knowledge, SaysWhichRecordItWouldHaveBegunWithButForItsModel) {
  const Tuned tuned(kPool);
  const auto why = [&](const std::vector<KnowledgeRecord>& records) {
    std::string lines;
    for (const KnowledgeRecord& record : records) {
      lines += LineOf(record);
    }
    return WhyPassedOver(Base(lines), tuned.problem, Soc(), tuned.cores);
  };
  const auto old = [](KnowledgeRecord record) {
    record.origin.model = "0-0";
    return record;
  };
  const KnowledgeRecord near = Tuned(With(kPool, "input", "2x70x17x18")).Record();
  const KnowledgeRecord far = Tuned(With(kPool, "input", "2x70x34x36")).Record();
  const KnowledgeRecord product = Tuned(kMatmul).Record();
  EXPECT_THAT(why({product, old(far), old(near)}), HasSubstr(":3: was tuned under model 0-0"));
  EXPECT_THAT(why({far, old(near)}), HasSubstr(":2: was tuned under model 0-0"));
  EXPECT_EQ(why({old(far), near}), "");
  EXPECT_EQ(why({old(near), near}), "");
  EXPECT_EQ(why({old(product)}), "");
  KnowledgeRecord of_another_part = old(near);
  of_another_part.origin.soc = "ascend910b1";
  EXPECT_EQ(why({of_another_part}), "");
}

TEST(Model, VersionChangesWithEveryFigure) {
  const std::string version = ModelVersion(Soc());
  EXPECT_EQ(version, ModelVersion(LoadSoc("ascend910b2")));
  EXPECT_NE(version, ModelVersion(LoadSoc("ascend910b1")));
  for (const char* set :
       {"launch.us_per_core=0.07", "queue.mte1=9", "numerics.ieee=1", "chip.aic_cores=23"}) {
    const std::vector<std::string> sets = {set};
    EXPECT_NE(version, ModelVersion(LoadSoc("ascend910b2", sets))) << set;
  }
}

}  // namespace
}  // namespace tilesim::testing
