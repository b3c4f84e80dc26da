// When things happen on one core: in-order pipes, flags, barriers and finite issue queues. Knows no data, no
// costs and no other core; all times are cycles of the core's clock since the kernel's start.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/instruction.h"
#include "sim/core/pipe.h"
#include "sim/core/trail.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Costs of the bookkeeping instructions and the depth of the issue queues.
struct TimelineCosts {
  int64_t scalar_issue_cycles = 1;
  int64_t flag_cycles = 1;
  int64_t barrier_cycles = 1;
  std::array<int64_t, kNumPipes> queue_depth{};  // 0: unlimited

  static TimelineCosts Of(const SocConfig& soc);
};

// The span of one instruction. The pipe is occupied in [start, free); the result may be used from `done` on.
struct Span {
  int64_t issue = 0;  // the scalar unit handed it to the pipe's queue
  int64_t ready = 0;  // nothing but the pipe itself held it back any more (flags, barriers, issue)
  int64_t start = 0;
  int64_t free = 0;
  int64_t done = 0;
};

// With `Trail`, each moment says what it came from; with NoTrail that costs nothing.
template <class Trail = NoTrail>
class Timeline {
 public:
  using Moment = tilesim::Moment<Trail>;
  // One instruction on its way.
  struct Pass {
    Moment issue, ready, start, free, done;
    Span span() const { return {issue.at, ready.at, start.at, free.at, done.at}; }
  };

  explicit Timeline(const TimelineCosts& costs) : costs_(costs) {
    for (size_t p = 0; p < kNumPipes; ++p) {
      pipes_[p].starts.assign(static_cast<size_t>(costs.queue_depth[p]), {});
    }
  }

  // The next instruction of `pipe` is issued, and starts at the latest of: issued, pipe free, everything the
  // pipe waited for. Its cost is told to Finish, for it may depend on when that is.
  Pass Begin(Pipe pipe) {
    const PipeState& state = State(pipe);
    Pass pass;
    pass.issue = Issue(pipe);
    pass.ready = Later(pass.issue, state.held);
    pass.start = Later(pass.ready, state.free);
    return pass;
  }
  void Finish(Pipe pipe, const Cost& cost, const Trail& itself, Pass& pass) {
    PipeState& state = State(pipe);
    pass.free = {pass.start.at + cost.busy_cycles, itself};
    pass.done = pass.free.After(cost.latency_cycles);
    state.free = pass.free;
    state.done = Later(state.done, pass.done);
    if (pipe == Pipe::kS) {
      scalar_ = pass.done.Because(Wait::kScalar);  // it does its own work before it issues again
      scalar_busy_cycles_ += pass.done.at - pass.start.at;
    }
    Leave(state, {pass.start.at, itself});
  }
  Span Run(Pipe pipe, const Cost& cost, const Trail& itself = {}) {
    Pass pass = Begin(pipe);
    Finish(pipe, cost, itself, pass);
    return pass.span();
  }

