#include "sim/core/timeline.h"

namespace tilesim {

Timeline::Timeline(const TimelineCosts& costs) : costs_(costs) {
  for (int p = 0; p < kNumPipes; ++p) {
    pipes_[static_cast<size_t>(p)].starts.assign(
        static_cast<size_t>(costs.queue_depth[static_cast<size_t>(p)]), 0);
  }
}

int64_t Timeline::Issue(PipeState& pipe, int64_t cycles) {
  if (!pipe.starts.empty()) {
    // a full queue has a free place once its oldest entry has started
    scalar_ = std::max(scalar_, pipe.starts[pipe.next_start]);
  }
  scalar_ += cycles;
  return scalar_;
}

void Timeline::Leave(PipeState& pipe, int64_t time) {
  if (pipe.starts.empty()) {
    return;
  }
  pipe.starts[pipe.next_start] = time;
  pipe.next_start = pipe.next_start + 1 == pipe.starts.size() ? 0 : pipe.next_start + 1;
}

Timeline::Span Timeline::Run(Pipe pipe, const Cost& cost) {
  PipeState& state = State(pipe);
  Span span;
  span.issue = Issue(state, costs_.scalar_issue_cycles);
  span.ready = std::max(span.issue, state.held);
  span.start = std::max(span.ready, state.free);
  span.free = span.start + cost.busy_cycles;
  span.done = span.free + cost.latency_cycles;
  state.free = span.free;
  state.done = std::max(state.done, span.done);
  if (pipe == Pipe::kS) {
    scalar_ = span.done;  // the scalar unit does its own work before it issues again
  }
  Leave(state, span.start);
  return span;
}

int64_t Timeline::Signal(Pipe pipe) {
  PipeState& state = State(pipe);
  const int64_t issue = Issue(state, costs_.scalar_issue_cycles);
  Leave(state, std::max({issue, state.held, state.free}));
  return std::max({issue, state.held, state.done});
}

void Timeline::SetFlag(Pipe src, Pipe dst, int id) {
  FlagTime(src, dst, id) = Signal(src) + costs_.flag_cycles;
}

void Timeline::WaitFlag(Pipe src, Pipe dst, int id) {
  PipeState& state = State(dst);
  const int64_t issue = Issue(state, costs_.scalar_issue_cycles);
  state.held = std::max({state.held, issue, FlagTime(src, dst, id)});
  if (dst == Pipe::kS) {
    scalar_ = state.held;
  }
  Leave(state, std::max(state.held, state.free));
}

void Timeline::Barrier(Pipe pipe) {
  PipeState& state = State(pipe);
  const int64_t issue = Issue(state, costs_.scalar_issue_cycles);
  state.held = std::max({state.held, issue, state.done + costs_.barrier_cycles});
  Leave(state, std::max(state.held, state.free));
}

void Timeline::BarrierAll() {
  scalar_ += costs_.scalar_issue_cycles;
  HoldAllUntil(EndTime() + costs_.barrier_cycles);
}

void Timeline::HoldAllUntil(int64_t time) {
  scalar_ = std::max(scalar_, time);
  for (PipeState& state : pipes_) {
    state.held = std::max(state.held, time);
  }
}

int64_t Timeline::EndTime() const {
  int64_t end = scalar_;
  for (const PipeState& state : pipes_) {
    end = std::max({end, state.done, state.held});
  }
  return end;
}

}  // namespace tilesim
