#include "sim/core/replay.h"

#include <algorithm>
#include <limits>

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
        reads_(recording.cores.size()),
        slice_cycles_(recording.cores.size()),
        starts_(recording.cores.size(), kNever),
        until_(recording.cores.size()) {
    clocks_.reserve(recording.cores.size());
    for (size_t i = 0; i < recording.cores.size(); ++i) {
      clocks_.emplace_back(recording.recordings[i], recording.cores[i], soc, what_if, observer);
    }
  }

  LaunchTimes Run() {
    for (size_t core = 0; core < clocks_.size(); ++core) {
      Advance(core);
    }
    ResumeWaiting();
    while (true) {
      const size_t next = static_cast<size_t>(std::ranges::min_element(starts_) - starts_.begin());
      if (clocks_.empty() || starts_[next] == kNever) {
        break;
      }
      Move(next);
      Advance(next);
      ResumeWaiting();
    }
    return Gather();
  }

 private:
  using Moment = tilesim::Moment<Trail>;
  using Pause = typename CoreClock<Trail>::Pause;

  void Advance(size_t core) {
    const Pause pause = clocks_[core].Advance();
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
      cost = gm_.Move(pattern, clock.move_begin(), static_cast<int>(core), start, Sharers(core, start),
                      until_[core], time);
      slices_.Begin(core, start, start + cost.busy_cycles);
    }
    if (pattern.shape.use == Use::kRead) {
      reads_[core].hit += time.bytes.hit;
      reads_[core].miss += time.bytes.miss;
      slice_cycles_[core] += time.slice_cycles;
    }
    clock.Move(cost, time);
  }

  // Who takes of GM at `time`: `core`, those that are in the middle of it, and those about to start now, of
  // which nobody knows yet where their bytes are.
  GmSharers Sharers(size_t core, int64_t time) const {
    GmSharers sharers{.l2 = 0, .hbm = 0, .slice_cycles = slices_.CyclesOf(core, time, starts_)};
    for (size_t other = 0; other < clocks_.size(); ++other) {
      const bool starts = other == core || starts_[other] <= time;
      sharers.l2 += starts || until_[other].l2 > time ? 1 : 0;
      sharers.hbm += starts || until_[other].hbm > time ? 1 : 0;
    }
    return sharers;
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
  // By core:
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

}  // namespace tilesim
