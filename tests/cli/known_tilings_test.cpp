// --kb: tilings looked up in a knowledge base.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ops/knowledge/knowledge_base.h"
#include "ops/knowledge/model_version.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

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
  const nlohmann::json plan = ParseJson(RunProgram("plan" + kCase + Kb()).out);
  EXPECT_EQ(plan["planner"], "kb");
  EXPECT_EQ(plan["tiling"]["matmulTiling"]["usedCoreNum"], 2);
  EXPECT_THAT(plan["why"][0].get<std::string>(), HasSubstr("kb.jsonl:1: 7 us; best of 3 (model "));
}

TEST_F(KnownTilings, AreRun) {
  const nlohmann::json known = ParseJson(RunProgram("compare --format json" + kCase + Kb()).out);
  EXPECT_EQ(known["verdict"], "ok");
  EXPECT_EQ(known["cores"], 2);
  EXPECT_EQ(known["planner"], "kb");
}

TEST_F(KnownTilings, AreToldFromOthersInTheTable) {
  const ProgramEnd known = RunProgram("run --mode timing" + kCase + Kb());
  EXPECT_THAT(Lines(known.out).at(1), HasSubstr("planner"));
  EXPECT_THAT(Lines(known.out).at(2), HasSubstr("kb"));
  EXPECT_THAT(RunProgram("run --mode timing" + kCase).out, testing::Not(HasSubstr("planner")));
}

// The planner that is asked for is for the cases that the base does not know.
TEST_F(KnownTilings, GoBeforeThePlannerThatIsAskedFor) {
  const auto planner = [&](const std::string& problem, const std::string& options) {
    return ParseJson(
        RunProgram("run --mode timing --format json " + options + problem + Kb()).out)["planner"];
  };
  const std::string other = " --op matmul --m 999 --n 700 --k 300 ";
  for (const std::string asked : {"op", "api"}) {
    EXPECT_EQ(planner(kCase, "--planner " + asked), "kb");
    EXPECT_EQ(planner(other, "--planner " + asked), asked);
  }
  EXPECT_EQ(planner(other, ""), "op");
}

TEST_F(KnownTilings, AreInAFileOfTheirOwnKind) {
  const auto error = [&](const std::string& options) {
    const ProgramEnd end = RunProgram("run --mode timing " + options + kCase);
    EXPECT_EQ(end.code, 2) << options;
    return end.out + end.err;
  };
  EXPECT_THAT(error("--kb " + (folder_ / "")), HasSubstr("is a folder, must be a knowledge base; "));
  ASSERT_EQ(RunProgram("plan --output " + (folder_ / "") + kCase).code, 0);
  const std::string tiling = folder_ / "case.tiling.json";
  EXPECT_THAT(
      error("--kb " + tiling),
      HasSubstr("case.tiling.json:1: no record of a knowledge base of this program: the file looks like a "
                "tiling; give a file that `tilesim tune --kb-out` wrote, or this one to --tiling"));
  EXPECT_THAT(
      error("--tiling " + (folder_ / "kb.jsonl")),
      HasSubstr("kb.jsonl: looks like a knowledge base, must be a tiling file; give the JSON that `tilesim "
                "plan` prints for this case, or this one to --kb"));
  folder_.Write("cases.csv", "id,op,m,n,k\n");
  EXPECT_THAT(error("--kb " + (folder_ / "cases.csv")), HasSubstr("looks like a table (CSV); give"));
  EXPECT_THAT(error("--tiling " + (folder_ / "cases.csv")),
              HasSubstr("looks like a table (CSV), must be a tiling"));
}

