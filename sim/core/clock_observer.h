// Who wants to know when each instruction of a replay runs, and why not earlier.
#pragma once

#include <cstdint>

#include "sim/core/recording.h"
#include "sim/core/timeline.h"
#include "sim/core/trail.h"

namespace tilesim {

// Where an instruction's bytes of GM were found, and what of its busy cycles that cost: alone with everything
// in L2, more for what was not, more for what others took of L2 and HBM. The three add up.
struct GmTime {
  GmBytes bytes = {};
  int64_t alone_cycles = 0;
  int64_t miss_cycles = 0;
  int64_t share_cycles = 0;
  int64_t slice_cycles = 0;  // of these: more than all but L2's slices would have taken
};

// One instruction in time. Where it started late, `reason` says what it waited for last: what made its start
// `span.start` and not earlier. That is
// - its pipe (kPipe, reason.run being the instruction before it), if span.start > span.ready;
// - else a flag, barrier, unit flag or cross-core flag that was up at reason.until, if span.start >
// span.issue;
// - else the scalar unit, which issued it at span.start. It had itself been stopped by `reason` until
//   reason.until, and has been issuing since: a pipe that was idle over both waited for the one, then for the
//   other.
// reason.core and reason.run name the instruction whose end (kQueue: start) that was.
struct TimedRun {
  int core_index = 0;
  int64_t run = 0;  // counted from 0 in the core's program order
  const Step& step;
  Span span;
  Trail reason;
  Trail issued_after = {};  // what the scalar unit had waited for last when it issued it; it has been issuing
                            // since `until`
  GmTime gm = {};           // zeros where it moves none
};

// Called for every instruction of a core in program order; those of different cores come in no order of time.
class ClockObserver {
 public:
  virtual ~ClockObserver() = default;
  virtual void OnRun(const TimedRun& timed) = 0;
};

}  // namespace tilesim
