#include "cli/arguments.h"

#include <gtest/gtest.h>

#include <set>

#include "cli/options.h"
#include "formats/error.h"
#include "ops/cases/case_file.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

Arguments Parse(std::vector<std::string> words, std::string_view command = "run") {
  return Arguments(FindCommand(command), words);
}

TEST(Arguments, TakeNegativeNumbersAsValues) {
  EXPECT_EQ(Parse({"--range", "-1:1"}).CaseColumnsGiven().at("range"), "-1:1");
  EXPECT_EQ(Parse({"--pad=-1"}).CaseColumnsGiven().at("pad"), "-1");
}

TEST(Arguments, TakeColumnsWithDashes) {
  EXPECT_EQ(Parse({"--filter-layout", "DHWIO"}).CaseColumnsGiven().at("filter_layout"), "DHWIO");
}

TEST(Arguments, TellTheOutputShapeFromTheFolder) {
  const Arguments both = Parse({"--output", "1x2x3x3x3", "--output", "results"});
  EXPECT_EQ(both.Text("output", ""), "results");
  EXPECT_EQ(both.CaseColumnsGiven().at("output"), "1x2x3x3x3");
  EXPECT_FALSE(Parse({"--output", "1x2x3x3x3"}).Has("output"));
  EXPECT_TRUE(Parse({"--output", "results"}).CaseColumnsGiven().empty());
  EXPECT_THROW(Parse({"--output", "a", "--output", "b"}), UserError);
}

TEST(Arguments, LetTheCommandLineWinOverTheFile) {
  const ScratchFolder folder;
  folder.Write("tilesim.ini",
               "# comment\nsoc = unit\nthreads = 2\nset = queue.m=4\nwindow = 1:2\nquiet = true\n");
  const Arguments arguments =
      Parse({"--config", folder / "tilesim.ini", "--soc", "ascend910b1", "--set", "queue.m=8"});
  EXPECT_EQ(arguments.Text("soc", ""), "ascend910b1");
  EXPECT_EQ(arguments.Whole("threads", 0, 1, 64), 2);
  EXPECT_EQ(arguments.All("set"), (std::vector<std::string>{"queue.m=4", "queue.m=8"}));
  EXPECT_FALSE(arguments.Has("window"));  // of another command
  EXPECT_TRUE(arguments.Has("quiet"));
}

TEST(Arguments, RefuseAnUnknownKeyOfTheFileByName) {
  const ScratchFolder folder;
  folder.Write("bad.ini", "socs = unit\n");
  try {
    Parse({"--config", folder / "bad.ini"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("unknown key 'socs'; did you mean soc?"), std::string::npos)
        << error.what();
  }
  folder.Write("worse.ini", "quiet = perhaps\n");
  EXPECT_THROW(Parse({"--config", folder / "worse.ini"}), UserError);
  folder.Write("no.ini", "just words\n");
  EXPECT_THROW(Parse({"--config", folder / "no.ini"}), UserError);
}

TEST(Arguments, RefuseAnEmptyValueOfEveryOption) {
  for (const Option& option : AllOptions()) {
    if (!option.BelongsTo("run") || option.value.empty() || option.name == "config") {
      continue;
    }
    try {
      Parse({Say("--", option.name), ""});
      ADD_FAILURE() << option.name << " may be empty";
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()).find(Say("--", option.name, " = '': must not be empty")), 0U)
          << error.what();
    }
  }
}

TEST(Options, AreOfCommandsThatAreThere) {
  std::set<std::string_view> commands;
  for (const Command& command : Commands()) {
    EXPECT_TRUE(commands.insert(command.name).second) << command.name;
  }
  for (const Option& option : AllOptions()) {
    EXPECT_FALSE(option.says.empty()) << option.name;
    std::string rest(option.commands);
    for (size_t begin = 0; begin < rest.size();) {
      const size_t end = std::min(rest.find(' ', begin), rest.size());
      EXPECT_TRUE(commands.contains(rest.substr(begin, end - begin))) << option.name;
      begin = end + 1;
    }
  }
}

TEST(Options, StandOnceInEachCommandsHelp) {
  for (const Command& command : Commands()) {
    std::set<std::string_view> seen;
    for (const Option& option : AllOptions()) {
      if (option.BelongsTo(command.name)) {
        EXPECT_TRUE(seen.insert(option.name).second) << command.name << " --" << option.name;
        EXPECT_NE(CommandHelp(command).find("  --" + std::string(option.name)), std::string::npos);
      }
    }
  }
}

TEST(Options, StandInTheDocs) {
  const std::string page = ReadFile("docs/cli.md");
  for (const Option& option : AllOptions()) {
    if (!option.case_column && option.name != "help") {
      EXPECT_NE(page.find("`--" + std::string(option.name)), std::string::npos) << option.name;
    }
  }
}

TEST(Options, HaveEveryColumnOfTheCaseFile) {
  for (const CaseColumn& column : CaseColumns()) {
    const Option* option = FindOption(column.name, "run");
    ASSERT_NE(option, nullptr) << column.name;
    EXPECT_TRUE(option->BelongsTo("run")) << column.name;
  }
}

}  // namespace
}  // namespace tilesim
