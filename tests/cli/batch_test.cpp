// `run` and `compare`: rows, files, verdicts, and what is left after Ctrl-C.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/npy.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

constexpr const char* kCases = "tests/data/oracle/conv3d_backprop_filter.csv";

// The rows without host_ms, which differs from run to run.
std::vector<nlohmann::json> Rows(const std::string& json_lines) {
  std::vector<nlohmann::json> rows;
  for (const std::string& line : Lines(json_lines)) {
    rows.push_back(nlohmann::json::parse(line));
    rows.back().erase("host_ms");
  }
  return rows;
}

TEST(Run, HasTheseColumns) {
  const ProgramEnd end = RunProgram("run --format csv " + kTiny);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.err, "");
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "id,op,dtype,soc,cores,cycles,time_us,lower_bound_us,efficiency,bound_by,mac_ratio,mte1_ratio,"
            "mte2_ratio,"
            "mte3_ratio,fixpipe_ratio,vec_ratio,scalar_ratio,gm_read_bytes,gm_write_bytes,l2_hit_ratio,"
            "hazards,verdict,"
            "mere,mare,max_error_over_bound,host_ms,error_us_percent,message");
}

TEST(Run, FillsCellsByMode) {
  const auto row = [](const std::string& options) {
    return nlohmann::json::parse(RunProgram("run --format json " + options + " " + kTiny).out);
  };
  const nlohmann::json full = row("");
  EXPECT_GT(full["cycles"], 0);
  EXPECT_GE(full["time_us"].get<double>(), full["lower_bound_us"].get<double>());
  EXPECT_EQ(full["verdict"], "ok");
  EXPECT_TRUE(full["mere"].is_null());
  EXPECT_EQ(row("--mode timing")["cycles"], full["cycles"]);
  EXPECT_TRUE(row("--mode functional")["cycles"].is_null());
  EXPECT_EQ(row("--soc unit")["soc"], "unit");
  EXPECT_EQ(row("--cores 2")["cores"], 2);
}

TEST(Run, DoesNotDependOnThreads) {
  const ScratchFolder one;
  const ScratchFolder two;
  const std::string all = std::string("compare --format json --cases ") + kCases + " --output ";
  const ProgramEnd first = RunProgram(all + one.path().string() + " --threads 1");
  const ProgramEnd second = RunProgram(all + two.path().string() + " --threads 2");
  EXPECT_EQ(first.code, 0) << first.out;
  EXPECT_EQ(Rows(first.out), Rows(second.out));
  size_t tensors = 0;
  for (const auto& entry : std::filesystem::directory_iterator(one.path())) {
    if (entry.path().extension() == ".npy") {
      ++tensors;
      EXPECT_EQ(ReadFile(entry.path().string()), ReadFile(two / entry.path().filename().string()))
          << entry.path();
    }
  }
  EXPECT_EQ(tensors, Rows(first.out).size());
}

TEST(Run, WritesResultsOnlyWhereAsked) {
  const ScratchFolder folder;
  const ProgramEnd end =
      RunProgram("run --id mine --output results --format csv " + kTiny, folder.path().string());
  ASSERT_EQ(end.code, 0) << end.err;
  const Layout layout(Format::kOIDHW, {16, 16, 3, 3, 3});
  EXPECT_EQ(ReadNpyHeader(folder / "results/mine.dw.npy").shape, layout.StorageShape());
  EXPECT_EQ(ReadFile(folder / "results/results.csv"), end.out);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / "results")) {
    ++files;
  }
  EXPECT_EQ(files, 2U);
}

TEST(Run, OrdersBySize) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter\nlarge,conv3d_backprop_filter,1x16x4x9x9,16x16x3x3x3\n"
               "bad,conv3d_backprop_filter,1x16x4x9x9,16x16x5x5x5\nsmall,conv3d_backprop_filter,1x2x3x3x3,"
               "2x2x1x1x1\n");
  const auto ids = [&](const std::string& options) {
    std::string joined;
    for (const nlohmann::json& row :
         Rows(RunProgram("run --format json " + options + "--cases " + folder / "cases.csv").out)) {
      joined += row["id"].get<std::string>() + " ";
    }
    return joined;
  };
  EXPECT_EQ(ids(""), "large bad small ");
  EXPECT_EQ(ids("--order size "), "bad small large ");
  EXPECT_EQ(ids("--id small,large "), "large small ");
}

