#include "sim/soc/soc_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include "formats/error.h"
#include "sim/soc/load_soc.h"
#include "sim/soc/soc_file.h"
#include "sim/soc/soc_files.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

std::string Message(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no UserError)";
}

std::string FileText(std::string_view name) {
  std::ostringstream text;
  text << FindSoc(name).Open()->rdbuf();
  return text.str();
}

std::string Replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

// The path of a file with that text, named after the running test so that tests may run side by side.
std::string Written(const std::string& text) {
  const std::string path =
      Say(testing::TempDir(), testing::UnitTest::GetInstance()->current_test_info()->name(), ".cfg");
  std::ofstream(path) << text;
  return path;
}

std::string MessageOfFile(const std::string& text) {
  return Message([&] { (void)LoadSoc(Written(text)); });
}

std::string MessageOfSet(const std::vector<std::string>& overrides) {
  return Message([&] { (void)LoadSoc("unit", overrides); });
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(SocConfig, KnowsTheFilesOfTheConfigFolder) {
  const std::vector<std::string> expected = {"ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4",
                                             "unit"};
  EXPECT_EQ(KnownSocs(), expected);
}

// For programs that run where there is no folder.
TEST(SocConfig, HasTheTextOfEachFileBuiltIn) {
  const std::vector<std::filesystem::path> no_folders = {"no/such/folder", "none/either"};
  ASSERT_EQ(internal::KnownSocsOf(no_folders), KnownSocs());
  for (const std::string& name : KnownSocs()) {
    const SocSource built_in = internal::FindSocIn(no_folders, name);
    EXPECT_EQ(built_in.Where(), "built-in " + name);
    EXPECT_TRUE(built_in.IsThere());
    std::ostringstream text;
    text << built_in.Open()->rdbuf();
    EXPECT_EQ(text.str(), FileText(name)) << name;
    const SocConfig soc = LoadSoc(built_in);
    EXPECT_EQ(soc.name, name);
    EXPECT_EQ(SocValues(soc), SocValues(LoadSoc(name)));
  }
  EXPECT_HAS(Message([&] {
               (void)LoadSoc(internal::FindSocIn(no_folders, "unit"),
                             std::vector<std::string>{"gm.l1_core_bytes_per_cycle=1e9"});
             }),
             "built-in unit with --set: ");
  EXPECT_HAS(Message([&] { (void)internal::FindSocIn(no_folders, "ascend910b9"); }),
             "unknown SoC 'ascend910b9'; known SoCs: ascend910b1, ascend910b2");
}

TEST(SocConfig, TakesWhatHoldsASlashForAPathWhereThereIsNoFolder) {
  const std::vector<std::filesystem::path> no_folders = {"no/such/folder"};
  for (const std::string path : {"built-in/ascend910b2", "built-in/ascend910b2.cfg", "ascend910b2.cfg"}) {
    const SocSource source = internal::FindSocIn(no_folders, path);
    EXPECT_EQ(source.Where(), path);
    EXPECT_FALSE(source.IsThere());
    EXPECT_EQ(source.Open(), nullptr);
    EXPECT_HAS(Message([&] { (void)LoadSoc(path); }), path + ": cannot be read; give the name of a SoC");
  }
}

TEST(SocConfig, EachKnownFileLoadsAndBearsItsName) {
  for (const std::string& name : KnownSocs()) {
    EXPECT_EQ(LoadSoc(name).name, name);
  }
}

TEST(SocConfig, TheFourPartsHaveTheirPublishedSizes) {
  struct Part {
    std::string name;
    int64_t cores;
    double clock_mhz;
  };
  for (const Part& part : {Part{"ascend910b1", 24, 1850}, Part{"ascend910b2", 24, 1800},
                           Part{"ascend910b3", 20, 1800}, Part{"ascend910b4", 20, 1650}}) {
    const SocConfig soc = LoadSoc(part.name);
    EXPECT_EQ(soc.aic_cores, part.cores) << part.name;
    EXPECT_EQ(soc.clock_mhz, part.clock_mhz) << part.name;
    EXPECT_EQ(soc.l1_bytes, 512 * 1024) << part.name;
    EXPECT_EQ(soc.l0c_bytes, 128 * 1024) << part.name;
    EXPECT_EQ(soc.ub_bytes, 192 * 1024) << part.name;
  }
}

// cores * 8192 flops a cycle * clock is the published peak: 363.7, 353.9, 294.9 TFLOPS.
TEST(SocConfig, CubePeakFollowsFromTheFigures) {
  const auto peak_tflops = [](const SocConfig& soc) {
    const double flops = 2.0 * 16 * 16 * 16 / static_cast<double>(soc.mmad_fractal_cycles);
    return static_cast<double>(soc.aic_cores) * flops * soc.clock_mhz * 1e-6;
  };
  EXPECT_NEAR(peak_tflops(LoadSoc("ascend910b1")), 363.7, 0.1);
  EXPECT_NEAR(peak_tflops(LoadSoc("ascend910b2")), 353.9, 0.1);
  EXPECT_NEAR(peak_tflops(LoadSoc("ascend910b3")), 294.9, 0.1);
}

TEST(SocConfig, SharedRatesAreTheTerabytesASecondTheyCameFrom) {
  const auto hbm_tb_per_s = [](std::string_view name) {
    const SocConfig soc = LoadSoc(name);
    return soc.hbm_total_bytes_per_cycle * soc.clock_mhz * 1e-6;
  };
  EXPECT_NEAR(hbm_tb_per_s("ascend910b1"), 1.42, 0.005);
  EXPECT_NEAR(hbm_tb_per_s("ascend910b2"), 1.42, 0.005);
  EXPECT_NEAR(hbm_tb_per_s("ascend910b3"), 1.54, 0.005);
  EXPECT_NEAR(hbm_tb_per_s("ascend910b4"), 0.649, 0.005);
}

TEST(SocConfig, EachFigureCarriesItsProvenance) {
  for (const std::string& name : KnownSocs()) {
    std::istringstream lines(FileText(name));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] == '#' || line[0] == '[') {
        continue;
      }
      const std::string says = line.substr(std::min(line.find("# "), line.size()));
      const bool known = says.starts_with("# measured") || says.starts_with("# documented") ||
                         says.starts_with("# derived") || says.starts_with("# assumed");
      EXPECT_TRUE(known) << name << ": " << line;
    }
  }
}

