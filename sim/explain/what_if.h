// What would a launch gain if something took no time? Asked of its recording: the whole launch is timed
// again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/replay.h"
#include "sim/explain/gm_reads.h"

namespace tilesim {

enum class Freed : uint8_t {
  kPipe,      // the instructions of a pipe end as they start
  kL2Misses,  // every byte of GM is found in L2
  kSharing,   // each core has L2 and HBM for itself
  kIssue,     // the scalar unit issues in no time
  kQueues,    // the issue queues have no end
  kFlags,     // flags, barriers and cross-core flags are there at once
};

struct WhatIfAnswer {
  Freed freed = Freed::kPipe;
  Pipe pipe = Pipe::kS;  // of kPipe
  int64_t cycles = 0;    // the launch then takes
  // It takes longer: what cores share serves them in another order, which costs more than is saved.
  bool is_slower = false;
};

// "MTE1 took no time", "every byte were found in L2", ...
std::string TextOf(const WhatIfAnswer& answer);
// "MTE1", "L2 misses", ...: what then bounds the launch.
std::string BoundName(Freed freed, Pipe pipe);
// What a user can do about it, in a sentence's part. `reads`: of the launch, for what helps where bytes are
// read again does not help where none are.
std::string MendOf(Freed freed, Pipe pipe, const GmReadBytes& reads);

// Asked of each pipe that some core uses and of everything else, the greatest gain first.
std::vector<WhatIfAnswer> AskWhatIf(const LaunchRecording& recording, const SocConfig& soc,
                                    const LaunchTimes& now);

}  // namespace tilesim
