#include "sim/core/fault_times.h"

#include <cstdint>
#include <map>
#include <utility>

#include "sim/core/replay.h"

namespace tilesim {
namespace {

class FaultWatch : public ClockObserver {
 public:
  FaultWatch(const std::vector<CoreIdentity>& cores, std::vector<Fault>& faults) {
    for (const CoreIdentity& core : cores) {
      for (Fault& fault : faults) {
        if (fault.core == core.Name() && fault.run >= 0) {
          faults_.emplace(std::pair(core.index, fault.run), &fault);
        }
      }
    }
  }

  void OnRun(const TimedRun& timed) override {
    const auto [begin, end] = faults_.equal_range({timed.core_index, timed.run});
    for (auto at = begin; at != end; ++at) {
      at->second->cycle = timed.span.start;
    }
  }

  // Those whose instruction never ran.
  void TellRefused(const LaunchTimes& times) {
    for (auto& [place, fault] : faults_) {
      if (fault->cycle < 0) {
        fault->cycle = times.cores[static_cast<size_t>(place.first)].scalar_cycle;
      }
    }
  }

 private:
  std::multimap<std::pair<int, int64_t>, Fault*> faults_;  // by core and number of the instruction
};

}  // namespace

void TellCycles(const LaunchRecording& recording, const SocConfig& soc, std::vector<Fault>& faults) {
  FaultWatch watch(recording.cores, faults);
  watch.TellRefused(Replay(recording, soc, {}, &watch));
}

}  // namespace tilesim
