// What the report's page is told, and the profiler's CSV files beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/report/html_page.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

using Json = nlohmann::json;

// The data of a page: what stands in its element of type application/json.
Json DataOf(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t at = page.find(begin);
  EXPECT_NE(at, std::string::npos);
  const size_t from = at + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

Json ReportOf(const std::string& arguments) {
  const ProgramEnd end = RunProgram("report --quiet " + arguments);
  EXPECT_EQ(end.code, 0) << end.err;
  return DataOf(end.out).at("cases").at(0);
}

int64_t Sum(const Json& parts) {
  int64_t sum = 0;
  for (const Json& part : parts) {
    sum += part.at("cycles").get<int64_t>();
  }
  return sum;
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += letter;
    }
  }
  return cells;
}

TEST(Report, GivesEveryCycleOfEveryPipeOneCause) {
  const Json report = ReportOf("--id mine " + kTiny);
  EXPECT_EQ(report.at("id"), "mine");
  EXPECT_EQ(report.at("verdict"), "ok");
  EXPECT_TRUE(report.at("comparison").at("equal"));
  EXPECT_FALSE(report.at("sentence").get<std::string>().empty());
  const int64_t cycles = report.at("cycles");
  EXPECT_GE(report.at("stalls").size(), 5U);
  for (const Json& pipe : report.at("stalls")) {
    EXPECT_EQ(Sum(pipe.at("parts")), cycles) << pipe.at("pipe");
  }
  EXPECT_EQ(Sum(report.at("path")), cycles);
}

TEST(Report, TheLaunchAndTheLargestOtherBoundMakeTheBoundOfTheProblem) {
  const Json report = ReportOf(kTiny + "--mode timing");
  const Json& bounds = report.at("bounds");
  ASSERT_EQ(bounds.size(), 4U);
  EXPECT_EQ(bounds.at(0).at("of"), "launch");
  double largest = 0;
  for (size_t i = 1; i < bounds.size(); ++i) {
    largest = std::max(largest, bounds.at(i).at("time_us").get<double>());
  }
  EXPECT_NEAR(bounds.at(0).at("time_us").get<double>() + largest, report.at("lower_bound_us").get<double>(),
              1e-9);
  EXPECT_GE(report.at("bound_cores").get<int>(), 1);
}

TEST(Report, DrawsEveryInstructionOfAShortLaunch) {
  const Json report = ReportOf(kTiny + "--mode timing");
  EXPECT_FALSE(report.contains("comparison"));
  const Json& timeline = report.at("timeline");
  const int64_t cycles = timeline.at("cycles");
  const Json& core = timeline.at("cores").at(0);
  EXPECT_EQ(core.at("left_out"), 0);
  std::map<int64_t, int64_t> free_from;  // by pipe
  std::map<int64_t, int64_t> busy;
  for (const Json& run : core.at("runs")) {
    ASSERT_EQ(run.size(), 11U);
    const int64_t pipe = run[1];
    EXPECT_LE(run[6], run[7]);  // issued, ready, start, free, done
    EXPECT_LE(run[7], run[8]);
    EXPECT_LE(run[8], run[9]);
    EXPECT_LE(run[9], run[10]);
    EXPECT_LE(run[9], cycles);
    EXPECT_GE(run[8], free_from[pipe]);
    free_from[pipe] = run[9];
    busy[pipe] += run[9].get<int64_t>() - run[8].get<int64_t>();
    for (const int text : {2, 3, 4, 5}) {
      EXPECT_LT(run[static_cast<size_t>(text)], timeline.at("texts").size());
    }
  }
  for (const Json& lane : core.at("lanes")) {  // the overview says as much as the instructions do
    const auto bins = std::ssize(lane.at("busy"));
    double told = 0;  // cycles
    for (int64_t bin = 0; bin < bins; ++bin) {
      const int64_t width = (bin + 1) * cycles / bins - bin * cycles / bins;
      told += lane.at("busy")[static_cast<size_t>(bin)].get<double>() / 100 * static_cast<double>(width);
    }
    const auto meant = static_cast<double>(busy[lane.at("pipe").get<int64_t>()]);
    EXPECT_NEAR(told, meant, 0.006 * static_cast<double>(cycles)) << lane.at("name");
  }
  int64_t at = 0;
  for (const Json& stretch : timeline.at("path")) {
    EXPECT_EQ(stretch[0], at);
    at = stretch[1];
  }
  EXPECT_EQ(at, cycles);
}

