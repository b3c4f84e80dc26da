#include "sim/core/replay.h"

#include <algorithm>

#include "sim/core/core_clock.h"

namespace tilesim {
namespace {

template <class Trail>
class Replayer {
 public:
  Replayer(const LaunchRecording& recording, const SocConfig& soc, const WhatIf& what_if,
           ClockObserver* observer) {
    clocks_.reserve(recording.cores.size());
    for (size_t i = 0; i < recording.cores.size(); ++i) {
      clocks_.emplace_back(recording.recordings[i], recording.cores[i], soc, what_if, observer);
    }
  }

  LaunchTimes Run() {
    std::vector<size_t> running(clocks_.size());
    for (size_t i = 0; i < clocks_.size(); ++i) {
      running[i] = i;
    }
    std::vector<size_t> waiting;
    while (!running.empty()) {
      for (const size_t core : running) {
        if (clocks_[core].Advance()) {
          waiting.push_back(core);
        }
      }
      running.clear();
      const auto rests = [&](size_t core) { return !CanResume(core); };
      const auto resumed = std::stable_partition(waiting.begin(), waiting.end(), rests);
      running.assign(resumed, waiting.end());
      waiting.erase(resumed, waiting.end());
      for (const size_t core : running) {
        Resume(core);
      }
    }
    return Gather();
  }

 private:
  using Moment = tilesim::Moment<Trail>;

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
      times.cycles = std::max(times.cycles, times.cores.back().end_cycle);
    }
    return times;
  }

  std::vector<CoreClock<Trail>> clocks_;
};

}  // namespace

LaunchTimes Replay(const LaunchRecording& recording, const SocConfig& soc, const WhatIf& what_if,
                   ClockObserver* observer) {
  return observer == nullptr ? Replayer<NoTrail>(recording, soc, what_if, nullptr).Run()
                             : Replayer<Trail>(recording, soc, what_if, observer).Run();
}

}  // namespace tilesim