  // Issues an entry that only reports that all earlier instructions of `pipe` are complete; gives the time at
  // which it does. Does not hold the pipe back.
  Moment Signal(Pipe pipe) {
    PipeState& state = State(pipe);
    const Moment issue = Issue(pipe);
    const Moment held = Later(issue, state.held);
    Leave(state, Later(held, state.free));
    return Later(held, state.done);
  }
  // Executes on `src` after all its earlier instructions; does not hold the pipe back.
  void SetFlag(Pipe src, Pipe dst, int id) { FlagTime(src, dst, id) = Signal(src).After(costs_.flag_cycles); }
  // Holds `dst` back until the flag's time. The caller guarantees that the flag is set.
  void WaitFlag(Pipe src, Pipe dst, int id) {
    Enter(dst, FlagTime(src, dst, id).Because(Wait::kFlag, src));
    if (dst == Pipe::kS) {
      scalar_ = State(dst).held;
    }
  }
  // Later instructions of `pipe` wait for all earlier ones of it.
  void Barrier(Pipe pipe) {
    Enter(pipe, State(pipe).done.After(costs_.barrier_cycles).Because(Wait::kBarrier, pipe));
  }
  // The next instruction of `pipe` starts no earlier than `moment`.
  void Hold(Pipe pipe, const Moment& moment) { State(pipe).held = Later(State(pipe).held, moment); }
  // All pipes and the scalar unit wait for everything.
  void BarrierAll() {
    WorkScalar(costs_.scalar_issue_cycles);
    HoldAllUntil(End().After(costs_.barrier_cycles).Because(Wait::kBarrier));
  }
  // Every pipe and the scalar unit are held back (a cross-core wait).
  void HoldAllUntil(const Moment& moment) {
    scalar_ = Later(scalar_, moment);
    for (PipeState& state : pipes_) {
      state.held = Later(state.held, moment);
    }
  }
  // Scalar work of the kernel.
  void AdvanceScalar(int64_t cycles) { WorkScalar(cycles); }

  // The next instruction of `pipe` starts no earlier.
  int64_t NextStart(Pipe pipe) const { return Later(State(pipe).free, State(pipe).held).at; }
  const Moment& scalar() const { return scalar_; }
  // In which the scalar unit issued or did its own work.
  int64_t scalar_busy_cycles() const { return scalar_busy_cycles_; }
  // The time at which everything is complete.
  Moment End() const {
    Moment end = scalar_;
    for (const PipeState& state : pipes_) {
      end = Later(Later(end, state.done), state.held);
    }
    return end;
  }

 private:
  struct PipeState {
    Moment free;                 // the next instruction may start
    Moment held;                 // nothing may start before: flags and barriers
    Moment done;                 // all earlier instructions complete
    std::vector<Moment> starts;  // ring of the last start times, as deep as the queue
    size_t next_start = 0;
  };

  void WorkScalar(int64_t cycles) {
    scalar_.at += cycles;
    scalar_busy_cycles_ += cycles;
  }
  // The time at which the scalar unit has put one more entry into the queue of `pipe`.
  Moment Issue(Pipe pipe) {
    const PipeState& state = State(pipe);
    if (!state.starts.empty()) {
      // a full queue has a free place once its oldest entry has started
      scalar_ = Later(scalar_, state.starts[state.next_start].Because(Wait::kQueue, pipe));
    }
    WorkScalar(costs_.scalar_issue_cycles);
    return scalar_;
  }
  // An entry of the queue that holds the pipe until `moment`.
  void Enter(Pipe pipe, const Moment& moment) {
    PipeState& state = State(pipe);
    state.held = Later(Later(state.held, Issue(pipe)), moment);
    Leave(state, Later(state.held, state.free));
  }
  // Remembers that the newest entry of the queue left it.
  static void Leave(PipeState& pipe, const Moment& moment) {
    if (!pipe.starts.empty()) {
      pipe.starts[pipe.next_start] = moment;
      pipe.next_start = pipe.next_start + 1 == pipe.starts.size() ? 0 : pipe.next_start + 1;
    }
  }
  const PipeState& State(Pipe pipe) const { return pipes_[static_cast<size_t>(Index(pipe))]; }
  PipeState& State(Pipe pipe) { return pipes_[static_cast<size_t>(Index(pipe))]; }
  Moment& FlagTime(Pipe src, Pipe dst, int id) {
    return flag_times_[static_cast<size_t>((Index(src) * kNumPipes + Index(dst)) * kEventIds + id)];
  }

  TimelineCosts costs_;
  int64_t scalar_busy_cycles_ = 0;
  Moment scalar_;
  std::array<PipeState, kNumPipes> pipes_;
  std::array<Moment, kNumPipes * kNumPipes * kEventIds> flag_times_{};
};

}  // namespace tilesim
