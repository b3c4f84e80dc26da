// The clock: when everything that a launch's cores recorded happens on a part, all cores together. The same
// recording may be replayed on parts with other figures, and asked what if something took no time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/clock_observer.h"
#include "sim/core/pipe.h"
#include "sim/core/recording.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What takes no time in a replay.
struct WhatIf {
  std::array<bool, kNumPipes> free_pipes{};  // its instructions end as they start

  static WhatIf Free(Pipe pipe) {
    WhatIf what_if;
    what_if.free_pipes[static_cast<size_t>(Index(pipe))] = true;
    return what_if;
  }
};

struct CoreTimes {
  std::array<int64_t, kNumPipes> busy_cycles{};
  int64_t scalar_cycle = 0;  // the scalar unit has issued everything
  int64_t end_cycle = 0;     // and everything is complete
};

struct LaunchTimes {
  std::vector<CoreTimes> cores;
  int64_t cycles = 0;  // the busiest core's
};

// A core that waits for a flag which is never set ends there. Costs of instructions are those of the part on
// which they were recorded; figures of issue, queues, flags and barriers are `soc`'s.
LaunchTimes Replay(const LaunchRecording& recording, const SocConfig& soc, const WhatIf& what_if = {},
                   ClockObserver* observer = nullptr);

}  // namespace tilesim