TEST(SocConfig, KnowsTheProvenanceOfEachFigureOfAShippedFile) {
  for (const std::string& name : KnownSocs()) {
    const SocConfig soc = LoadSoc(name);
    std::istringstream help(SocParameterHelp());
    for (std::string line; std::getline(help, line);) {
      std::string key;
      std::istringstream(line) >> key;
      EXPECT_NE(soc.provenances.Of(key), Provenance::kGiven) << name << ": " << key;
    }
  }
  const SocConfig part = LoadSoc("ascend910b1");
  EXPECT_EQ(part.provenances.Of("cube.mmad_issue_cycles"), Provenance::kMeasured);
  EXPECT_EQ(part.provenances.Of("chip.clock_mhz"), Provenance::kDocumented);
  EXPECT_EQ(part.provenances.Of("launch.us"), Provenance::kDerived);
  EXPECT_EQ(part.provenances.Of("sync.cross_core_cycles"), Provenance::kAssumed);
}

TEST(SocConfig, WhatAUserGivesIsGiven) {
  const std::vector<std::string> set = {"cube.mmad_issue_cycles=3"};
  EXPECT_EQ(LoadSoc("unit", set).provenances.Of("cube.mmad_issue_cycles"), Provenance::kGiven);
  const std::string silent =
      Replaced(FileText("unit"), "mmad_issue_cycles = 1                       # assumed",
               "mmad_issue_cycles = 1 # as I like");
  const SocConfig soc = LoadSoc(Written(silent));
  EXPECT_EQ(soc.provenances.Of("cube.mmad_issue_cycles"), Provenance::kGiven);
  EXPECT_EQ(soc.provenances.Of("cube.mmad_latency_cycles"), Provenance::kAssumed);
}

TEST(SocConfig, FindsAFileByItsPath) {
  EXPECT_EQ(LoadSoc(Written(FileText("unit"))).name, "FindsAFileByItsPath");
  EXPECT_EQ(LoadSoc("configs/unit.cfg").l1_bytes, LoadSoc("unit").l1_bytes);
}

