#pragma once

#include <functional>
#include <mutex>
#include <string>

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

// Long work that can end itself and keep what it has: while it notes, the first interrupt is only noted, and
// `says` told; the next one takes effect. At first it does not note. One at a time.
class NotedInterrupt {
 public:
  explicit NotedInterrupt(std::string says);
  ~NotedInterrupt();
  NotedInterrupt(const NotedInterrupt&) = delete;
  NotedInterrupt& operator=(const NotedInterrupt&) = delete;

  void BeginNoting();
  // False where one was noted already.
  bool EndNoting();
  [[nodiscard]] bool asked() const;
  // Lets the noted interrupt take effect now.
  [[noreturn]] static void Yield();
};

}  // namespace tilesim
