// `tilesim tune` of several cases: stopped at any moment, shared among processes, and in the end the same
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/cli/child.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kCases = 5;

// Budgets in runs, so that every run ends at the same place.
class TuneBatch : public testing::Test {
 protected:
  void SetUp() override {
    std::string text = "id,op,input,filter,pad\n";
    for (int i = 1; i <= kCases; ++i) {
      text += "c" + std::to_string(i) + ",conv3d_backprop_filter,1x" + std::to_string(16 * i) + "x3x6x7,32x" +
              std::to_string(16 * i) + "x3x3x3,1\n";
    }
    folder_.Write("cases.csv", text);
    const ProgramEnd end = RunProgram(Options("whole.jsonl"));
    ASSERT_EQ(end.code, 0) << end.err;
    whole_ = ReadFile(folder_ / "whole.jsonl");
    ASSERT_EQ(Lines(whole_).size(), static_cast<size_t>(kCases));
  }

  [[nodiscard]] std::vector<std::string> Words(const std::string& kb) const {
    return {"tune",     "--cases", folder_ / "cases.csv", "--budget", "2runs", "--kb-out", folder_ / kb,
            "--format", "csv"};
  }
  [[nodiscard]] std::string Options(const std::string& kb) const {
    std::string options;
    for (const std::string& word : Words(kb)) {
      options += word + " ";
    }
    return options;
  }
  // Of the shares of `count` processes, as "merged.jsonl".
  std::string Merged(const std::string& stem, int count) {
    std::string files;
    for (int i = 1; i <= count; ++i) {
      files += (i == 1 ? "" : ",") +
               (folder_ / (stem + "." + std::to_string(i) + "-of-" + std::to_string(count) + ".jsonl"));
    }
    const ProgramEnd end = RunProgram("tune --merge " + files + " --kb-out " + (folder_ / "merged.jsonl"));
    EXPECT_EQ(end.code, 0) << end.err;
    return ReadFile(folder_ / "merged.jsonl");
  }

  ScratchFolder folder_;
  std::string whole_;
};

TEST_F(TuneBatch, KilledAfterAnyCaseItGoesOnFromThere) {
  for (int rows = 1; rows < kCases; ++rows) {
    SCOPED_TRACE(rows);
    const std::string kb = "killed" + std::to_string(rows) + ".jsonl";
    {
      Child child(Words(kb));
      for (int line = 0; line <= rows; ++line) {  // the head and so many rows
        (void)child.ReadLine();
      }
      EXPECT_EQ(child.End(SIGKILL), -1);
    }
    ASSERT_FALSE(std::filesystem::exists(folder_ / kb));
    const std::string left = ReadFile(folder_ / (kb + ".part"));
    EXPECT_GE(Lines(left).size(), static_cast<size_t>(rows));
    const ProgramEnd end = RunProgram(Options(kb));
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(ReadFile(folder_ / kb), whole_);
    EXPECT_FALSE(std::filesystem::exists(folder_ / (kb + ".part")));
    EXPECT_EQ(Lines(end.out).size(), 1U + kCases);  // rows of what was done, too
  }
}

TEST_F(TuneBatch, OfACaseWithoutAnAnswerTheRowSaysWhy) {
  folder_.Write("refused.csv",
                "id,op,input,filter,pad\nwrong,conv3d_backprop_filter,1x16x3x6x7,32x17x3x3x3,1\n"
                "right,conv3d_backprop_filter,1x16x3x6x7,32x16x3x3x3,1\n");
  const std::string options = "tune --cases " + (folder_ / "refused.csv") + " --budget 2runs";
  const ProgramEnd table = RunProgram(options);
  EXPECT_EQ(table.code, 2);
  const std::vector<std::string> lines = Lines(table.out);
  ASSERT_EQ(lines.size(), 5U) << table.out;
  EXPECT_EQ(lines[1], "wrong");
  EXPECT_THAT(lines[2],
              HasSubstr("refused.csv:2: row 1 (wrong): filter = '32x17x3x3x3': its 17 input channels"));
  EXPECT_THAT(lines[3], testing::StartsWith("right  "));
  const ProgramEnd csv = RunProgram(options + " --format csv");
  EXPECT_THAT(Lines(csv.out).at(1), testing::StartsWith("wrong,,,"));
}

TEST_F(TuneBatch, InterruptedItKeepsWhatIsDone) {
  Child child(Words("kb.jsonl"), folder_ / "err");
  (void)child.ReadLine();
  (void)child.ReadLine();
  EXPECT_EQ(child.End(SIGINT), 130);
  EXPECT_THAT(
      ReadFile(folder_ / "err"),
      testing::ContainsRegex("kb.jsonl.part holds [1-5] of 5 cases; the same command goes on from there"));
  EXPECT_EQ(RunProgram(Options("kb.jsonl")).code, 0);
  EXPECT_EQ(Lines(ReadFile(folder_ / "kb.jsonl")).size(), static_cast<size_t>(kCases));
}

