// `run` with --strict-sync and --drop-sync: bugs in a tile program are told.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

// The tile program says by itself what the compiler would.
TEST(Run, NeedsNoSyncsOfTheCompiler) {
  for (const std::string mode : {"full", "functional", "timing"}) {
    const ProgramEnd end = RunProgram("run --strict-sync --mode " + mode + " --format json " + kTiny);
    EXPECT_EQ(end.code, 0) << end.out;
  }
  EXPECT_EQ(RunProgram("plan --strict-sync " + kTiny).code, 2);  // nothing runs
}

// Leaves out each synchronising call of the tile program in turn. Not every call matters in a case this
// small.
TEST(Run, ReportsPlantedBugs) {
  const ProgramEnd nowhere = RunProgram("run --drop-sync main.cpp:1 --format json " + kTiny);
  std::string sites = ParseJson(nowhere.out)["message"];
  sites.erase(0, sites.find("those of this run: ") + std::string("those of this run: ").size());
  std::set<std::string> lines;
  for (size_t begin = 0; begin < sites.size();) {  // "file.h:12 SetFlag, file.h:13 WaitFlag"
    const size_t end = std::min(sites.find(", ", begin), sites.size());
    lines.insert(sites.substr(begin, sites.find(' ', begin) - begin));
    begin = end + 2;
  }
  size_t found = 0;
  for (const std::string& line : lines) {
    const ProgramEnd end = RunProgram("run --format json --drop-sync " + line + " " + kTiny);
    const std::string verdict = ParseJson(end.out)["verdict"];
    EXPECT_TRUE(end.code == 0 ? verdict == "ok"
                              : end.code == 3 && (verdict == "hazard" || verdict == "fault"))
        << line << end.out;
    found += end.code == 3 ? 1 : 0;
  }
  EXPECT_GT(lines.size(), 10U) << sites;
  EXPECT_GE(2 * found, lines.size());
}

// One bug plants faults on many cores: the message has the first in full and counts the rest by kind; the
// JSON row and the folder have all.
TEST(Run, TellsTheFirstFaultAndKeepsAll) {
  const ScratchFolder folder;
  const std::string source = "ops/lib/conv_backprop/cube_operands.h";
  const std::vector<std::string> lines = Lines(ReadFile(source));
  const auto call = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("WaitFlag<AscendC::HardEvent::MTE1_M>") != std::string::npos;
  });
  ASSERT_NE(call, lines.end());
  const std::string bug = "--drop-sync cube_operands.h:" + std::to_string(call - lines.begin() + 1);
  const std::string options = " --output " + folder.path().string() + " --id bug " + bug +
                              " --op conv3d_backprop_filter --input 2x32x16x32x32 --filter 64x32x3x3x3";
  const ProgramEnd end = RunProgram("run --format json" + options);
  EXPECT_EQ(end.code, 3);
  const nlohmann::json row = ParseJson(end.out);
  const std::vector<std::string> message = Lines(row["message"]);
  ASSERT_EQ(message.size(), 3U) << row["message"];
  EXPECT_EQ(message[0], row["faults"][0]);
  const size_t all = row["faults"].size();
  EXPECT_EQ(message[1].find("that is the first of " + std::to_string(all) + ": "), 0U) << message[1];
  EXPECT_NE(message[1].find(" hazards, "), std::string::npos) << message[1];
  EXPECT_NE(message[1].find(" wrong flag; --output DIR keeps all"), std::string::npos) << message[1];
  EXPECT_EQ(message[2].find("the first that is no hazard: on 24 cores, first AIC 0, "), 0U) << message[2];
  EXPECT_NE(message[2].find("[flag]"), std::string::npos) << message[2];
  EXPECT_EQ(Lines(ReadFile(folder / "bug.faults.txt")), row["faults"].get<std::vector<std::string>>());
  const std::string good = options.substr(0, options.find(bug)) + options.substr(options.find(" --op"));
  EXPECT_EQ(RunProgram("run --quiet" + good).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "bug.faults.txt"));  // of an earlier run
}

}  // namespace
}  // namespace tilesim
