// The clock: when everything that a launch's cores recorded happens on a part, all cores together. Launch
// does this once, for the cycles it tells; a recording that was kept may be asked again:
//
//   LaunchRecording recording;
//   Launch(soc, {.gm = ..., .recording = &recording}, kernel);
//   Replay(recording, soc).cycles;                               // as Launch told
//   Replay(recording, soc, WhatIf::Free(Pipe::kMte1)).cycles;    // if MTE1 took no time
//   Replay(recording, other_soc).cycles;                         // with other figures, see below
//   Replay(recording, soc, {}, &observer);                       // tells each instruction, and what it
//   waited for
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/clock_observer.h"
#include "sim/core/gm_move.h"
#include "sim/core/pipe.h"
#include "sim/core/recording.h"
#include "sim/core/trail.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What takes no time in a replay, or another.
struct WhatIf {
  std::array<bool, kNumPipes> free_pipes{};  // its instructions end as they start
  bool all_in_l2 = false;                    // every byte is found in L2
  bool gm_unshared = false;                  // each core has L2 and HBM for itself
  int64_t even_share = 0;  // each core has one of so many even shares of L2, whatever others do; 0: no
  bool never_waits_for_others = false;  // flags of other cores are up

  static WhatIf Free(Pipe pipe) {
    WhatIf what_if;
    what_if.free_pipes[static_cast<size_t>(Index(pipe))] = true;
    return what_if;
  }
};

struct CoreTimes {
  std::array<int64_t, kNumPipes> busy_cycles{};  // S: issuing, too
  GmBytes read_bytes = {};                       // where they were found
  int64_t slice_cycles = 0;                      // of MTE2's: more than all but L2's slices would have taken
  int64_t scalar_cycle = 0;                      // the scalar unit has issued everything
  Trail scalar_after = {};  // what it had waited for last; told where somebody watches the replay
  int64_t end_cycle = 0;    // and everything is complete
};

struct LaunchTimes {
  std::vector<CoreTimes> cores;
  int64_t cycles = 0;  // the busiest core's
};

// Moves of GM take place in the order in which they can start; those of one core in program order. L2 begins
// empty. A core that waits for a flag which is never set ends there. Of more cores than the part has, each
// that is too many starts, in their order, where one before it has ended: the earliest. Figures of GM, L2,
// Fixpipe to GM, issue, queues, flags and barriers are `soc`'s; all other costs are those of the part the
// kernel ran on. Nothing is kept from one replay to the next, and the result depends on the recording and
// `soc` alone.
LaunchTimes Replay(const LaunchRecording& recording, const SocConfig& soc, const WhatIf& what_if = {},
                   ClockObserver* observer = nullptr);

// What Replay tells, for those who look for few cycles: none where they are more than `most_cycles`, which
// shows as soon as a core cannot do in time what its pipes have left to do.
std::optional<LaunchTimes> ReplayWithin(const LaunchRecording& recording, const SocConfig& soc,
                                        int64_t most_cycles, const WhatIf& what_if = {});

// What a core has to do that its recording does not have.
struct RestOfCore {
  bool any = false;
  std::array<int64_t, kNumPipes> busy_cycles{};  // of its pipes, at least
  size_t done = 0;                               // tasks that are recorded
  size_t unknown = 0;  // of those left: of kinds that no core has done, so that nothing is known of them
};

// Of a launch of which only the beginning is recorded: may it end within `most_cycles`? False only where it
// cannot, which is seen up to where a first core comes to the end of what is recorded of it.
bool MayEndWithin(const LaunchRecording& begun, const std::vector<RestOfCore>& rests, const SocConfig& soc,
                  int64_t most_cycles);

}  // namespace tilesim
