#pragma once

#include <functional>
#include <mutex>

namespace tilesim {

// Ctrl-C and SIGTERM: a thread waits for them, lets a row in hand be written to its end, runs what was asked
// for, says whether rows are kept and ends the process. Knows no row and no file. Called once, before any
// other thread starts.
void WatchForInterrupt(int exit_code);

// While held, no interrupt takes effect: what is written in one hold is never half there.
[[nodiscard]] std::unique_lock<std::mutex> HoldInterrupt();

// A row was put out: an interrupt says from then on that finished rows are kept, before that nothing is.
void RowIsKept();

// What an interrupt runs, under the hold, as long as this object lives; of several the last one first.
class OnInterrupt {
 public:
  explicit OnInterrupt(std::function<void()> action);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

 private:
  const std::function<void()> action_;
};

// While one lives, the first interrupt is only noted, so that long work can end itself and keep what it has;
// the next one takes effect. One at a time.
class NotedInterrupt {
 public:
  NotedInterrupt();
  ~NotedInterrupt();
  NotedInterrupt(const NotedInterrupt&) = delete;
  NotedInterrupt& operator=(const NotedInterrupt&) = delete;

  [[nodiscard]] bool asked() const;
  // Lets the noted interrupt take effect now.
  [[noreturn]] static void Yield();
};

}  // namespace tilesim
