#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace tilesim {

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
  // Its exit code; -1 where the signal ended it.
  int End(int signal) {
    kill(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
};

}  // namespace tilesim
