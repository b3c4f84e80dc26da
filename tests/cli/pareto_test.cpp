// `tilesim tune --objective pareto`: a row and a file for each tiling of the front.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

using nlohmann::json;

const std::string kProduct = " --op matmul --m 128 --n 64 --k 64 --id L ";

class Pareto : public testing::Test {
 protected:
  // The rows of the front.
  std::vector<json> Front(const std::string& options) {
    const ProgramEnd end =
        RunProgram("tune --objective pareto --format json --output " + (folder_ / "o") + options);
    EXPECT_EQ(end.code, 0) << end.err;
    std::vector<json> rows;
    for (const std::string& line : Lines(end.out)) {
      rows.push_back(ParseJson(line));
    }
    return rows;
  }
  // The tiling of the n-th row.
  json TilingOf(size_t n) {
    const std::string number = n == 1 ? "" : "." + std::to_string(n);
    return ParseJson(ReadFile(folder_ / ("o/L.tiling" + number + ".json"))).at("tiling");
  }
  ScratchFolder folder_;
};

TEST_F(Pareto, EachRowSaysWhoseItsTilingIs) {
  std::map<json, std::string> planned;
  for (const std::string planner : {"api", "op"}) {
    planned[ParseJson(RunProgram("plan --planner " + planner + kProduct).out).at("tiling")] = planner;
  }
  const std::vector<json> rows = Front(kProduct + "--budget 10runs");
  ASSERT_GE(rows.size(), 2U);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto by = planned.find(TilingOf(i + 1));
    EXPECT_EQ(rows[i].at("from"), by != planned.end() ? by->second : "search") << i;
  }
}

// The id alone does not say that the file is of the case.
TEST_F(Pareto, AReportHasRowsOfItsOwnCaseOnly) {
  const size_t rows = Front(kProduct + "--budget 10runs").size();
  ASSERT_GE(rows, 2U);
  const auto report = [&](const std::string& options) {
    const ProgramEnd end = RunProgram("report --mode timing --pareto " + (folder_ / "o/tuned.csv") + options);
    EXPECT_EQ(end.code, 0) << end.err;
    return end;
  };
  const auto drawn = [](const ProgramEnd& end) { return end.out.find("\"pareto\":[{") != std::string::npos; };
  const ProgramEnd own = report(kProduct);
  EXPECT_EQ(own.err, "");
  EXPECT_TRUE(drawn(own));
  const ProgramEnd other = report(" --op matmul --m 128 --n 32 --k 64 --id L");
  EXPECT_EQ(other.err,
            "tilesim: L: --pareto " + (folder_ / "o/tuned.csv") +
                ":2: found n=64, needed n=32; rows that are not of this case, here " + std::to_string(rows) +
                ", are left out; give the tuned.csv that `tilesim tune --objective pareto --output DIR` "
                "wrote of it\n");
  EXPECT_FALSE(drawn(other));
}

TEST_F(Pareto, ARowOfAKnownTilingSaysThatItIsKnown) {
  // of one core, which no planner's is
  ASSERT_EQ(RunProgram("tune --budget 0 --cores 1 --kb-out " + (folder_ / "one.jsonl") + kProduct).code, 0);
  std::string record = ReadFile(folder_ / "one.jsonl");
  const std::string cores = "\"cores\":1,";
  record.replace(record.find(cores), cores.size(), "\"cores\":24,");
  folder_.Write("kb.jsonl", record);
  const std::vector<json> rows = Front(kProduct + "--budget 0 --kb " + (folder_ / "kb.jsonl"));
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows.front().at("from"), "op");
  EXPECT_EQ(rows.back().at("from"), "kb");
  EXPECT_EQ(rows.back().at("cores"), 1);
}

TEST_F(Pareto, LeavesNoTilingsOfAnEarlierRun) {
  const std::string output = " --output " + (folder_ / "o");
  ASSERT_GE(Front(kProduct + "--budget 10runs").size(), 2U);
  ASSERT_EQ(RunProgram("tune --budget 0 --op matmul --m 32 --n 32 --k 32 --id L.3" + output).code, 0);
  folder_.Write("o/L.tiling.4.txt", "{}");
  ASSERT_EQ(RunProgram("tune --budget 0" + kProduct + output).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "o/L.tiling.json"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o/L.tiling.2.json"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "o/L.3.tiling.json"));  // another case's
  EXPECT_TRUE(std::filesystem::exists(folder_ / "o/L.tiling.4.txt"));   // not of this program
}

TEST_F(Pareto, NoTwoTilingsHaveOneName) {
  folder_.Write("c.csv",
                "id,op,m,n,k\nL,matmul,128,64,64\nL.2,matmul,32,32,32\nL.tiling.2,matmul,16,16,16\n");
  const size_t rows = Front(" --budget 10runs --cases " + folder_ / "c.csv").size();
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "o")) {
    files += entry.path().extension() == ".json" ? 1 : 0;
  }
  EXPECT_EQ(files, rows);
  EXPECT_EQ(ParseJson(ReadFile(folder_ / "o/L.tiling.2.json")).at("id"), "L");
  EXPECT_EQ(ParseJson(ReadFile(folder_ / "o/L.2.tiling.json")).at("id"), "L.2");
}

}  // namespace
}  // namespace tilesim