// The planners' run of that layer takes most of a minute.
TEST_F(TuneBatch, InterruptedBeforeASearchItEndsAtOnceAndKeepsWhatIsDone) {
  folder_.Write("huge.csv",
                "id,op,input,filter,pad\nquick,conv3d_backprop_filter,1x16x3x6x7,32x16x3x3x3,1\n"
                "huge,conv3d_backprop_filter,16x512x16x256x256,512x512x3x3x3,1\n");
  Child child({"tune", "--cases", folder_ / "huge.csv", "--budget", "2runs", "--kb-out", folder_ / "kb.jsonl",
               "--format", "csv", "--output", folder_ / "o"},
              folder_ / "err");
  const std::string head = child.ReadLine();
  const std::string row = child.ReadLine();
  usleep(300'000);                    // into the second case
  EXPECT_EQ(child.End(SIGINT), 130);  // had it waited, there would be a second row
  EXPECT_THAT(ReadFile(folder_ / "err"), HasSubstr("kb.jsonl.part holds 1 of 2 cases"));
  EXPECT_EQ(Lines(ReadFile(folder_ / "kb.jsonl.part")).size(), 1U);
  EXPECT_EQ(ReadFile(folder_ / "o/tuned.csv"), head + "\n" + row + "\n");
}

TEST_F(TuneBatch, InterruptedBeforeAnythingIsDoneItLeavesNoPart) {
  Child child({"tune", "--op", "matmul", "--m", "1024", "--n", "1000", "--k", "1024", "--budget", "600s",
               "--kb-out", folder_ / "kb.jsonl", "--format", "csv"},
              folder_ / "err");
  (void)child.ReadLine();  // the head
  EXPECT_EQ(child.End(SIGINT), 130);
  EXPECT_THAT(ReadFile(folder_ / "err"),
              HasSubstr("kb.jsonl.part is not left; the same command begins anew\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kb.jsonl.part"));
}

TEST_F(TuneBatch, RefusesWhatAnotherRunHasLeft) {
  folder_.Write("kb.jsonl.part", whole_);
  const ProgramEnd end = RunProgram(Options("kb.jsonl") + "--id c1,c2");
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err,
              HasSubstr("kb.jsonl.part:3: an earlier run has left a record of case 'c3' on 24 cores"));
  const ProgramEnd other_model = RunProgram(Options("kb.jsonl") + "--set cube.mmad_issue_cycles=11");
  EXPECT_EQ(other_model.code, 2);
  EXPECT_EQ(RunProgram(Options("kb.jsonl") + "--objective l1").code, 2);
  EXPECT_EQ(RunProgram(Options("kb.jsonl") + "--cores 20").code, 2);
  EXPECT_EQ(ReadFile(folder_ / "kb.jsonl.part"), whole_);
}

TEST_F(TuneBatch, KeepsWhatTheBaseHolds) {
  folder_.Write("kb.jsonl", whole_);
  const ProgramEnd end = RunProgram("tune --op matmul --m 32 --n 32 --k 48 --id m --budget 2runs --kb-out " +
                                    (folder_ / "kb.jsonl"));
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Lines(ReadFile(folder_ / "kb.jsonl")).size(), 1U + kCases);
  EXPECT_EQ(RunProgram(Options("kb.jsonl")).code, 0);  // the same again
  EXPECT_EQ(Lines(ReadFile(folder_ / "kb.jsonl")).size(), 1U + kCases);
}

TEST_F(TuneBatch, RefusedForTheBasesModelItLeavesNothing) {
  folder_.Write("kb.jsonl", whole_);
  EXPECT_EQ(RunProgram(Options("kb.jsonl") + "--set cube.mmad_issue_cycles=11").code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kb.jsonl.part"));
  EXPECT_EQ(ReadFile(folder_ / "kb.jsonl"), whole_);
}

TEST_F(TuneBatch, SaysHowGoodThePlannersAre) {
  const ProgramEnd end = RunProgram("tune --op matmul --m 256 --n 256 --k 512 --budget 0");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, testing::ContainsRegex("best of 2 simulated, within [0-9.]+ % of the bound"));
}

TEST_F(TuneBatch, SaysThatTheBudgetWasOverBeforeTheSearch) {
  const char* const says = "; the budget of 0.001ms was over before the search began, nothing was searched; ";
  for (const std::string& problem : {std::string("--op matmul --m 256 --n 256 --k 512 "), kTiny}) {
    const ProgramEnd end =
        RunProgram("tune --budget 0.001ms --format csv --kb-out " + (folder_ / "kb.jsonl ") + problem);
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr(says));
    EXPECT_THAT(ReadFile(folder_ / "kb.jsonl"), HasSubstr(says));
    EXPECT_THAT(RunProgram("tune --budget 0 --format csv " + problem).out, Not(HasSubstr("was over before")));
    EXPECT_THAT(RunProgram("tune --budget 1runs --format csv " + problem).out,
                Not(HasSubstr("was over before")));
  }
}

