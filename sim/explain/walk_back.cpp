#include "sim/explain/walk_back.h"

#include <algorithm>
#include <stdexcept>

namespace tilesim {
namespace {

// What lies between an instruction's result and the end of waiting for it.
Cause HandOverOf(Wait wait) {
  switch (wait) {
    case Wait::kFlag:
      return Cause::kFlag;
    case Wait::kBarrier:
      return Cause::kBarrier;
    case Wait::kUnitFlag:
      return Cause::kUnitFlag;
    case Wait::kCrossCore:
      return Cause::kCrossCore;
    case Wait::kIssue:
    case Wait::kPipe:
    case Wait::kQueue:
    case Wait::kScalar:
      return Cause::kIssue;
  }
  return Cause::kIssue;
}

}  // namespace

void TellWork(const KeptRun& run, int64_t begin, int64_t end,
              const std::function<void(int64_t, int64_t, Cause)>& tell) {
  const int64_t busy = std::max<int64_t>(run.span.free - run.span.start, 1);
  const int64_t share = (end - begin) * run.share_cycles / busy;
  const int64_t miss = (end - begin) * run.miss_cycles / busy;
  const auto tell_some = [&](int64_t from, int64_t to, Cause cause) {
    if (from < to) {
      tell(from, to, cause);
    }
  };
  tell_some(end - share, end, Cause::kShared);
  tell_some(end - share - miss, end - share, Cause::kL2Miss);
  tell_some(begin, end - share - miss, Cause::kWork);
}

void WalkBack::BeforeStart(const KeptRun& run) { FollowFrom(ReasonOfStart(run)); }

void WalkBack::AfterIssuing(const Trail& reason) {
  DownTo(reason.until, Cause::kIssue, Pipe::kS);
  AfterWaiting(reason);
}

void WalkBack::AfterWaiting(const Trail& reason) { FollowFrom(Waited(reason)); }

void WalkBack::While(const KeptRun& run) { FollowFrom(&run); }

void WalkBack::FollowFrom(const KeptRun* run) {
  while (run != nullptr && at_ > from_) {
    WorkDownTo(*run);
    run = ReasonOfStart(*run);
  }
}

// at_ is the start of `run`. Gives whose start or end it waited for; nullptr: that is not known, all is told.
const KeptRun* WalkBack::ReasonOfStart(const KeptRun& run) {
  if (run.span.start > run.span.issue) {
    return Waited(run.reason);
  }
  DownTo(run.issued_after.until, Cause::kIssue, Pipe::kS);
  return Waited(run.issued_after);
}

const KeptRun* WalkBack::Waited(const Trail& reason) {
  const KeptRun* const run = runs_.Find(reason.core, reason.run);
  if (run == nullptr && reason.run >= 0) {
    throw std::logic_error("a way back in time led to an instruction that was not kept");
  }
  if (run == nullptr) {  // since the kernel's start
    DownTo(from_, reason.why == Wait::kCrossCore ? Cause::kCrossCore : Cause::kIssue, Pipe::kS);
    return nullptr;
  }
  if (reason.why == Wait::kQueue && !queue_) {
    queue_ = reason.by;
  }
  // A flag that the scalar unit came to set only now: `run` is what that unit had waited for itself.
  const bool set_late = reason.why == Wait::kFlag && run->pipe != reason.by;
  if (at_ > run->span.done) {
    DownTo(run->span.done, set_late ? Cause::kIssue : HandOverOf(reason.why), Pipe::kS);
  } else if (set_late) {
    DownTo(run->span.start, Cause::kIssue, Pipe::kS);
  }
  core_ = reason.core;
  return run;
}

void WalkBack::DownTo(int64_t time, Cause cause, Pipe pipe, const KeptRun* run) {
  const int64_t begin = std::max(time, from_);
  if (begin < at_) {
    visit_({.begin = begin,
            .end = at_,
            .cause = cause,
            .pipe = pipe,
            .core = core_,
            .run = run,
            .queue = queue_});
    at_ = begin;
  }
}

void WalkBack::WorkDownTo(const KeptRun& run) {
  DownTo(run.span.free, Cause::kLatency, run.pipe, &run);
  if (std::max(run.span.start, from_) < at_) {
    TellWork(run, std::max(run.span.start, from_), at_,
             [&](int64_t begin, int64_t, Cause cause) { DownTo(begin, cause, run.pipe, &run); });
  }
}

}  // namespace tilesim
