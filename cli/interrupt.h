#pragma once

#include <functional>
#include <mutex>

namespace tilesim {

// Ctrl-C and SIGTERM: a thread waits for them, lets a row in hand be written to its end, runs what was asked
// for and ends the process. Knows no row and no file. Called once, before any other thread starts.
void WatchForInterrupt(int exit_code);

// While held, no interrupt takes effect: what is written in one hold is never half there.
[[nodiscard]] std::unique_lock<std::mutex> HoldInterrupt();

// What an interrupt runs, under the hold, as long as this object lives. One at a time.
class OnInterrupt {
 public:
  explicit OnInterrupt(std::function<void()> action);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;
};

}  // namespace tilesim
