#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "formats/error.h"

namespace tilesim {
namespace {

std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  return whole < 90 ? Say(whole, " s") : Say(whole / 60, " min ", whole % 60, " s");
}

}  // namespace

Progress::Progress(size_t cases, double total_work, bool quiet)
    : shown_(!quiet && isatty(STDERR_FILENO) == 1), cases_(cases), total_work_(total_work) {
  if (shown_) {
    thread_ = std::thread([this] { Run(); });
  }
}

Progress::~Progress() {
  if (shown_) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
}

void Progress::Begin(const std::string& id, double work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  busy_ = true;
  ++begun_;
  id_ = id;
  work_in_hand_ = work;
  DrawIfLong();
}

void Progress::End() {
  const std::lock_guard<std::mutex> lock(mutex_);
  busy_ = false;
  work_done_ += work_in_hand_;
  seconds_done_ = std::chrono::duration<double>(Clock::now() - start_).count();
  Clear();
}

void Progress::Run() {
  constexpr std::chrono::milliseconds kEvery(500);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, kEvery, [this] { return stop_; })) {
    if (busy_) {
      DrawIfLong();
    }
  }
}

void Progress::DrawIfLong() {
  constexpr double kLong = 2;  // seconds that need no word
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (!shown_ || seconds < kLong) {
    return;
  }
  std::string line = Say("[", begun_, "/", cases_, "] ", id_, "  ", Duration(seconds));
  if (work_done_ > 0) {
    const double left = seconds_done_ * total_work_ / work_done_ - seconds;
    line += Say(", about ", Duration(left > 0 ? left : 0), " left");
  }
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::Clear() {
  if (drawn_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
  }
}

}  // namespace tilesim
