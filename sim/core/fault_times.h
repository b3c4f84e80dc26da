// When, in simulated time, the instructions ran that faults name.
#pragma once

#include <vector>

#include "sim/core/fault.h"
#include "sim/core/recording.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Sets `cycle` of each fault that names an instruction: its start, or for one that was refused, the time at
// which its core's scalar unit came to it.
void TellCycles(const LaunchRecording& recording, const SocConfig& soc, std::vector<Fault>& faults);

}  // namespace tilesim
