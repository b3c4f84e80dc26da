// What is left after Ctrl-C, and what is said of it.
#include "cli/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/cli/child.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

TEST(Interrupt, KeepsFinishedRows) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter,pad\nquick,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,0\n"
               "endless,conv3d_backprop_filter,8x256x32x64x64,256x256x5x5x5,2\n");
  Child child({"run", "--cases", folder / "cases.csv", "--format", "csv", "--output", folder / "results"},
              folder / "err");
  const std::string head = child.ReadLine();
  const std::string row = child.ReadLine();  // comes while the second case is far from its end
  EXPECT_EQ(row.find("quick,"), 0U) << row;
  EXPECT_EQ(child.End(SIGINT), 130);
  EXPECT_EQ(ReadFile(folder / "results/results.csv"), head + "\n" + row + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "results/quick.dw.npy"));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "results")) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
  EXPECT_EQ(ReadFile(folder / "err"), "tilesim: interrupted; finished rows are kept\n");
}

TEST(Interrupt, SaysThatNothingIsKeptBeforeTheFirstRow) {
  const ScratchFolder folder;
  const std::vector<std::string> huge = {"--op",     "conv3d_backprop_filter", "--input", "8x256x32x64x64",
                                         "--filter", "256x256x5x5x5",          "--pad",   "2"};
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"validate"}, {"run"}, {"trace"}, {"report", "--mode", "timing"}}) {
    std::vector<std::string> words = command;
    if (command.front() != "validate") {
      words.insert(words.end(), huge.begin(), huge.end());
    }
    Child child(words, folder / "err");
    child.WaitUntilItWatches();
    EXPECT_EQ(child.End(SIGINT), 130) << command.front();
    EXPECT_EQ(ReadFile(folder / "err"), "tilesim: interrupted; no row was put out, nothing is kept\n")
        << command.front();
  }
}

[[noreturn]] void WaitForEver() {
  while (true) {
    pause();
  }
}

TEST(InterruptDeathTest, IsNotedOnceAndThenTakesEffect) {
  const auto twice = [] {
    WatchForInterrupt(130);
    NotedInterrupt interrupt("noted once");
    interrupt.BeginNoting();
    kill(getpid(), SIGINT);
    while (!interrupt.asked()) {
      usleep(1000);
    }
    EXPECT_FALSE(interrupt.EndNoting());
    kill(getpid(), SIGINT);
    WaitForEver();
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(130), "noted once\ntilesim: interrupted");
}

TEST(InterruptDeathTest, TakesEffectWhileItIsNotNoted) {
  const auto before = [] {
    WatchForInterrupt(130);
    const NotedInterrupt interrupt("noted");
    kill(getpid(), SIGINT);
    WaitForEver();
  };
  EXPECT_EXIT(before(), testing::ExitedWithCode(130), "^tilesim: interrupted; no row");
  const auto between = [] {
    WatchForInterrupt(130);
    NotedInterrupt interrupt("noted");
    interrupt.BeginNoting();
    interrupt.EndNoting();
    kill(getpid(), SIGINT);
    WaitForEver();
  };
  EXPECT_EXIT(between(), testing::ExitedWithCode(130), "^tilesim: interrupted; no row");
}

}  // namespace
}  // namespace tilesim
