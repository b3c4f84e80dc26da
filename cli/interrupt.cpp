#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

namespace tilesim {
namespace {

std::mutex& Hold() {
  static std::mutex* const hold = new std::mutex;  // outlives every thread
  return *hold;
}

std::vector<const std::function<void()>*>& Actions() {
  static auto* const actions = new std::vector<const std::function<void()>*>;
  return *actions;
}

enum class Noting { kOff, kArmed, kAsked };
std::atomic<Noting> noting{Noting::kOff};

std::atomic<bool> rows_are_kept{false};

// What is said when an interrupt is noted.
std::string& NoteText() {
  static auto* const text = new std::string;
  return *text;
}

const char* LineEndOfTerminal() { return isatty(STDERR_FILENO) == 1 ? "\n" : ""; }

// Is this interrupt only to be noted?
bool Noted() {
  Noting armed = Noting::kArmed;
  if (!noting.compare_exchange_strong(armed, Noting::kAsked)) {
    return false;
  }
  const std::unique_lock<std::mutex> hold = HoldInterrupt();
  std::fprintf(stderr, "%stilesim: %s\n", LineEndOfTerminal(), NoteText().c_str());
  return true;
}

}  // namespace

void WatchForInterrupt(int exit_code) {
  (void)Hold();
  (void)Actions();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // every later thread inherits it
  std::thread([signals, exit_code] {
    int signal = 0;
    do {
      sigwait(&signals, &signal);
    } while (Noted());
    const std::unique_lock<std::mutex> hold = HoldInterrupt();
    const auto& actions = Actions();
    std::for_each(actions.rbegin(), actions.rend(), [](const auto* action) { (*action)(); });
    std::fflush(stdout);
    std::fprintf(stderr, "%stilesim: interrupted; %s\n", LineEndOfTerminal(),
                 rows_are_kept ? "finished rows are kept" : "no row was put out, nothing is kept");
    _exit(exit_code);
  }).detach();
}

std::unique_lock<std::mutex> HoldInterrupt() { return std::unique_lock<std::mutex>(Hold()); }

void RowIsKept() { rows_are_kept = true; }

OnInterrupt::OnInterrupt(std::function<void()> action) : action_(std::move(action)) {
  const std::unique_lock<std::mutex> hold = HoldInterrupt();
  Actions().push_back(&action_);
}

OnInterrupt::~OnInterrupt() {
  const std::unique_lock<std::mutex> hold = HoldInterrupt();
  std::erase(Actions(), &action_);
}

NotedInterrupt::NotedInterrupt(std::string says) {
  const std::unique_lock<std::mutex> hold = HoldInterrupt();
  NoteText() = std::move(says);
}

NotedInterrupt::~NotedInterrupt() { noting = Noting::kOff; }

void NotedInterrupt::BeginNoting() {
  Noting off = Noting::kOff;
  noting.compare_exchange_strong(off, Noting::kArmed);
}

bool NotedInterrupt::EndNoting() {
  Noting armed = Noting::kArmed;
  noting.compare_exchange_strong(armed, Noting::kOff);
  return !asked();
}

bool NotedInterrupt::asked() const { return noting == Noting::kAsked; }

void NotedInterrupt::Yield() {
  kill(getpid(), SIGINT);
  while (true) {
    pause();
  }
}

}  // namespace tilesim
