// Runs the bodies of simulated cores on host threads in rounds. In a round every core that can go on runs
// until it ends or must wait for another core; what cores did to each other takes effect between rounds, in
// the order of the cores. So nothing depends on how many host threads there are. A thread whose core ends
// goes on with the next core; only a core that rests keeps its thread. Knows no instructions and no memories.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace tilesim {

class CoreScheduler {
 public:
  struct Hooks {
    std::function<void(int core)> body;  // on one thread from its start to its end
    std::function<void(int core)>
        settle;                       // once a round, in ascending order, when the core and all below rest
    std::function<void()> end_round;  // after all cores rest
    std::function<bool(int core)> can_resume;  // may a resting core go on?
    std::function<void(int core)> give_up;     // nobody can go on: this resting core never will
  };

  CoreScheduler(int cores, int threads, Hooks hooks);
  // The calling thread runs cores, too.
  void Run();
  // Called on the thread of `core`: rest until the core may go on.
  void Rest(int core);

 private:
  static constexpr int kNone = -1;
  struct Slot {
    std::binary_semaphore go{0};
    bool started = false;
    bool ended = false;
    bool rested = false;  // in this round
  };

  // The next two with `mutex_` held. Fills the round with the cores that can go on; false: all have ended.
  bool FillRound();
  // Gives the round's first cores a thread's place each. One that has not started yet is returned for the
  // caller to start; kNone: there is none.
  int BeginRound();
  // Runs the core, which has not started yet, and then those that Next gives it.
  void Carry(int core);
  // `core` rests or has ended. The thread's place goes to the next core of the round, or where this was the
  // last one of the next round: one that has its thread is woken, one that has not started yet is returned
  // for the caller to start.
  int Next(int core);
  void StartThread(int core);

  int threads_;
  Hooks hooks_;
  std::deque<Slot> slots_;  // by core; never move
  std::mutex mutex_;        // guards what follows
  bool giving_up_ = false;
  std::vector<int> round_;  // the cores of this round
  size_t begun_ = 0;        // that many of them have been given a thread's place
  size_t settled_ = 0;      // that many of them have settled
  std::vector<std::thread> started_;
  std::binary_semaphore all_over_{0};
};

}  // namespace tilesim
