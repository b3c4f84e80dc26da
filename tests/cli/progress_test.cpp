// The line on a terminal while a long case runs, and its absence elsewhere.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace tilesim {
namespace {

// Starts a case that takes far longer than the test, with standard error on a terminal or a pipe; gives what
// it says until `until` is there or the time is over, and then what an interrupt adds.
std::string WhatALongRunSays(bool terminal, const std::string& until, std::chrono::milliseconds time) {
  int end = -1;
  int pipe_ends[2] = {-1, -1};
  if (!terminal && pipe(pipe_ends) != 0) {
    return "no pipe";
  }
  const pid_t pid = terminal ? forkpty(&end, nullptr, nullptr, nullptr) : fork();
  if (pid == 0) {
    if (!terminal) {
      dup2(pipe_ends[1], STDERR_FILENO);
      close(pipe_ends[0]);
      close(pipe_ends[1]);
    }
    execl(TILESIM_PROGRAM, TILESIM_PROGRAM, "run", "--mode", "timing", "--threads", "1", "--id", "long",
          "--op", "conv3d_backprop_filter", "--input", "16x512x64x256x256", "--filter", "512x512x5x5x5",
          "--pad", "2", "--set", "memory.gm_bytes=9000000000000", nullptr);
    _exit(127);
  }
  if (!terminal) {
    close(pipe_ends[1]);
    end = pipe_ends[0];
  }
  const auto stop = std::chrono::steady_clock::now() + time;
  std::string said;
  const auto read_some = [&](int wait_ms) {
    pollfd ready = {.fd = end, .events = POLLIN, .revents = 0};
    char letters[256];
    const ssize_t count = poll(&ready, 1, wait_ms) == 1 ? read(end, letters, sizeof letters) : 0;
    said.append(letters, count > 0 ? static_cast<size_t>(count) : 0);
    return count > 0;
  };
  while (std::chrono::steady_clock::now() < stop &&
         (until.empty() || said.find(until) == std::string::npos)) {
    read_some(50);
  }
  kill(pid, SIGINT);
  waitpid(pid, nullptr, 0);
  while (read_some(100)) {
  }
  close(end);
  return said;
}

TEST(Progress, StandsOnATerminalOnceACaseTakesLong) {
  const std::string said = WhatALongRunSays(true, "[1/1] long  3 s", std::chrono::seconds(20));
  EXPECT_NE(said.find("[1/1] long  2 s"), std::string::npos) << said;
  EXPECT_EQ(said.find("[1/1] long  0 s"), std::string::npos) << said;
}

TEST(Progress, IsSilentWhereThereIsNoTerminal) {
  EXPECT_EQ(WhatALongRunSays(false, "", std::chrono::milliseconds(3500)),
            "tilesim: interrupted; no row was put out, nothing is kept\n");
}

}  // namespace
}  // namespace tilesim