TEST(Report, KeepsToItsNumberOfInstructionsAndItsWindow) {
  const Json few = ReportOf(kTiny + "--mode timing --events 12").at("timeline");
  int64_t drawn = 0;
  int64_t left_out = 0;
  for (const Json& core : few.at("cores")) {
    drawn += std::ssize(core.at("runs"));
    left_out += core.at("left_out").get<int64_t>();
  }
  EXPECT_LE(drawn, 12);
  EXPECT_GT(drawn, 0);
  EXPECT_GT(left_out, 0);
  EXPECT_LT(few.at("to"), few.at("cycles"));
  const Json window = ReportOf(kTiny + "--mode timing --window 300:900").at("timeline");
  EXPECT_EQ(window.at("from"), 300);
  EXPECT_EQ(window.at("to"), 900);
  EXPECT_GT(window.at("cores").at(0).at("runs").size(), 0U);
  for (const Json& run : window.at("cores").at(0).at("runs")) {
    EXPECT_LT(run[8], 900);
    EXPECT_GE(run[9], 300);
  }
}

TEST(Report, IsRefusedWithoutTimeOrWithABadWindow) {
  EXPECT_EQ(RunProgram("report --mode functional " + kTiny).code, 2);
  EXPECT_NE(RunProgram("report --mode functional " + kTiny).err.find("full or timing"), std::string::npos);
  EXPECT_EQ(RunProgram("report --window 5:1 " + kTiny).code, 2);
  EXPECT_NE(
      RunProgram("report --mode timing --window 900000:900001 " + kTiny).err.find("after the end of the run"),
      std::string::npos);
  // before the values are computed and compared: the direct loop alone would take minutes here
  EXPECT_NE(RunProgram("report --window 900000000:900000001 --op matmul --m 4096 --n 4096 --k 4096")
                .err.find("after the end of the run"),
            std::string::npos);
  EXPECT_EQ(RunProgram("report --format csv " + kTiny).code, 2);
  EXPECT_EQ(RunProgram("report --drop-sync a.h:1 " + kTiny).code, 2);
}

// In a batch the window is for all cases: one that ends before has an empty part, and its values all the
// same.
TEST(Report, AWindowBehindOneCaseOfABatchRefusesNone) {
  const ScratchFolder folder;
  folder.Write("two.csv", "id,op,dtype,input\nshort,copy,fp16,64\nlong,copy,fp16,4096x512\n");
  const ProgramEnd end = RunProgram("report --quiet --window 2000:3000 --output " + folder.path().string() +
                                    " --format csv --cases " + folder / "two.csv");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  EXPECT_NE(end.out.find("short,ok,"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("long,ok,"), std::string::npos) << end.out;
  const Json cases =
      DataOf(RunProgram("report --quiet --window 2000:3000 --cases " + folder / "two.csv").out).at("cases");
  const Json& timeline = cases.at(0).at("timeline");
  EXPECT_EQ(timeline.at("from"), timeline.at("cycles"));
  EXPECT_EQ(timeline.at("to"), timeline.at("cycles"));
  EXPECT_EQ(timeline.at("cores").at(0).at("runs").size(), 0U);
  EXPECT_TRUE(cases.at(0).at("comparison").at("equal"));
  EXPECT_GT(cases.at(1).at("timeline").at("cores").at(0).at("runs").size(), 0U);
}

TEST(Report, PutsABatchOnOnePageWithWhatWasRefused) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter,pad\n"
               "a,conv3d_backprop_filter,1x16x4x6x8,16x16x3x3x3,1\n"
               "</script><b>,conv3d_backprop_filter,1x16x4x6x8,16x16x3x3x3,1\n"
               "b,conv3d_backprop_input,1x16x4x6x8,16x16x3x3x3,1\n");
  const ProgramEnd end =
      RunProgram("report --quiet --mode timing --cases cases.csv --output out", folder.path().string());
  EXPECT_EQ(end.code, 2) << end.err;  // a '/' in an id
  const std::string page = ReadFile(folder / "out/report.html");
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  const Json cases = DataOf(page).at("cases");
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[1].at("id"), "</script><b>");
  EXPECT_EQ(cases[1].at("verdict"), "refused");
  EXPECT_FALSE(cases[1].contains("timeline"));
  EXPECT_EQ(cases[2].at("verdict"), "ok");
  EXPECT_TRUE(std::filesystem::exists(folder / "out/OPPROF_b/PipeUtilization.csv"));
}

