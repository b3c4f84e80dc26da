// `tilesim explain`: its rows add up, in every format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

using testing::HasSubstr;

const std::string kSmall = " --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 1 ";

std::vector<nlohmann::json> Rows(const std::string& arguments) {
  const ProgramEnd end = RunProgram("explain --format json" + arguments);
  EXPECT_EQ(end.code, 0) << end.err;
  std::istringstream lines(end.out);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(ParseJson(line));
  }
  return rows;
}

TEST(Explain, CausesOfEachPipeAndThePathAddUpToTheCycles) {
  for (const std::string& problem :
       {kSmall, std::string(" --op max_pool2d --input 2x70x15x16 --filter 3x3 --stride 2 --pad 1 "),
        std::string(" --op matmul --m 300 --n 500 --k 200 ")}) {
    SCOPED_TRACE(problem);
    std::map<std::string, int64_t> of_pipe;
    int64_t path = 0;
    int64_t all = 0;
    for (const nlohmann::json& row : Rows(problem)) {
      if (row["what"] == "all") {
        all = row["cycles"];
      } else if (row["what"] == "busy" || row["what"] == "idle") {
        of_pipe[row["of"]] += row["cycles"].get<int64_t>();
      } else if (row["what"] == "critical path") {
        path += row["cycles"].get<int64_t>();
      }
    }
    EXPECT_GT(all, 0);
    EXPECT_EQ(path, all);
    EXPECT_GE(of_pipe.size(), 4U);
    for (const auto& [pipe, cycles] : of_pipe) {
      EXPECT_EQ(cycles, all) << pipe;
    }
  }
}

TEST(Explain, TakesTheCyclesThatRunPrints) {
  const ProgramEnd run = RunProgram("run --mode timing --format json" + kSmall);
  EXPECT_EQ(Rows(kSmall)[0]["cycles"], ParseJson(run.out)["cycles"]);
}

TEST(Explain, FiguresOfEachKindAddUpToTheTime) {
  const auto parts = [](const std::string& options) {
    std::map<std::string, double> percents;
    for (const nlohmann::json& row : Rows(kSmall + options)) {
      if (row["what"] == "rests on") {
        percents[row["why"]] = row["percent"];
      }
    }
    return percents;
  };
  double all = 0;
  for (const auto& [figures, percent] : parts("")) {
    EXPECT_THAT(figures, HasSubstr(" figures"));
    all += percent;
  }
  EXPECT_NEAR(all, 100, 1e-9);
  EXPECT_FALSE(parts("").contains("given figures"));
  EXPECT_GT(parts("--set cube.mmad_issue_cycles=3 ")["given figures"], 0);
}

TEST(Explain, ATableHasTheVerdictAndPutsSmallPartsTogether) {
  const ProgramEnd end = RunProgram("explain" + kSmall);
  EXPECT_EQ(end.code, 0);
  EXPECT_THAT(end.out, HasSubstr("Bound by "));
  EXPECT_THAT(end.out, HasSubstr("smaller causes"));
  EXPECT_THAT(end.out, HasSubstr("at least"));
}

TEST(Explain, KeepsItsRowsAsCsv) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("explain --output " + folder.path().string() + kSmall).code, 0);
  EXPECT_THAT(ReadFile(folder / "explanation.csv"), HasSubstr("id,what,of,cycles,us,percent,why,sentence\n"));
}

TEST(Explain, RefusesWhatItCannotRun) {
  const ProgramEnd end =
      RunProgram("explain --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --pad 300");
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("pad"));
}

// The table puts small parts together; the file has everything, as CSV has.
TEST(Explain, KeepsTheSameRowsWhateverItPrints) {
  const ScratchFolder folder;
  const std::string options = "explain --quiet --op matmul --m 512 --n 512 --k 512 --output ";
  const ProgramEnd table = RunProgram(options + folder / "table");
  const ProgramEnd csv = RunProgram(options + folder / "csv" + " --format csv");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(ReadFile(folder / "table/explanation.csv"), csv.out);
  EXPECT_EQ(ReadFile(folder / "csv/explanation.csv"), csv.out);
  EXPECT_NE(table.out.find("smaller causes"), std::string::npos) << table.out;
  EXPECT_EQ(csv.out.find("smaller causes"), std::string::npos) << csv.out;
}

TEST(Explain, PrintsNoTableWhereThereIsNothingInIt) {
  const ProgramEnd end =
      RunProgram("explain --quiet --op max_pool2d --input 1x16x8x8 --filter 2 --planner api");
  EXPECT_NE(end.code, 0);
  EXPECT_EQ(end.out, "");
  EXPECT_FALSE(end.err.empty());
}

}  // namespace
}  // namespace tilesim
