#include "sim/core/replay.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/core/core_clock.h"
#include "sim/core/l2_slices.h"
#include "sim/core/shared_gm.h"

namespace tilesim {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

template <class Trail>
class Replayer {
 public:
  Replayer(const LaunchRecording& recording, const SocConfig& soc, const WhatIf& what_if,
           ClockObserver* observer)
      : gm_(soc, recording.buffer_bytes, what_if),
        slices_(soc, recording.cores.size()),
        recording_(recording),
        soc_(soc),
        what_if_(what_if),
        reads_(recording.cores.size()),
        slice_cycles_(recording.cores.size()),
        starts_(recording.cores.size(), kNever),
        until_(recording.cores.size()) {
    clocks_.reserve(recording.cores.size());
    for (size_t i = 0; i < recording.cores.size(); ++i) {
      clocks_.emplace_back(recording.recordings[i], recording.cores[i], soc, what_if, observer);
    }
  }

  // Given up where it would last longer.
  LaunchTimes Run() {
    Begin();
    ResumeWaiting();
    while (!is_cut_) {
      const size_t next = static_cast<size_t>(std::ranges::min_element(starts_) - starts_.begin());
      if (!clocks_.empty() && StartLate(starts_[next])) {
        continue;
      }
      if (clocks_.empty() || starts_[next] == kNever) {
        break;
      }
      Move(next);
      Advance(next);
      ResumeWaiting();
      if (!work_.empty() && LeastEnd(next) > most_cycles_) {
        return {.cores = {}, .cycles = kNever};
      }
    }
    return Gather();
  }

  // Has Run give up, and tell kNever, where a core cannot come to its end in so many cycles.
  void GiveUpAfter(int64_t most_cycles) {
    most_cycles_ = most_cycles;
    for (const Recording& recording : recording_.recordings) {
      work_.push_back(WorkOf(recording));
    }
  }

  // Of a launch that goes on behind what is recorded: has Run stop where the first core comes to that end.
  void GoOnWith(const std::vector<RestOfCore>& rests) {
    rests_ = rests;
    for (size_t core = 0; core < rests.size(); ++core) {
      for (size_t pipe = 0; pipe < kNumPipes; ++pipe) {
        work_[core][pipe] += rests[core].busy_cycles[pipe];
      }
    }
  }
  [[nodiscard]] int64_t LeastEnd() const {
    int64_t end = 0;
    for (size_t core = 0; core < clocks_.size(); ++core) {
      end = std::max(end, LeastEnd(core));
    }
    return end;
  }

 private:
  using Moment = tilesim::Moment<Trail>;
  using Pause = typename CoreClock<Trail>::Pause;
  using Work = std::array<int64_t, kNumPipes>;

  // Cycles that a core's pipes are busy at least.
  Work WorkOf(const Recording& recording) const {
    Work work{};
    recording.ForDistinctSteps([&](const Step& step, int64_t times) {
      const auto pipe = static_cast<size_t>(Index(step.pipe));
      if (step.kind == Step::Kind::kRun && !what_if_.free_pipes[pipe]) {
        work[pipe] +=
            times * (step.gm == 0 ? step.cost.busy_cycles : gm_.AloneCycles(recording.PatternOf(step)));
      }
    });
    return work;
  }

  // When a core can be done with all that is left.
  int64_t LeastEnd(size_t core) const {
    int64_t end = 0;
    for (size_t pipe = 0; pipe < kNumPipes; ++pipe) {
      const int64_t left = work_[core][pipe] - clocks_[core].busy_cycles()[pipe];
      end = std::max(end, left <= 0 ? 0 : clocks_[core].NextStart(static_cast<Pipe>(pipe)) + left);
    }
    return end;
  }

  // Starts as many cores as the part has.
  void Begin() {
    std::array<int64_t, 2> free = {soc_.aic_cores, soc_.aic_cores * soc_.aiv_per_aic};
    for (size_t core = 0; core < clocks_.size(); ++core) {
      if (free[recording_.cores[core].kind == CoreKind::kAic ? 0 : 1]-- > 0) {
        Advance(core);
      } else {
        late_.push_back(core);
      }
    }
  }
  // Starts the next core that is too many for the part where one has ended by `time`. Such launches have
  // cores of one kind.
  bool StartLate(int64_t time) {
    if (late_.empty() || ends_.empty()) {
      return false;
    }
    const auto earliest = std::ranges::min_element(ends_, {}, &Moment::at);
    if (earliest->at > time) {
      return false;
    }
    const size_t core = late_.front();
    clocks_[core].StartAt(*earliest);
    ends_.erase(earliest);
    late_.erase(late_.begin());
    Advance(core);
    return true;
  }

