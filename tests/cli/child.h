#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace tilesim {

// A child that can be interrupted while its output is read.
class Child {
 public:
  // `err`: a file for its standard error; empty: the test's own.
  explicit Child(const std::vector<std::string>& arguments, const std::string& err = "") {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      if (!err.empty()) {
        dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      }
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
  [[nodiscard]] pid_t pid() const { return pid_; }
  // A signal before it watches for it ends it as if it did not.
  void WaitUntilItWatches() const {
    constexpr uint64_t kBlocked = uint64_t{1} << (SIGINT - 1);
    uint64_t mask = 0;
    for (int tries = 0; (mask & kBlocked) == 0; ++tries, usleep(1000)) {
      ASSERT_LT(tries, 30'000);
      std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("SigBlk:")) {
          mask = std::stoull(line.substr(line.find('\t')), nullptr, 16);
        }
      }
    }
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