TEST(SocConfig, RefusesAnUnknownNameAndListsTheKnownOnes) {
  const std::string message = Message([] { (void)LoadSoc("ascend910b9"); });
  EXPECT_HAS(message, "unknown SoC 'ascend910b9'; known SoCs: ascend910b1, ascend910b2");
  EXPECT_HAS(message, "ends in .cfg");
}

TEST(SocConfig, RefusesAFileThatIsNotThereOrIsAFolder) {
  EXPECT_HAS(Message([] { (void)LoadSoc("no/such.cfg"); }), "no/such.cfg: cannot be read");
  EXPECT_HAS(Message([] { (void)LoadSoc("configs/"); }), "configs/: cannot be read");
}

TEST(SocConfig, OverridesWinOverTheFile) {
  const std::vector<std::string> set = {"memory.ub_bytes=65536", "gm.hbm_total_bytes_per_cycle=12.5",
                                        "numerics.ieee=1"};
  const SocConfig soc = LoadSoc("unit", set);
  EXPECT_EQ(soc.ub_bytes, 65536);
  EXPECT_EQ(soc.hbm_total_bytes_per_cycle, 12.5);
  EXPECT_EQ(soc.numerics_ieee, 1);
  EXPECT_EQ(soc.l1_bytes, LoadSoc("unit").l1_bytes);
}

TEST(SocConfig, AnOverrideMaySupplyAKeyTheFileLacks) {
  const std::string path = Written(Replaced(FileText("unit"), "ub_bytes = ", "# ub_bytes = "));
  const std::vector<std::string> set = {"memory.ub_bytes=4096"};
  EXPECT_EQ(LoadSoc(path, set).ub_bytes, 4096);
}

TEST(SocConfig, RefusesAnUnknownKeyAndNamesTheNearest) {
  EXPECT_HAS(
      MessageOfSet({"numerics.iee=1"}),
      "--set: unknown key 'numerics.iee'; did you mean numerics.ieee? `tilesim list parameters` shows all ");
  EXPECT_HAS(MessageOfFile("[memory]\nl3_bytes = 64\n" + FileText("unit")),
             "RefusesAnUnknownKeyAndNamesTheNearest.cfg:2: unknown key 'memory.l3_bytes'; did you mean "
             "memory.l1_bytes? `tilesim list parameters` shows all ");
}

TEST(SocConfig, NamesNoKeyWhereNoneIsLikeTheUnknownOne) {
  EXPECT_HAS(MessageOfSet({"colour=1"}), "--set: unknown key 'colour'; `tilesim list parameters` shows all ");
  EXPECT_HAS(MessageOfFile("\n[paint]\ncolour = 1\n" + FileText("unit")),
             "NamesNoKeyWhereNoneIsLikeTheUnknownOne.cfg:3: unknown key 'paint.colour'; `tilesim list "
             "parameters` shows all ");
}

TEST(SocConfig, ListsEveryMissingKey) {
  std::string text = Replaced(FileText("unit"), "ub_bytes = ", "# ub_bytes = ");
  text = Replaced(text, "clock_mhz = ", "# clock_mhz = ");
  EXPECT_HAS(MessageOfFile(text), "missing keys: chip.clock_mhz, memory.ub_bytes; add each");
  EXPECT_HAS(
      MessageOfFile(""),
      "queue.v, launch.us, launch.us_per_core, launch.start_us, launch.call_us, numerics.ieee; add each");
}

TEST(SocConfig, RefusesNegativeNumbers) {
  const std::string message = MessageOfFile(Replaced(FileText("unit"), "ub_bytes = 196608", "ub_bytes = -1"));
  EXPECT_HAS(message, "memory.ub_bytes = -1 bytes, must be at least 64");
  EXPECT_HAS(MessageOfSet({"gm.l1_core_bytes_per_cycle=-2"}), "must be at least 0.001");
}