TEST(Run, KeepsARowsOwnSoc) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "op,input,filter,soc\nconv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,unit\n"
               "conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,\n");
  const auto rows =
      Rows(RunProgram("run --format json --soc ascend910b3 --cases " + folder / "cases.csv").out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["soc"], "unit");
  EXPECT_EQ(rows[1]["soc"], "ascend910b3");
  EXPECT_EQ(rows[1]["id"], "2");
}

TEST(Compare, AgreesWithOtherPrograms) {
  const ProgramEnd end = RunProgram(std::string("compare --format json --cases ") + kCases);
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  for (const nlohmann::json& row : Rows(end.out)) {
    EXPECT_EQ(row["verdict"], "ok") << row;
    EXPECT_LE(row["max_error_over_bound"].get<double>(), 1) << row;
  }
}

TEST(Compare, TellsWhereAndWhoWrote) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("run --quiet --output " + folder.path().string() + " " + kTiny).code, 0);
  const std::string path = folder / "case.dw.npy";
  const Layout layout(Format::kOIDHW, {16, 16, 3, 3, 3});
  Tensor dw = ReadNpy(path, DType::kFp32, layout);
  dw.Set({3, 5, 1, 2, 0}, dw.Get({3, 5, 1, 2, 0}) + 1);
  dw.Set({4, 0, 0, 0, 0}, dw.Get({4, 0, 0, 0, 0}) + 2);
  WriteNpy(path, dw);
  const ProgramEnd end = RunProgram("compare --format json --expected_file " + path + " " + kTiny);
  EXPECT_EQ(end.code, 1) << end.err;
  const nlohmann::json row = nlohmann::json::parse(end.out);
  EXPECT_EQ(row["verdict"], "mismatch");
  const std::string message = row["message"];
  EXPECT_NE(message.find("2 of 6912 elements differ"), std::string::npos) << message;
  EXPECT_NE(message.find("\nfirst (o=3, i=5, d=1, h=2, w=0): found "), std::string::npos) << message;
  EXPECT_NE(message.find("\nworst (o=4, i=0, d=0, h=0, w=0): found "), std::string::npos) << message;
  const size_t found = message.find("found ") + 6;
  EXPECT_LE(message.find(',', found) - found, std::string("-0.123456").size() + 4) << message;  // six digits
  EXPECT_NE(message.find("written by AIC "), std::string::npos) << message;
  EXPECT_NE(message.find("Fixpipe on FIX, tile m 0"), std::string::npos) << message;
}

TEST(Run, SaysThatItComparesNothing) {
  const ProgramEnd end = RunProgram("run --format csv --products 192 " + kTiny);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(
      end.err,
      "tilesim: run compares nothing: expected_file, absdot_file and products (here of 1 of 1 cases) are "
      "for `tilesim compare`\n");
  EXPECT_EQ(RunProgram("compare --format csv --products 192 " + kTiny).err, "");
}

TEST(Run, PrintsATableThatFitsALine) {
  const ScratchFolder folder;
  const std::string row = ",conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,";
  folder.Write("alike.csv", "id,op,input,filter,soc\nbench_01" + row + "\nbench_02" + row + "\n");
  folder.Write("mixed.csv", "id,op,input,filter,soc\na" + row + "unit\nb" + row + "\n");
  const std::vector<std::string> alike = Lines(RunProgram("compare --cases " + folder / "alike.csv").out);
  ASSERT_EQ(alike.size(), 4U);
  EXPECT_EQ(alike[0], "conv3d_backprop_filter on ascend910b2");
  EXPECT_EQ(
      alike[1],
      "id        dtype  cores  cycles     time_us   effic   bound_by  mac     hazards  verdict    err/bound  "
      "host_ms");
  for (const std::string& line : alike) {
    EXPECT_LE(line.size(), 110U) << line;
  }
  const std::vector<std::string> mixed = Lines(RunProgram("run --cases " + folder / "mixed.csv").out);
  EXPECT_EQ(mixed[0], "conv3d_backprop_filter");
  EXPECT_EQ(mixed[1].find("id    dtype  soc          cores"), 0U) << mixed[1];
  EXPECT_EQ(mixed[1].find("err/bound"), std::string::npos);
}

