#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <utility>

namespace tilesim {
namespace {

std::mutex& Hold() {
  static std::mutex* const hold = new std::mutex;  // outlives every thread
  return *hold;
}

std::function<void()>& Action() {
  static auto* const action = new std::function<void()>;
  return *action;
}

}  // namespace

void WatchForInterrupt(int exit_code) {
  (void)Hold();
  (void)Action();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // every later thread inherits it
  std::thread([signals, exit_code] {
    int signal = 0;
    sigwait(&signals, &signal);
    const std::unique_lock<std::mutex> hold = HoldInterrupt();
    if (Action()) {
      Action()();
    }
    std::fflush(stdout);
    std::fprintf(stderr, "%stilesim: interrupted; finished rows are kept\n",
                 isatty(STDERR_FILENO) == 1 ? "\n" : "");
    _exit(exit_code);
  }).detach();
}

std::unique_lock<std::mutex> HoldInterrupt() { return std::unique_lock<std::mutex>(Hold()); }

OnInterrupt::OnInterrupt(std::function<void()> action) {
  const std::unique_lock<std::mutex> hold = HoldInterrupt();
  Action() = std::move(action);
}

OnInterrupt::~OnInterrupt() {
  const std::unique_lock<std::mutex> hold = HoldInterrupt();
  Action() = nullptr;
}

}  // namespace tilesim
