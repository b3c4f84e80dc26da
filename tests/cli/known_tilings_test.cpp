// --kb: tilings looked up in a knowledge base.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ops/knowledge/knowledge_base.h"
#include "ops/knowledge/model_version.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

using testing::HasSubstr;

const std::string kCase = " --op matmul --m 1000 --n 700 --k 300 ";

class KnownTilings : public testing::Test {
 protected:
  // The plan for two cores as if it were the best of 24: other than the planner's, so that it is known again.
  void SetUp() override {
    const SocConfig soc = LoadSoc("ascend910b2");
    const Case problem = ReadCase({{"op", "matmul"}, {"m", "1000"}, {"n", "700"}, {"k", "300"}}, 0, "");
    const std::unique_ptr<Operator> op = MakeOperator(problem);
    const Plan plan = op->MakePlan(PlannerKind::kOp, soc, 2);
    KnowledgeRecord record = {.key = *KeyOf(problem), .tiling = PartsOf(problem, plan.tiling), .origin = {}};
    record.origin.soc = soc.name;
    record.origin.cores = CoresOf(*op, soc);
    record.origin.model = ModelVersion(soc);
    record.origin.objective = "time";
    record.origin.time_us = 7;
    record.origin.sentence = "best of 3";
    folder_.Write("kb.jsonl", LineOf(record));
  }
  [[nodiscard]] std::string Kb() const { return " --kb " + (folder_ / "kb.jsonl"); }

  ScratchFolder folder_;
};

TEST_F(KnownTilings, ArePrintedByPlan) {
  const nlohmann::json plan = nlohmann::json::parse(RunProgram("plan" + kCase + Kb()).out);
  EXPECT_EQ(plan["planner"], "kb");
  EXPECT_EQ(plan["tiling"]["matmulTiling"]["usedCoreNum"], 2);
  EXPECT_THAT(plan["why"][0].get<std::string>(), HasSubstr("kb.jsonl:1: 7 us; best of 3 (model "));
}

TEST_F(KnownTilings, AreRun) {
  const nlohmann::json known = nlohmann::json::parse(RunProgram("compare --format json" + kCase + Kb()).out);
  EXPECT_EQ(known["verdict"], "ok");
  EXPECT_EQ(known["cores"], 2);
}

TEST_F(KnownTilings, LeaveOtherCasesToThePlanner) {
  const ProgramEnd end = RunProgram("plan --op matmul --m 999 --n 700 --k 300" + Kb());
  const nlohmann::json plan = nlohmann::json::parse(end.out);
  EXPECT_EQ(plan["planner"], "op");
  EXPECT_THAT(plan["why"][0].get<std::string>(), HasSubstr("kb.jsonl has no record of the case on 24 cores"));
}

TEST_F(KnownTilings, OfAnotherModelAreRefused) {
  const ProgramEnd end =
      RunProgram("run --mode timing --set cube.mmad_issue_cycles=11 --format json" + kCase + Kb());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.out, HasSubstr("kb.jsonl:1: was tuned under model "));
}

TEST_F(KnownTilings, ExcludeATilingByHand) {
  const ProgramEnd both = RunProgram("run --tiling x.json" + kCase + Kb());
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--kb and --tiling exclude each other"));
}

}  // namespace
}  // namespace tilesim
