// The clock of one core: goes through what the core recorded. Knows other cores by what it is told of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/clock_observer.h"
#include "sim/core/gm_move.h"
#include "sim/core/recording.h"
#include "sim/core/replay.h"
#include "sim/core/timeline.h"
#include "sim/core/unit_flags.h"

namespace tilesim {

template <class Trail>
class CoreClock {
 public:
  using Moment = tilesim::Moment<Trail>;

  CoreClock(const Recording& recording, const CoreIdentity& identity, const SocConfig& soc,
            const WhatIf& what_if, ClockObserver* observer)
      : recording_(recording),
        at_(recording),
        core_(identity.index),
        cross_core_cycles_(soc.cross_core_cycles),
        what_if_(what_if),
        observer_(observer),
        timeline_(TimelineCosts::Of(soc)) {}

  enum class Pause : uint8_t { kEnd, kCrossCore, kGm };

  // Goes on until the core comes to its end, waits for others, or is about to move bytes of GM.
  Pause Advance() {
    for (; !at_.AtEnd(); ++at_) {
      const Step& step = *at_;
      if (step.kind == Step::Kind::kCrossWait) {
        if (!what_if_.never_waits_for_others) {
          return Pause::kCrossCore;
        }
        ++waits_;
      }
      if (step.gm != 0) {
        pass_ = timeline_.Begin(step.pipe);
        return Pause::kGm;
      }
      Do(step);
    }
    return Pause::kEnd;
  }

  // The move of GM: its pattern, where in the buffer it begins, and when.
  const GmPattern& move() const { return recording_.PatternOf(*at_); }
  uint64_t move_begin() const { return recording_.GmBegin(moves_); }
  int64_t move_start() const { return pass_.start.at; }
  Pipe move_pipe() const { return at_->pipe; }
  bool move_is_free() const { return what_if_.free_pipes[Slot(at_->pipe)]; }
  // It is made; past it.
  void Move(const Cost& cost, const GmTime& gm) {
    Finish(*at_, cost, gm);
    ++moves_;
    ++at_;
  }

  // Where it runs, another ran before; from now on it is its.
  void StartAt(const Moment& moment) { timeline_.HoldAllUntil(moment.Because(Wait::kCrossCore)); }
  Moment End() const { return timeline_.End(); }

  // What a core that waits for others waits for.
  std::span<const CrossCoreSource> awaited() const { return recording_.SourcesOfWait(waits_); }
  // It is up since `moment`; past the wait.
  void Resume(const Moment& moment) {
    timeline_.HoldAllUntil(moment.Because(Wait::kCrossCore));
    ++waits_;
    ++at_;
  }
  // When its flags for others were set, so far.
  const std::vector<Moment>& cross_sets() const { return cross_sets_; }

  // So far; of the scalar unit nothing.
  const std::array<int64_t, kNumPipes>& busy_cycles() const { return busy_cycles_; }
  // The next instruction of `pipe` starts no earlier.
  int64_t NextStart(Pipe pipe) const { return timeline_.NextStart(pipe); }

  CoreTimes times() const {
    CoreTimes times;
    times.busy_cycles = busy_cycles_;
    times.busy_cycles[Slot(Pipe::kS)] = timeline_.scalar_busy_cycles();
    times.scalar_cycle = timeline_.scalar().at;
    if constexpr (Trail::kKept) {
      times.scalar_after = timeline_.scalar().trail;
    }
    times.end_cycle = timeline_.End().at;
    return times;
  }

 private:
  void Do(const Step& step) {
    using enum Step::Kind;
    switch (step.kind) {
      case kRun:
        return Run(step);
      case kSetFlag:
        return timeline_.SetFlag(step.pipe, step.to, step.id);
      case kWaitFlag:
        return timeline_.WaitFlag(step.pipe, step.to, step.id);
      case kBarrier:
        return timeline_.Barrier(step.pipe);
      case kBarrierAll:
        return timeline_.BarrierAll();
      case kScalar:
        return timeline_.AdvanceScalar(step.cost.busy_cycles);
      case kAwait:
        return timeline_.Hold(Pipe::kS, timeline_.Signal(step.pipe).Because(Wait::kFlag, step.pipe));
      case kTakeUnits:
        return TakeUnits(step);
      case kHandUnits:
        return HandUnits(step);
      case kCrossSet:
        cross_sets_.push_back(timeline_.Signal(step.pipe).After(cross_core_cycles_));
        return;
      case kCrossWait:
        return;
    }
  }

  static size_t Slot(Pipe pipe) { return static_cast<size_t>(Index(pipe)); }

  void Run(const Step& step) {
    pass_ = timeline_.Begin(step.pipe);
    Finish(step, what_if_.free_pipes[Slot(step.pipe)] ? Cost{} : step.cost, {});
  }

  // Of the instruction that pass_ has begun.
  void Finish(const Step& step, const Cost& cost, const GmTime& gm) {
    const size_t pipe = Slot(step.pipe);
    timeline_.Finish(step.pipe, cost, Trail::Of(step.pipe, core_, runs_), pass_);
    busy_cycles_[pipe] += cost.busy_cycles;
    last_[pipe] = {.free = pass_.free, .done = pass_.done};
    if constexpr (Trail::kKept) {
      Trail reason = pass_.start.trail;
      reason.until = reason.why == Wait::kPipe ? pass_.start.at : reason.until;
      observer_->OnRun({.core_index = core_,
                        .run = runs_,
                        .step = step,
                        .span = pass_.span(),
                        .reason = reason,
                        .issued_after = pass_.issue.trail,
                        .gm = gm});
    }
    ++runs_;
  }

  void TakeUnits(const Step& step) {
    const Pipe partner = step.pipe == Pipe::kM ? Pipe::kFix : Pipe::kM;
    units_.ForRuns(step.block, step.blocks, [&](const Moment& since) {
      timeline_.Hold(step.pipe, since.Because(Wait::kUnitFlag, partner));
    });
  }
  void HandUnits(const Step& step) {
    const Last& last = last_[Slot(step.pipe)];
    units_.Set(step.block, step.blocks, step.pipe == Pipe::kM ? last.done : last.free);
  }

  const Recording& recording_;
  Recording::Cursor at_;  // the next step
  int core_;
  int64_t cross_core_cycles_;
  const WhatIf& what_if_;
  ClockObserver* observer_;
  Timeline<Trail> timeline_;
  typename Timeline<Trail>::Pass pass_;  // of the instruction in hand
  int64_t runs_ = 0;                     // instructions before it
  size_t moves_ = 0;                     // moves of GM before it
  size_t waits_ = 0;                     // waits for other cores before it
  std::array<int64_t, kNumPipes> busy_cycles_{};
  struct Last {
    Moment free, done;
  };
  std::array<Last, kNumPipes> last_;  // instruction of each pipe
  UnitFlags<Moment> units_;           // by block of L0C: since when its unit flag is as it is
  std::vector<Moment> cross_sets_;
};

}  // namespace tilesim
