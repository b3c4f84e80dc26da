#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tilesim {

// A line on the terminal once work has gone on for two seconds: which case, how long, about how long still.
// Silent when standard error is no terminal. Knows work as a number only.
class Progress {
 public:
  Progress(size_t cases, double total_work, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Begin(const std::string& id, double work);
  // Takes the line away, so that a row can be printed.
  void End();

 private:
  using Clock = std::chrono::steady_clock;
  void Run();
  void DrawIfLong();
  void Clear();

  const bool shown_;
  const size_t cases_;
  const double total_work_;
  const Clock::time_point start_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool busy_ = false;
  bool drawn_ = false;
  size_t begun_ = 0;
  double work_done_ = 0;
  double seconds_done_ = 0;
  double work_in_hand_ = 0;
  std::string id_;
  std::thread thread_;
};

}  // namespace tilesim
