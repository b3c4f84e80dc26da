// What is left of `run` after Ctrl-C.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace tilesim {
namespace {

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