// Whatever the command, and however many cases there are.
TEST_F(KnownTilings, ThatCannotBeReadAreToldOnceBeforeTheFirstCase) {
  folder_.Write("cases.csv", "id,op,m,n,k\na,matmul,32,32,32\nb,matmul,64,32,32\n");
  folder_.Write("bad.jsonl", ReadFile(folder_ / "kb.jsonl") + "{\n");
  const std::string cases = " --cases " + (folder_ / "cases.csv") + " --kb ";
  for (const std::string command :
       {"tune --budget 1runs", "explain", "run --mode timing", "plan", "report"}) {
    for (const auto& [file, says] : {std::pair("none.jsonl", ": cannot be opened; give a file that "),
                                     std::pair("bad.jsonl", ":2: no record of a knowledge base of this"),
                                     std::pair("", ": is a folder, must be a knowledge base")}) {
      const ProgramEnd end = RunProgram(command + cases + (folder_ / file));
      EXPECT_EQ(end.code, 2) << command << " " << file;
      EXPECT_EQ(end.out, "") << command << " " << file;
      ASSERT_EQ(Lines(end.err).size(), 1U) << command << "\n" << end.err;
      EXPECT_EQ(end.err.find("tilesim: --kb " + (folder_ / file) + says), 0U) << end.err;
    }
  }
}

TEST_F(KnownTilings, OfAnEmptyBaseAreMissedOnce) {
  folder_.Write("cases.csv", "id,op,m,n,k\na,matmul,32,32,32\nb,matmul,64,32,32\n");
  folder_.Write("empty.jsonl", "\n");
  const std::string base = " --kb " + (folder_ / "empty.jsonl");
  for (const std::string command : {"tune --budget 1runs", "run --mode timing", "plan"}) {
    const std::string options = command + " --cases " + (folder_ / "cases.csv") + base;
    const ProgramEnd end = RunProgram(options);
    EXPECT_EQ(end.code, 0) << end.err;
    ASSERT_FALSE(Lines(end.err).empty()) << command;
    EXPECT_EQ(Lines(end.err)[0], "tilesim:" + base + ": has no record, as if it were not given");
    EXPECT_EQ(end.err.find("has no record", Lines(end.err)[0].size()), std::string::npos) << end.err;
    EXPECT_THAT(RunProgram(options + " --quiet").err, testing::Not(HasSubstr("has no record")));
  }
}

TEST_F(KnownTilings, LeaveOtherCasesToThePlanner) {
  const ProgramEnd end = RunProgram("plan --op matmul --m 999 --n 700 --k 300" + Kb());
  const nlohmann::json plan = ParseJson(end.out);
  EXPECT_EQ(plan["planner"], "op");
  EXPECT_THAT(plan["why"][0].get<std::string>(), HasSubstr("kb.jsonl has no record of the case on 24 cores"));
}

TEST_F(KnownTilings, SeedASearch) {
  const auto tuned = [&](const std::string& options) {
    const ProgramEnd end = RunProgram("tune --budget 0 --format json" + options + Kb());
    EXPECT_EQ(end.code, 0) << end.err;
    return ParseJson(end.out);
  };
  const nlohmann::json exact = tuned(kCase);
  EXPECT_THAT(exact["seed"].get<std::string>(), HasSubstr("exact "));
  EXPECT_GT(exact["seed_us"], exact["op_us"]);  // two cores
  EXPECT_EQ(exact["from"], "op");
  EXPECT_THAT(exact["sentence"].get<std::string>(), HasSubstr("kb.jsonl:1, "));
  const nlohmann::json near = tuned(" --op matmul --m 900 --n 700 --k 300 ");
  EXPECT_THAT(near["seed"].get<std::string>(), HasSubstr("near "));
  EXPECT_GT(near["seed_us"], 0);
  EXPECT_EQ(tuned(" --op matmul --m 900 --n 700 --k 300 --dtype bf16 ")["seed"], "");
}

TEST_F(KnownTilings, OfAnotherModelAreRefused) {
  const ProgramEnd end =
      RunProgram("run --mode timing --set cube.mmad_issue_cycles=11 --format json" + kCase + Kb());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.out, HasSubstr("kb.jsonl:1: was tuned under model "));
}

TEST_F(KnownTilings, OfAnotherModelDoNotSeedASearchAndItSaysSo) {
  const ProgramEnd end =
      RunProgram("tune --budget 0 --set cube.mmad_issue_cycles=11 --format json" + kCase + Kb());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(ParseJson(end.out)["seed"], "");
  EXPECT_THAT(end.err, HasSubstr("kb.jsonl:1: was tuned under model "));
}

TEST_F(KnownTilings, ExcludeATilingByHand) {
  const ProgramEnd both = RunProgram("run --tiling x.json" + kCase + Kb());
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--kb and --tiling exclude each other"));
}

}  // namespace
}  // namespace tilesim
