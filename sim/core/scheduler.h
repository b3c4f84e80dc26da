// Runs the bodies of simulated cores on host threads in rounds. In a round every core that can go on runs
// until it ends or must wait for another core; what cores did to each other takes effect between rounds, in
// the order of the cores. So nothing depends on how many host threads there are. Knows no instructions and no
// memories.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace tilesim {

class CoreScheduler {
 public:
  struct Hooks {
    std::function<void(int core)> body;  // runs on a thread of the core's own
    std::function<void(int core)>
        settle;                       // once a round, in ascending order, when the core and all below rest
    std::function<void()> end_round;  // after all cores rest
    std::function<bool(int core)> can_resume;  // may a resting core go on?
    std::function<void(int core)> give_up;     // nobody can go on: this resting core never will
  };

  CoreScheduler(int cores, int threads, Hooks hooks);
  void Run();
  // Called on the thread of `core`: rest until the core may go on.
  void Rest(int core);

 private:
  struct Slot {
    std::binary_semaphore go{0};
    std::binary_semaphore back{0};
    std::thread thread;
    bool started = false;
    bool ended = false;
    bool rested = false;  // in this round
  };

  void RunRound(const std::vector<int>& runnable);
  void Resume(int core);
  void Settle(int core);

  int threads_;
  Hooks hooks_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::mutex settle_mutex_;
  size_t settled_ = 0;  // cores of this round's list that have settled
};

}  // namespace tilesim
