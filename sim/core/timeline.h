// When things happen on one core: in-order pipes, flags, barriers and finite issue queues. Knows no data, no
// costs and no other core; all times are cycles of the core's clock since the kernel's start.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/instruction.h"
#include "sim/core/pipe.h"

namespace tilesim {

inline constexpr int kEventIds = 8;  // event ids of a directed pair of pipes (ascendc 2.3)

// Costs of the bookkeeping instructions and the depth of the issue queues.
struct TimelineCosts {
  int64_t scalar_issue_cycles = 1;
  int64_t flag_cycles = 1;
  int64_t barrier_cycles = 1;
  std::array<int64_t, kNumPipes> queue_depth{};  // 0: unlimited
};

class Timeline {
 public:
  // The span of one instruction. The pipe is occupied in [start, free); the result may be used from `done`
  // on.
  struct Span {
    int64_t issue = 0;  // the scalar unit handed it to the pipe's queue
    int64_t ready = 0;  // nothing but the pipe itself held it back any more (flags, barriers, issue)
    int64_t start = 0;
    int64_t free = 0;
    int64_t done = 0;
  };

  explicit Timeline(const TimelineCosts& costs);

  // An instruction starts at the latest of: issued, pipe free, everything the pipe waited for.
  Span Run(Pipe pipe, const Cost& cost);

  // Issues an entry that only reports that all earlier instructions of `pipe` are complete; gives the time at
  // which it does. Does not hold the pipe back.
  int64_t Signal(Pipe pipe);
  // Executes on `src` after all its earlier instructions; does not hold the pipe back.
  void SetFlag(Pipe src, Pipe dst, int id);
  // Holds `dst` back until the flag's time. The caller guarantees that the flag is set.
  void WaitFlag(Pipe src, Pipe dst, int id);
  // Later instructions of `pipe` wait for all earlier ones of it.
  void Barrier(Pipe pipe);
  // The next instruction of `pipe` starts no earlier than `time`.
  void Hold(Pipe pipe, int64_t time) { State(pipe).held = std::max(State(pipe).held, time); }
  // All pipes and the scalar unit wait for everything.
  void BarrierAll();
  // Every pipe and the scalar unit are held back until `time` (a cross-core wait).
  void HoldAllUntil(int64_t time);
  // Scalar work of the kernel.
  void AdvanceScalar(int64_t cycles) { scalar_ += cycles; }

  int64_t scalar_time() const { return scalar_; }
  // Will the next instruction of `pipe` start after all its earlier ones are complete?
  bool Settled(Pipe pipe) const {
    const PipeState& state = pipes_[static_cast<size_t>(Index(pipe))];
    return state.held >= state.done;
  }
  // The time at which everything is complete.
  int64_t EndTime() const;

 private:
  struct PipeState {
    int64_t free = 0;             // the next instruction may start
    int64_t held = 0;             // nothing may start before: flags and barriers
    int64_t done = 0;             // all earlier instructions complete
    std::vector<int64_t> starts;  // ring of the last start times, as deep as the queue
    size_t next_start = 0;
  };

  // The time at which the scalar unit has put one more entry into the queue of `pipe`.
  int64_t Issue(PipeState& pipe, int64_t cycles);
  // Remembers that the newest entry of the queue left it at `time`.
  static void Leave(PipeState& pipe, int64_t time);
  PipeState& State(Pipe pipe) { return pipes_[static_cast<size_t>(Index(pipe))]; }
  int64_t& FlagTime(Pipe src, Pipe dst, int id) {
    return flag_times_[static_cast<size_t>((Index(src) * kNumPipes + Index(dst)) * kEventIds + id)];
  }

  TimelineCosts costs_;
  int64_t scalar_ = 0;
  std::array<PipeState, kNumPipes> pipes_;
  std::array<int64_t, kNumPipes * kNumPipes * kEventIds> flag_times_{};
};

}  // namespace tilesim
