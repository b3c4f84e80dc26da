// The instructions of a replay in time, kept so that what waited for what can be followed backwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/clock_observer.h"

namespace tilesim {

struct KeptRun {
  int core;  // whose `run`-th instruction it is
  int64_t run;
  const char* name;
  SourceLine where;
  Pipe pipe;
  Span span;
  Trail reason;        // why it started no earlier
  Trail issued_after;  // why it was issued no earlier
  int64_t miss_cycles;
  int64_t share_cycles;
};

// Keeps the instructions of the cores it is told to; about 150 bytes each.
class RunKeeper : public ClockObserver {
 public:
  // `core`: whose instructions to keep; -1: everybody's.
  RunKeeper(size_t num_cores, int core) : core_(core), runs_(num_cores) {}

  void OnRun(const TimedRun& timed) override;

  std::span<const KeptRun> OfCore(int core) const { return runs_[static_cast<size_t>(core)]; }
  // nullptr: not kept, or there is no such instruction.
  const KeptRun* Find(int core, int64_t run) const;

 private:
  int core_;
  std::vector<std::vector<KeptRun>> runs_;  // by core, in program order
};

}  // namespace tilesim