  void Advance(size_t core) {
    const Pause pause = clocks_[core].Advance();
    if (pause == Pause::kEnd) {
      ends_.push_back(clocks_[core].End());
    }
    is_cut_ = is_cut_ || (pause == Pause::kEnd && !rests_.empty() && rests_[core].any);
    starts_[core] = pause == Pause::kGm ? clocks_[core].move_start() : kNever;
    if (pause == Pause::kGm) {
      const GmPattern& pattern = clocks_[core].move();
      slices_.Announce(core,
                       clocks_[core].move_is_free()
                           ? L2Slices::Read{}
                           : slices_.Of(pattern.shape, gm_.PlaceOf(pattern, clocks_[core].move_begin())));
    }
    if (pause == Pause::kCrossCore) {
      waiting_.push_back(core);
    }
  }

  void Move(size_t core) {
    CoreClock<Trail>& clock = clocks_[core];
    const int64_t start = starts_[core];
    const GmPattern& pattern = clock.move();
    GmTime time;
    Cost cost;
    if (clock.move_is_free()) {
      gm_.MoveFree(pattern, clock.move_begin(), static_cast<int>(core), time);
    } else {
      cost = gm_.Move(pattern, clock.move_begin(), static_cast<int>(core), start,
                      SharersAt(core, start, starts_, until_, slices_.CyclesOf(core, start, starts_)),
                      until_[core], time);
      slices_.Begin(core, start, start + cost.busy_cycles);
    }
    if (pattern.shape.use == Use::kRead) {
      reads_[core].hit += time.bytes.hit;
      reads_[core].miss += time.bytes.miss;
      slice_cycles_[core] += time.slice_cycles;
    }
    if (!work_.empty()) {
      work_[core][static_cast<size_t>(Index(clock.move_pipe()))] += cost.busy_cycles - time.alone_cycles;
    }
    clock.Move(cost, time);
  }

  // Lets all go on whose flags are up; those may set what others wait for.
  void ResumeWaiting() {
    for (size_t i = 0; i < waiting_.size();) {
      const size_t core = waiting_[i];
      if (!CanResume(core)) {
        ++i;
        continue;
      }
      waiting_.erase(waiting_.begin() + static_cast<int64_t>(i));
      Resume(core);
      Advance(core);
      i = 0;
    }
  }

  bool CanResume(size_t core) const {
    return std::ranges::all_of(clocks_[core].awaited(), [&](const CrossCoreSource& source) {
      return source.set < clocks_[static_cast<size_t>(source.core)].cross_sets().size();
    });
  }

  void Resume(size_t core) {
    Moment up;
    for (const CrossCoreSource& source : clocks_[core].awaited()) {
      up = Later(up, clocks_[static_cast<size_t>(source.core)].cross_sets()[source.set]);
    }
    clocks_[core].Resume(up);
  }

  LaunchTimes Gather() const {
    LaunchTimes times;
    for (const CoreClock<Trail>& clock : clocks_) {
      times.cores.push_back(clock.times());
      times.cores.back().read_bytes = reads_[times.cores.size() - 1];
      times.cores.back().slice_cycles = slice_cycles_[times.cores.size() - 1];
      times.cycles = std::max(times.cycles, times.cores.back().end_cycle);
    }
    return times;
  }

  SharedGm gm_;
  L2Slices slices_;
  std::vector<CoreClock<Trail>> clocks_;
  std::vector<size_t> waiting_;  // cores that wait for flags of others
  std::vector<size_t> late_;     // cores that start where another has ended
  std::vector<Moment> ends_;     // of cores whose place is free
  const LaunchRecording& recording_;
  const SocConfig& soc_;
  const WhatIf& what_if_;
  int64_t most_cycles_ = kNever;
  bool is_cut_ = false;  // a core is at the end of its recording, but not of its work
  // By core:
  std::vector<RestOfCore> rests_;  // none where all is recorded
  std::vector<Work> work_;         // and what moves take longer than alone; none where nothing is given up
  std::vector<GmBytes> reads_;
  std::vector<int64_t> slice_cycles_;
  std::vector<int64_t> starts_;  // when its next move of GM starts; kNever: it has none now
  std::vector<GmUntil> until_;
};

}  // namespace

LaunchTimes Replay(const LaunchRecording& recording, const SocConfig& soc, const WhatIf& what_if,
                   ClockObserver* observer) {
  return observer == nullptr ? Replayer<NoTrail>(recording, soc, what_if, nullptr).Run()
                             : Replayer<Trail>(recording, soc, what_if, observer).Run();
}

std::optional<LaunchTimes> ReplayWithin(const LaunchRecording& recording, const SocConfig& soc,
                                        int64_t most_cycles, const WhatIf& what_if) {
  Replayer<NoTrail> replayer(recording, soc, what_if, nullptr);
  replayer.GiveUpAfter(most_cycles);
  LaunchTimes times = replayer.Run();
  return times.cycles <= most_cycles ? std::optional(std::move(times)) : std::nullopt;
}

bool MayEndWithin(const LaunchRecording& begun, const std::vector<RestOfCore>& rests, const SocConfig& soc,
                  int64_t most_cycles) {
  const WhatIf as_is;
  Replayer<NoTrail> replayer(begun, soc, as_is, nullptr);
  replayer.GiveUpAfter(most_cycles);
  replayer.GoOnWith(rests);
  return replayer.Run().cycles != kNever && replayer.LeastEnd() <= most_cycles;
}

}  // namespace tilesim