TEST_F(TuneBatch, SharesMakeTheSameWhole) {
  for (const int count : {1, 2, 3, 7}) {
    SCOPED_TRACE(count);
    const std::string stem = "s" + std::to_string(count);
    for (int i = 1; i <= count; ++i) {
      const ProgramEnd end =
          RunProgram(Options(stem + ".jsonl") + "--shard " + std::to_string(i) + "/" + std::to_string(count));
      EXPECT_EQ(end.code, 0) << end.err;
    }
    EXPECT_EQ(count == 1 ? ReadFile(folder_ / "s1.jsonl") : Merged(stem, count), whole_);
  }
}

TEST_F(TuneBatch, MergeMissesAShareThatIsNotGiven) {
  const auto merge = [&](const std::string& files, const std::string& kb) {
    return RunProgram("tune --merge " + files + " --kb-out " + kb, folder_.path().string());
  };
  for (const char* name : {"kb.1-of-3.jsonl", "kb.3-of-3.jsonl", "kb.1-of-4.jsonl", "mine.jsonl"}) {
    folder_.Write(name, whole_);
  }
  const ProgramEnd one = merge("kb.1-of-3.jsonl,kb.3-of-3.jsonl", "merged.jsonl");
  EXPECT_EQ(one.code, 2);
  EXPECT_THAT(one.err,
              HasSubstr("--merge: of the 3 shares of kb.jsonl there are 2, share 2 (kb.2-of-3.jsonl) is "
                        "missing; give all of them, after `tilesim tune --shard 2/3`"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "merged.jsonl"));
  folder_.Write("kb.2-of-3.jsonl", whole_);
  const std::string all = "kb.1-of-3.jsonl,kb.2-of-3.jsonl,kb.3-of-3.jsonl";
  const ProgramEnd other = merge(all + ",kb.1-of-4.jsonl", "merged.jsonl");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err,
              HasSubstr("of the 4 shares of kb.jsonl there are 1, share 2 (kb.2-of-4.jsonl) is missing "
                        "and 2 more;"));
  std::filesystem::create_directory(folder_ / "other");
  std::filesystem::rename(folder_ / "kb.3-of-3.jsonl", folder_ / "other/kb.3-of-3.jsonl");
  const std::string apart = "kb.1-of-3.jsonl,kb.2-of-3.jsonl,other/kb.3-of-3.jsonl";
  EXPECT_EQ(merge(apart + ",mine.jsonl", "merged.jsonl").code, 0);
  EXPECT_EQ(ReadFile(folder_ / "merged.jsonl"), whole_);
}

TEST_F(TuneBatch, IsSharedByTheProcessesOfMpirun) {
  const ProgramEnd end = RunShell(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "
      "'" TILESIM_PROGRAM "' " +
      Options("mpi.jsonl") + "--shard mpi");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Merged("mpi", 2), whole_);
}

TEST_F(TuneBatch, IsSharedByTheTasksOfASlurmArray) {
  for (int task = 1; task <= 3; ++task) {
    const ProgramEnd end =
        RunShell("SLURM_ARRAY_TASK_ID=" + std::to_string(task) +
                 " SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_CPUS_PER_TASK=1 "
                 "TILESIM='" TILESIM_PROGRAM "' scripts/tune.slurm " +
                 (folder_ / "cases.csv") + " " + (folder_ / "slurm.jsonl") + " --budget 2runs");
    EXPECT_EQ(end.code, 0) << end.err;
  }
  EXPECT_EQ(Merged("slurm", 3), whole_);
}

TEST_F(TuneBatch, TheSlurmScriptSaysWhatItNeeds) {
  const ProgramEnd end = RunShell("scripts/tune.slurm cases.csv");
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("tune.slurm: needs CASES and KB: sbatch --array=1-8 scripts/tune.slurm"));
}

TEST_F(TuneBatch, WhatItFoundIsUsed) {
  const ProgramEnd plan =
      RunProgram("plan --cases " + (folder_ / "cases.csv") + " --id c2 --kb " + (folder_ / "whole.jsonl"));
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("\"planner\":\"kb\""));
}

TEST_F(TuneBatch, MergeTakesNothingThatWouldTune) {
  const std::string merge = "tune --merge " + (folder_ / "whole.jsonl");
  for (const auto& [options, says] :
       {std::pair(" --kb-out x --budget 3s", "--merge and --budget exclude each other"),
        std::pair(" --kb-out x --op matmul", "--merge and a case exclude each other"),
        std::pair(" --kb-out x --objective l1", "--merge and --objective exclude each other"),
        std::pair("", "--merge: needs --kb-out FILE")}) {
    const ProgramEnd end = RunProgram(merge + options);
    EXPECT_EQ(end.code, 2) << options;
    EXPECT_THAT(end.err, HasSubstr(says));
  }
  const std::string path = folder_ / "whole.jsonl";
  const ProgramEnd none = RunProgram("tune --merge , --kb-out " + path);
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--merge = ',': names no file"));
  EXPECT_EQ(ReadFile(path), whole_);
}

}  // namespace
}  // namespace tilesim
