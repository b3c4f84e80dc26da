// `tilesim diff`: its rows, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kLayer = " --op conv3d_backprop_filter --input 2x32x4x16x16 --filter 64x32x3x3x3 --pad 1 ";

class Diff : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* planner : {"api", "op"}) {
      ASSERT_EQ(RunProgram("plan" + kLayer + "--planner " + planner + " --id " + planner + " --output " +
                           folder_.path().string())
                    .code,
                0);
    }
  }
  [[nodiscard]] std::string Of(const std::string& id) const { return folder_ / (id + ".tiling.json"); }

  ScratchFolder folder_;
};

TEST_F(Diff, HasTheCyclesThatRunPrintsForBoth) {
  const ProgramEnd end = RunProgram("diff --format json " + Of("api") + " " + Of("op") + kLayer);
  ASSERT_EQ(end.code, 0) << end.err;
  std::istringstream lines(end.out);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(ParseJson(line));
  }
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows.front()["what"], "first");
  EXPECT_EQ(rows.back()["what"], "second");
  for (const auto& [row, id] : {std::pair(rows.front(), "api"), std::pair(rows.back(), "op")}) {
    const ProgramEnd run = RunProgram("run --mode timing --format json --tiling " + Of(id) + kLayer);
    const nlohmann::json result = ParseJson(run.out);
    EXPECT_EQ(row["cycles"], result["cycles"]);
    EXPECT_EQ(row["time_us"], result["time_us"]);
    EXPECT_EQ(row["cores"], result["cores"]);
    EXPECT_EQ(row["gm_bytes"],
              result["gm_read_bytes"].get<int64_t>() + result["gm_write_bytes"].get<int64_t>());
  }
  for (const nlohmann::json& row : rows) {
    EXPECT_EQ(row["more_cycles"], row["cycles"].get<int64_t>() - rows.front()["cycles"].get<int64_t>());
  }
}

TEST_F(Diff, SaysWhenThereIsNone) {
  const ProgramEnd end = RunProgram("diff " + Of("op") + " " + Of("op") + kLayer);
  EXPECT_EQ(end.code, 0);
  EXPECT_THAT(end.err, HasSubstr("are the same tiling"));
}

TEST_F(Diff, TakesTwoFiles) {
  const ProgramEnd end = RunProgram("diff " + Of("op") + kLayer);
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("diff: 1 tiling file, takes two: A.json B.json"));
}

TEST_F(Diff, RefusesATilingThatDoesNotFitTheCase) {
  const ProgramEnd end = RunProgram("diff " + Of("op") + " " + Of("api") +
                                    " --op conv3d_backprop_filter --input 2x32x4x16x16 --filter "
                                    "128x32x3x3x3 --pad 1");
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("op.tiling.json does not fit the case: "));
  EXPECT_EQ(end.out, "");
}

TEST_F(Diff, RefusesAFileThatIsNotThere) {
  const ProgramEnd end = RunProgram("diff " + Of("op") + " nowhere.json" + kLayer);
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, StartsWith("tilesim: nowhere.json: no such tiling file"));
}

}  // namespace
}  // namespace tilesim
