// What it costs to start cores, for planners that may do with fewer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"

namespace tilesim {

// Of a kernel of so many cycles on its busiest core, with the launch of `cores`.
inline double TimeWithLaunchUs(double cycles, int64_t cores, const SocConfig& soc) {
  return cycles / soc.clock_mhz + soc.launch_us + soc.launch_start_us +
         soc.launch_us_per_core * static_cast<double>(cores);
}

// What the launch of so many cores adds to a kernel's cycles, beyond what any launch does.
inline double LaunchCycles(int64_t cores, const SocConfig& soc) {
  return soc.launch_us_per_core * soc.clock_mhz * static_cast<double>(cores);
}

// Numbers of cores worth a look: powers of two, those and a half, and all.
inline std::vector<int64_t> CoreCountsUpTo(int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = 1; count < most; count *= 2) {
    counts.push_back(count);
    if (count > 1 && count / 2 * 3 < most) {
      counts.push_back(count / 2 * 3);
    }
  }
  counts.push_back(most);
  return counts;
}

}  // namespace tilesim
