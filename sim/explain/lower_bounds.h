// The least time that what a launch did can take on its part, by each thing that it needs.
#pragma once

#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct LeastTime {
  std::string of;      // "launch", "pipe M", "GM read, HBM", "GM read, L2", "GM write"
  double time_us = 0;  // of "launch" alone; of the others without it
};

// Of each pipe: its work shared equally by all cores of the part that have it. Of GM: the bytes that passed,
// at the rate of the whole part. What took no time at all is left out.
std::vector<LeastTime> LeastTimesOf(const SocConfig& soc, const LaunchResult& result);

}  // namespace tilesim
