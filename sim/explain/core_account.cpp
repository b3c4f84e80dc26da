#include "sim/explain/core_account.h"

#include <algorithm>
#include <span>

namespace tilesim {
namespace {

bool MeetsOthers(const Recording& recording) {
  bool meets = false;
  recording.ForDistinctSteps([&](const Step& step, int64_t times) {
    meets = meets || (times > 0 && step.kind == Step::Kind::kCrossWait);
  });
  return meets;
}

// Tells two.
class Both : public ClockObserver {
 public:
  Both(ClockObserver& first, ClockObserver& second) : first_(first), second_(second) {}
  void OnRun(const TimedRun& timed) override {
    first_.OnRun(timed);
    second_.OnRun(timed);
  }

 private:
  ClockObserver& first_;
  ClockObserver& second_;
};

class PipeBook {
 public:
  PipeBook(const RunKeeper& runs, int core) : runs_(runs), core_(core) {}

  void Add(const KeptRun& run) {
    AddToScalar(run);
    if (run.pipe != Pipe::kS) {
      AddToPipe(run);
    }
  }

  std::array<PipeAccount, kNumPipes> Close(const CoreTimes& times) {
    for (size_t p = 0; p < kNumPipes; ++p) {
      const auto pipe = static_cast<Pipe>(p);
      if (pipe == Pipe::kS) {
        AddIssuing(times.scalar_after, times.scalar_cycle);
      }
      accounts_[p].idle.Add(until_[p] == 0 ? Cause::kUnused : Cause::kTail, pipe,
                            times.end_cycle - until_[p]);
    }
    return accounts_;
  }

 private:
  static size_t Slot(Pipe pipe) { return static_cast<size_t>(Index(pipe)); }

  void AddToPipe(const KeptRun& run) {
    PipeAccount& account = accounts_[Slot(run.pipe)];
    int64_t& until = until_[Slot(run.pipe)];
    if (run.span.start > until) {
      WalkBack(runs_, core_, until, run.span.start, Idle(account)).BeforeStart(run);
    }
    TellWork(run, run.span.start, run.span.free, [&](int64_t begin, int64_t end, Cause cause) {
      account.busy.Add(cause, run.pipe, end - begin);
    });
    until = run.span.free;
  }

  // The scalar unit issued before, waited, and issued again up to this instruction.
  void AddToScalar(const KeptRun& run) {
    PipeAccount& account = accounts_[Slot(Pipe::kS)];
    int64_t& until = until_[Slot(Pipe::kS)];
    AddIssuing(run.issued_after, run.span.issue);
    if (run.pipe == Pipe::kS) {
      if (run.span.start > until) {
        WalkBack(runs_, core_, until, run.span.start, Idle(account)).BeforeStart(run);
      }
      account.busy.Add(Cause::kWork, Pipe::kS, run.span.done - run.span.start);
      until = run.span.done;
    }
  }

  // It waited for what `reason` says and has been issuing since, up to `time`.
  void AddIssuing(const Trail& reason, int64_t time) {
    PipeAccount& account = accounts_[Slot(Pipe::kS)];
    int64_t& until = until_[Slot(Pipe::kS)];
    const int64_t waited_until = std::clamp(reason.until, until, time);
    if (waited_until > until) {
      WalkBack(runs_, core_, until, waited_until, Idle(account)).AfterWaiting(reason);
    }
    account.busy.Add(Cause::kIssue, Pipe::kS, time - waited_until);
    until = time;
  }

  WalkBack::Visit Idle(PipeAccount& account) const {
    return [this, &account](const Stretch& stretch) {
      const int64_t cycles = stretch.end - stretch.begin;
      if (stretch.core != core_) {
        account.idle.Add(Cause::kCrossCore, stretch.pipe, cycles);
      } else if (stretch.queue) {
        account.idle.Add(Cause::kQueue, *stretch.queue, cycles);
      } else {
        account.idle.Add(stretch.cause, stretch.pipe, cycles);
      }
    };
  }

  const RunKeeper& runs_;
  int core_;
  std::array<PipeAccount, kNumPipes> accounts_;
  std::array<int64_t, kNumPipes> until_{};  // accounted for
};

}  // namespace

LastCore::LastCore(const LaunchRecording& recording, const SocConfig& soc, const LaunchTimes& times,
                   ClockObserver* also)
    : core_(static_cast<int>(std::ranges::max_element(times.cores, {}, &CoreTimes::end_cycle) -
                             times.cores.begin())),
      runs_(recording.cores.size(),
            MeetsOthers(recording.recordings[static_cast<size_t>(core_)]) ? -1 : core_) {
  Both both(runs_, also == nullptr ? runs_ : *also);
  ClockObserver* const observer = also == nullptr ? static_cast<ClockObserver*>(&runs_) : &both;
  times_ = Replay(recording, soc, {}, observer).cores[static_cast<size_t>(core_)];
}

std::array<PipeAccount, kNumPipes> AccountsOf(const RunKeeper& runs, int core, const CoreTimes& times) {
  PipeBook book(runs, core);
  for (const KeptRun& run : runs.OfCore(core)) {
    book.Add(run);
  }
  return book.Close(times);
}

std::vector<Stretch> CriticalPath(const RunKeeper& runs, int core, const CoreTimes& times) {
  std::vector<Stretch> path;
  const std::span<const KeptRun> all = runs.OfCore(core);
  const auto last = std::ranges::max_element(all, {}, [](const KeptRun& run) { return run.span.done; });
  const WalkBack::Visit keep = [&](const Stretch& stretch) { path.push_back(stretch); };
  WalkBack walk(runs, core, 0, times.end_cycle, keep);
  if (last != all.end() && (last->span.done == times.end_cycle || times.scalar_cycle < times.end_cycle)) {
    walk.While(*last);
  } else {
    walk.AfterIssuing(times.scalar_after);
  }
  std::ranges::reverse(path);
  return path;
}

Account AccountOf(const std::vector<Stretch>& path) {
  Account account;
  for (const Stretch& stretch : path) {
    account.Add(stretch.cause, stretch.pipe, stretch.end - stretch.begin);
  }
  return account;
}

}  // namespace tilesim
