// What `plan` prints and writes, and which given tilings it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

TEST(Plan, PrintsTheVendorsStructs) {
  const ProgramEnd end = RunProgram("plan --planner api --format json --id mine " + kTiny);
  ASSERT_EQ(end.code, 0) << end.err;
  ASSERT_EQ(Lines(end.out).size(), 1U);
  const nlohmann::ordered_json plan = ParseOrderedJson(end.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : plan.items()) {
    keys.push_back(key);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"id", "legal", "planner", "reasons", "why", "tiling"}));
  EXPECT_EQ(plan["id"], "mine");
  EXPECT_EQ(plan["legal"], true);
  EXPECT_EQ(plan["planner"], "api");
  EXPECT_TRUE(plan["reasons"].is_array());
  EXPECT_FALSE(plan["why"].empty());  // why this tiling; reasons say what stops one, or what to heed
  for (const char* part : {"params", "dwTiling", "basicBlockTiling", "split"}) {
    EXPECT_TRUE(plan["tiling"][part].is_object()) << part;
  }
  EXPECT_EQ(plan["tiling"]["dwTiling"]["cout"], 16);
  EXPECT_EQ(RunProgram("plan --planner api --id mine " + kTiny).out, end.out);  // JSON is its default
}

TEST(Plan, WritesThe240Bytes) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("plan --binary " + folder / "tiling.bin" + " " + kTiny).code, 0);
  const std::string bytes = ReadFile(folder / "tiling.bin");
  ASSERT_EQ(bytes.size(), 240U);
}

TEST(Plan, GivesTilingsThatRunTakes) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("plan --planner api --id p --output " + folder.path().string() + " " + kTiny).code, 0);
  const auto cycles = [&](const std::string& options) {
    const ProgramEnd end = RunProgram("run --format json " + options + " " + kTiny);
    EXPECT_EQ(end.code, 0) << end.out << end.err;
    return ParseJson(end.out)["cycles"].get<int64_t>();
  };
  EXPECT_EQ(cycles("--tiling " + folder / "p.tiling.json"), cycles("--planner api"));
}

TEST(Plan, RefusesAGivenTilingThatDoesNotFit) {
  const ScratchFolder folder;
  nlohmann::json plan = ParseJson(RunProgram("plan --planner api " + kTiny).out);
  plan["tiling"]["dwTiling"]["baseM"] = 4096;
  folder.Write("bad.json", Dump(plan));
  for (const std::string command : {"run", "plan", "trace"}) {
    const ProgramEnd end = RunProgram(command + " --tiling " + folder / "bad.json" + " " + kTiny);
    EXPECT_EQ(end.code, 2) << command;
    EXPECT_NE((end.out + end.err).find("baseM"), std::string::npos) << command << end.out << end.err;
  }
  plan["tiling"]["dwTiling"].erase("baseM");
  folder.Write("worse.json", Dump(plan));
  const ProgramEnd end = RunProgram("run --tiling " + folder / "worse.json" + " " + kTiny);
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.out.find("baseM"), std::string::npos) << end.out;
}

TEST(Plan, GoesOnAfterARowThatIsRefused) {
  const ScratchFolder folder;
  folder.Write("broken.json", "{");
  folder.Write("cases.csv",
               "id,op,input,filter,stride,tiling_file\nodd,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,0,\n"
               "given,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,1,broken.json\n"
               "good,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,1,\n");
  const ProgramEnd end = RunProgram("plan --cases " + folder / "cases.csv");
  EXPECT_EQ(end.code, 2);
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 3U) << end.err;
  for (const size_t refused : {0, 1}) {
    const nlohmann::json plan = ParseJson(lines[refused]);
    EXPECT_EQ(plan["legal"], false);
    EXPECT_TRUE(plan["tiling"].is_null());
    EXPECT_EQ(plan["reasons"].size(), 1U);
  }
  EXPECT_EQ(ParseJson(lines[2])["legal"], true);
}

TEST(Plan, PrintsATableThatFitsALine) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter,stride,dtype\nodd,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,0,\n"
               "large,conv3d_backprop_filter,2x128x16x128x128,512x128x3x3x3,1,\n"
               "none,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,1,fp32\n");
  const ProgramEnd end = RunProgram("plan --planner api --format table --cases " + folder / "cases.csv");
  EXPECT_EQ(end.code, 2);
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_GE(lines.size(), 5U) << end.err;
  EXPECT_EQ(lines[0],
            "id     verdict    planner  cores  strategy        task             base MxNxK   step MxN KaxKb  "
            "copies  order");
  EXPECT_EQ(lines[1], "odd    refused    api");
  EXPECT_EQ(lines[2], "  " + folder / "cases.csv" +
                          ":2: row 1 (odd): stride = '0': each number must be at least 1; the default is 1");
  const auto row_of = [&](const std::string& id) {
    return *std::ranges::find_if(lines, [&](const std::string& line) { return line.find(id) == 0; });
  };
  EXPECT_EQ(row_of("large").find("large  legal      api "), 0U) << row_of("large");
  EXPECT_LE(row_of("large").size(), 110U);
  EXPECT_EQ(row_of("none"), "none   no_tiling  api");
}

TEST(Plan, HasTheColumnsOfEveryOperatorInCsv) {
  const ScratchFolder folder;
  folder.Write("c.csv",
               "id,op,input,filter\ndw,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1\n"
               "dx,conv3d_backprop_input,1x2x3x3x3,2x2x1x1x1\ny,max_pool3d,1x2x3x3x3,2\n"
               "pdx,max_pool3d_grad,1x2x3x3x3,2\n");
  const auto cells = [](const std::string& line) {  // those before the messages hold no comma
    std::vector<std::string> all;
    for (size_t begin = 0; begin <= line.size();) {
      const size_t end = std::min(line.find(',', begin), line.size());
      all.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    return all;
  };
  const ProgramEnd end = RunProgram("plan --format csv --cases " + folder / "c.csv");
  ASSERT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> lines = Lines(end.out);
  const std::vector<std::string> names = cells(lines.at(0));
  const auto tilings = Lines(RunProgram("plan --cases " + folder / "c.csv").out);
  const std::vector<std::vector<std::string>> own = {
      {"singleCoreCout", "baseM", "stepKa", "iterateOrder"},
      {"singleCoreM", "singleCoreCin", "baseN", "al1Pbuffer"},
      {"ncFactor", "dyFactor", "hyFactor", "wyFactor", "partH", "partW", "storeRows"},
      {"baseNc", "baseDo", "baseHo", "baseWo", "singleCoreDo", "cutD", "cutH", "cutW", "partDo", "partHo",
       "partWo", "outPoints", "xRows", "xTaps"}};
  for (size_t row = 0; row < own.size(); ++row) {
    const nlohmann::json tiling = ParseJson(tilings.at(row))["tiling"];
    for (const std::string& field : own[row]) {
      const auto column = static_cast<size_t>(std::ranges::find(names, field) - names.begin());
      ASSERT_LT(column, names.size()) << field;
      std::string expected;
      for (const auto& [section, fields] : tiling.items()) {
        if (section != "params" && section != "basicBlockTiling" && fields.contains(field)) {
          expected = Dump(fields[field]);
        }
      }
      EXPECT_EQ(cells(lines.at(row + 1)).at(column), expected) << field;
    }
  }
}

}  // namespace
}  // namespace tilesim