TEST(ReportPage, HoldsNamesAsTextAndAsksForNothing) {
  const std::string nasty = "</script><script>alert(1)</script>&\"'\xe2\x80\xa8";
  const nlohmann::ordered_json report = {
      {"title", nasty}, {"cases", {{{"id", nasty}, {"verdict", "refused"}, {"message", nasty}}}}};
  const std::string page = HtmlPage(report);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("\xe2\x80\xa8", page.find("id=\"data\"")), std::string::npos);
  EXPECT_EQ(DataOf(page).at("cases").at(0).at("id"), nasty);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* const outside :
       {"src=\"http", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST(Msprof, TablesAddUpToTheSameCycles) {
  const ScratchFolder folder;
  const ProgramEnd end = RunProgram("report --quiet --mode timing --id tiny --cores 2 --output out " + kTiny,
                                    folder.path().string());
  ASSERT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> rows = Lines(ReadFile(folder / "out/OPPROF_tiny/PipeUtilization.csv"));
  ASSERT_GE(rows.size(), 2U);
  const std::vector<std::string> head = Cells(rows[0]);
  std::map<std::string, std::string> first;
  const std::vector<std::string> cells = Cells(rows[1]);
  ASSERT_EQ(cells.size(), head.size());
  for (size_t i = 0; i < head.size(); ++i) {
    first[head[i]] = cells[i];
  }
  EXPECT_EQ(first.at("block_id"), "0");
  EXPECT_EQ(first.at("sub_block_id"), "cube0");
  EXPECT_EQ(first.at("aiv_vec_ratio"), "NA");
  const double total = std::stod(first.at("aic_total_cycles"));

  const std::map<std::string, std::string> column_of = {
      {"CUBE", "aic_cube"}, {"MTE1", "aic_mte1"}, {"MTE2", "aic_mte2"}, {"FIXP", "aic_fixpipe"}};
  std::map<std::string, double> cycles;
  int64_t of_lines = 0;
  int64_t of_instructions = 0;
  double of_calls = 0;
  const std::string core = "out/OPPROF_tiny/simulator/core0.cubecore0/core0.cubecore0";
  const std::vector<std::string> instructions = Lines(ReadFile(folder / (core + "_instr_exe.csv")));
  EXPECT_EQ(instructions.at(0), "instr,addr,pipe,call_count,cycles,running_time(us),detail");
  for (size_t i = 1; i < instructions.size(); ++i) {
    const std::vector<std::string> row = Cells(instructions[i]);
    ASSERT_EQ(row.size(), 7U) << instructions[i];
    cycles[row[2]] += std::stod(row[4]);
    of_instructions += std::stoll(row[4]);
    of_calls += std::stod(row[3]);
    EXPECT_GE(std::stoll(row[3]), 1);
    EXPECT_NE(row[1].find(".h:"), std::string::npos);
  }
  // the scalar unit is busy issuing, too: at least a cycle an instruction
  EXPECT_GE(std::stod(first.at("aic_scalar_ratio")) * total, of_calls);
  EXPECT_LT(std::stod(first.at("aic_scalar_ratio")), 1);
  for (const auto& [pipe, column] : column_of) {
    EXPECT_NEAR(cycles[pipe] / total, std::stod(first.at(column + "_ratio")), 1e-5) << pipe;
    EXPECT_GT(cycles[pipe], 0) << pipe;
  }
  for (const std::string& line : Lines(ReadFile(folder / (core + "_code_exe.csv")))) {
    const std::vector<std::string> row = Cells(line);
    of_lines += row[0] == "code" ? 0 : std::stoll(row.at(2));
  }
  EXPECT_EQ(of_lines, of_instructions);
}

}  // namespace
}  // namespace tilesim