TEST(Compare, CountsTheHighestExitCode) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,dtype,input,filter\nno,conv3d_backprop_filter,fp32,1x2x3x3x3,2x2x1x1x1\n"
               "bad,conv3d_backprop_filter,fp16,1x2x3x3x3,2x2x9x1x1\n");
  EXPECT_EQ(RunProgram("run --planner api --id no --cases " + folder / "cases.csv").code, 1);
  EXPECT_EQ(RunProgram("run --planner api --cases " + folder / "cases.csv").code, 2);
}

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
  std::string sites = nlohmann::json::parse(nowhere.out)["message"];
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
    const std::string verdict = nlohmann::json::parse(end.out)["verdict"];
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
  const nlohmann::json row = nlohmann::json::parse(end.out);
  const std::vector<std::string> message = Lines(row["message"]);
  ASSERT_EQ(message.size(), 3U) << row["message"];
  EXPECT_EQ(message[0], row["faults"][0]);
  const size_t all = row["faults"].size();
  EXPECT_EQ(message[1].find("that is the first of " + std::to_string(all) + ": "), 0U) << message[1];
  EXPECT_NE(message[1].find(" hazards, "), std::string::npos) << message[1];
  EXPECT_NE(message[1].find(" wrong flags; --format json and <id>.faults.txt of --output have all"),
            std::string::npos)
      << message[1];
  EXPECT_EQ(message[2].find("the first that is no hazard: AIC "), 0U) << message[2];
  EXPECT_NE(message[2].find("[flag]"), std::string::npos) << message[2];
  EXPECT_EQ(Lines(ReadFile(folder / "bug.faults.txt")), row["faults"].get<std::vector<std::string>>());
  const std::string good = options.substr(0, options.find(bug)) + options.substr(options.find(" --op"));
  EXPECT_EQ(RunProgram("run --quiet" + good).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "bug.faults.txt"));  // of an earlier run
}

// A child that can be interrupted while its output is read.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      std::vector<const char*> words = {TILESIM_PROGRAM};
      for (const std::string& argument : arguments) {
        words.push_back(argument.c_str());
      }
      words.push_back(nullptr);
      execv(TILESIM_PROGRAM, const_cast<char* const*>(words.data()));
      _exit(127);
    }
    close(ends[1]);
    out_ = ends[0];
  }
  ~Child() { close(out_); }

  std::string ReadLine() {
    std::string line;
    for (char letter = 0; read(out_, &letter, 1) == 1 && letter != '\n';) {
      line += letter;
    }
    return line;
  }
  int Interrupt() {
    kill(pid_, SIGINT);
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
};

TEST(Interrupt, KeepsFinishedRows) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter,pad\nquick,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,0\n"
               "endless,conv3d_backprop_filter,8x256x32x64x64,256x256x5x5x5,2\n");
  Child child({"run", "--cases", folder / "cases.csv", "--format", "csv", "--output", folder / "results"});
  const std::string head = child.ReadLine();
  const std::string row = child.ReadLine();  // comes while the second case is far from its end
  EXPECT_EQ(row.find("quick,"), 0U) << row;
  EXPECT_EQ(child.Interrupt(), 130);
  EXPECT_EQ(ReadFile(folder / "results/results.csv"), head + "\n" + row + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "results/quick.dw.npy"));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "results")) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
}

}  // namespace
}  // namespace tilesim