TEST(SocConfig, BoundsHoldAtTheirEdges) {
  EXPECT_EQ(LoadSoc("unit", std::vector<std::string>{"chip.aic_cores=1"}).aic_cores, 1);
  EXPECT_HAS(MessageOfSet({"chip.aic_cores=0"}),
             "chip.aic_cores = 0 cores, must be at least 1 and at most 1024");
  EXPECT_EQ(LoadSoc("unit", std::vector<std::string>{"chip.aic_cores=1024"}).aic_cores, 1024);
  EXPECT_HAS(MessageOfSet({"chip.aic_cores=1025"}), "must be at least 1 and at most 1024");
  EXPECT_HAS(MessageOfSet({"memory.ub_bytes=65"}), "must be a multiple of 32");
}

TEST(SocConfig, L2HoldsTwoGroupsOfSectorsAtLeast) {
  EXPECT_HAS(MessageOfSet({"memory.l2_bytes=8192"}), "memory.l2_bytes = 8192 with l2.sector_bytes = 128");
  EXPECT_HAS(MessageOfSet({"memory.l2_bytes=15872"}), "must be at least 16384");
  EXPECT_EQ(LoadSoc("unit", std::vector<std::string>{"memory.l2_bytes=16384"}).l2_bytes, 16384);
}

TEST(SocConfig, LinesOfL2AreOneTo64Sectors) {
  for (const std::string text : {"l2.sector_bytes=1024", "l2.sector_bytes=96", "l2.line_bytes=4096"}) {
    const std::vector<std::string> set = {text, "l2.sector_bytes=32"};
    EXPECT_HAS(text[3] == 'l' ? MessageOfSet(set) : MessageOfSet({text}),
               "both must be powers of 2, and a line 1 to 64 sectors");
  }
  EXPECT_EQ(LoadSoc("unit", std::vector<std::string>{"l2.line_bytes=128"}).l2_line_bytes, 128);
}

// What bounds of time count on: a byte that misses L2 does not come sooner than one that hits.
TEST(SocConfig, APartOfARateIsNotAboveIt) {
  const std::pair<std::string, std::string> pairs[] = {
      {"gm.hbm_core_bytes_per_cycle", "gm.l1_core_bytes_per_cycle"},
      {"gm.hbm_ub_core_bytes_per_cycle", "gm.ub_core_bytes_per_cycle"},
      {"gm.hbm_total_bytes_per_cycle", "gm.l2_total_bytes_per_cycle"},
      {"gm.l1_core_bytes_per_cycle", "gm.l2_total_bytes_per_cycle"},
      {"gm.ub_core_bytes_per_cycle", "gm.l2_total_bytes_per_cycle"}};
  for (const auto& [less, more] : pairs) {
    const std::string bound = more == "gm.l2_total_bytes_per_cycle" ? "64" : "32";
    EXPECT_NO_THROW(LoadSoc("unit", std::vector<std::string>{less + "=" + bound})) << less;
    EXPECT_HAS(MessageOfSet({less + "=" + bound + ".5"}), " with --set: " + less + " = " + bound +
                                                              ".5, must be at most " + more + " = " + bound +
                                                              ": what comes from HBM passes L2");
  }
}

TEST(SocConfig, RefusesJunkByName) {
  for (const std::string text :
       {"", "abc", "12abc", "0x10", "1e3", "4.5", "+5", " 5", "99999999999999999999", "512 KB"}) {
    EXPECT_HAS(MessageOfSet({"memory.ub_bytes=" + text}),
               "--set: memory.ub_bytes = '" + text + "' is not a whole number");
  }
  for (const std::string text : {"", "fast", "1.5x"}) {
    EXPECT_HAS(MessageOfSet({"chip.clock_mhz=" + text}),
               "--set: chip.clock_mhz = '" + text + "' is not a number");
  }
  for (const std::string text : {"nan", "inf", "-inf"}) {
    EXPECT_HAS(MessageOfSet({"chip.clock_mhz=" + text}),
               "chip.clock_mhz = " + text + " MHz, must be at least");
  }
}

TEST(SocConfig, RefusesAKeyGivenTwice) {
  EXPECT_HAS(MessageOfFile("[memory]\nub_bytes = 64\n\nub_bytes = 64\n"),
             "RefusesAKeyGivenTwice.cfg:4: key 'memory.ub_bytes' stands in line 2 too; keep one of them");
  EXPECT_HAS(MessageOfSet({"chip.aic_cores=1", "chip.aic_cores=2"}),
             "--set: key 'chip.aic_cores' is given twice");
}

