// The least time that what a launch did can take on its part, by each thing that it needs.
#pragma once

#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "sim/core/recording.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct LeastTime {
  std::string of;      // "launch", "pipe M", "GM read, HBM", "GM read, L2", "GM write"
  double time_us = 0;  // of the launch alone; of the others without it
};

// Of the launch: what it takes of its cores. Of each pipe: its work, were everything in L2 and each core
// alone, shared equally by all cores of the part that have the pipe. Of GM: the bytes that passed, at the
// rate of the whole part. What took no time at all is left out. `recording` and `result`: of one launch.
std::vector<LeastTime> LeastTimesOf(const LaunchRecording& recording, const SocConfig& soc,
                                    const LaunchResult& result);

}  // namespace tilesim
