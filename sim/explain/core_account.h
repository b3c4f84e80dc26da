// Where the time of one core went: each pipe's, and the critical path's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/replay.h"
#include "sim/explain/cause.h"
#include "sim/explain/kept_runs.h"
#include "sim/explain/walk_back.h"

namespace tilesim {

// The first of the cores that end last, and what it and, if it waits for them, the others did.
class LastCore {
 public:
  // `times`: as the recording replays on `soc`. Replays it once more, watching; `also` watches, too.
  LastCore(const LaunchRecording& recording, const SocConfig& soc, const LaunchTimes& times,
           ClockObserver* also = nullptr);

  int core() const { return core_; }
  const CoreTimes& times() const { return times_; }
  const RunKeeper& runs() const { return runs_; }

 private:
  int core_;
  CoreTimes times_;
  RunKeeper runs_;
};

// The time of a pipe: what it worked, and why it did not in the rest. Both add up to the core's cycles.
struct PipeAccount {
  Account busy;  // kWork, kL2Miss, kShared; of S: kIssue, too
  Account idle;
  int64_t cycles() const { return busy.total() + idle.total(); }
};

// By Index(Pipe). The core must be kept, and have run to its end; `times`: of the replay that `runs` watched.
std::array<PipeAccount, kNumPipes> AccountsOf(const RunKeeper& runs, int core, const CoreTimes& times);

// Likewise. From the kernel's start to the core's end, the earliest stretch first, without gaps. Had one
// of them been shorter the core might have ended earlier, up to where another way becomes critical.
std::vector<Stretch> CriticalPath(const RunKeeper& runs, int core, const CoreTimes& times);
Account AccountOf(const std::vector<Stretch>& path);

}  // namespace tilesim