TEST(SocConfig, RefusesAnOverrideWithoutAKeyOrASign) {
  EXPECT_HAS(MessageOfSet({"chip.aic_cores"}), "--set chip.aic_cores: not of the form key=value");
  EXPECT_HAS(MessageOfSet({"=3"}), "--set =3: not of the form key=value");
}

TEST(SocConfig, RefusesALineThatIsNoSetting) {
  for (const std::string line :
       {"l1_bytes 12", "= 12", "[memory", "memory]", "[]", "[ ]", "\xEF\xBB\xBF[memory]"}) {
    EXPECT_HAS(MessageOfFile("[memory]\n  " + line + "  # measured: by me\n"),
               "RefusesALineThatIsNoSetting.cfg:2: '" + line +
                   "' is no line of a SoC file; lines are '[section]', 'key = value' or '# comment'");
  }
}

std::vector<SocSetting> Read(const std::string& text) {
  std::istringstream file(text);
  return ReadSocFile(file, "my.cfg");
}

TEST(SocFile, SettingsKeepTheOrderLineAndCommentOfTheFile) {
  const std::vector<SocSetting> settings = Read(
      "first=1\n# [not] = this\r\n\n [ memory ] # of a core\r\n\tub_bytes\t= 64 # derived, from above\r\n"
      "empty =#assumed\n[cube]\nname = a b = c # derivedly\nlast = 2");
  struct Expected {
    std::string key, value, where;
    Provenance provenance;
    std::string comment;
  };
  const std::vector<Expected> expected = {
      {"first", "1", "my.cfg:1", Provenance::kGiven, ""},
      {"memory.ub_bytes", "64", "my.cfg:5", Provenance::kDerived, "derived, from above"},
      {"memory.empty", "", "my.cfg:6", Provenance::kAssumed, "assumed"},
      {"cube.name", "a b = c", "my.cfg:8", Provenance::kGiven, "derivedly"},
      {"cube.last", "2", "my.cfg:9", Provenance::kGiven, ""}};
  ASSERT_EQ(settings.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(settings[i].key, expected[i].key);
    EXPECT_EQ(settings[i].value, expected[i].value) << expected[i].key;
    EXPECT_EQ(settings[i].where, expected[i].where) << expected[i].key;
    EXPECT_EQ(settings[i].provenance, expected[i].provenance) << expected[i].key;
    EXPECT_EQ(settings[i].comment, expected[i].comment) << expected[i].key;
  }
}

TEST(SocFile, NothingStandsInAnEmptyFile) {
  EXPECT_TRUE(Read("").empty());
  EXPECT_TRUE(Read("\n \n# nothing\n[section]").empty());
}

TEST(SocFile, AKeyMayStandInEachSection) {
  EXPECT_EQ(Read("[a]\nkey = 1\n[b]\nkey = 1\n").size(), 2u);
  EXPECT_HAS(Message([] { (void)Read("[a]\nkey = 1\n[b]\n[a]\nkey = 1\n"); }),
             "my.cfg:5: key 'a.key' stands in line 2");
}

TEST(SocConfig, BlanksInTheBracketsOfASectionMeanNothing) {
  const SocConfig soc =
      LoadSoc(Written(Replaced(FileText("unit"), "[memory]", "  [ memory\t]  # of a core")));
  EXPECT_EQ(SocValues(soc), SocValues(LoadSoc("unit")));
  EXPECT_EQ(soc.provenances, LoadSoc("unit").provenances);
}

TEST(SocConfig, HelpHasALineForEachKeyOfAFile) {
  std::istringstream lines(FileText("unit"));
  std::string section;
  int keys = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) {
      section = line.substr(1, line.find(']') - 1);
    } else if (const size_t end = line.find(" = "); end != std::string::npos && line[0] != '#') {
      EXPECT_HAS(SocParameterHelp(), "  " + section + "." + line.substr(0, end) + " ");
      ++keys;
    }
  }
  const std::string help = SocParameterHelp();
  EXPECT_EQ(std::ranges::count(help, '\n'), keys);
}

}  // namespace
}  // namespace tilesim
