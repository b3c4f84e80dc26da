// What some cores of a launch do, each run by itself on the calling thread, without values: for those who ask
// for the time of many launches, or for the time that one core takes at least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/core/launch.h"
#include "sim/core/recording.h"
#include "sim/core/replay.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct LoneCores {
  LaunchRecording recording;               // for Replay; its cores are numbered anew
  std::vector<CoreStatistics> statistics;  // without times
  size_t sorts = 0;                        // so many cores were run, the others do what one of them does
  std::vector<RestOfCore> rests;           // where only a part of the tasks was done: of each core
};

// Runs `kernel` as the cores `which` (by their place in CoresOf(options)) would, one after another; of those
// whose tasks are of the same kinds (CoreTasks) the first alone, the others are as it at their places of GM.
// Where all cores meet (mode 0), each meets those of `which` of its kind, taken to have come as often as
// itself. `options.mode`: strict_sync and cost_only count. Given all cores of a launch, Replay of the
// recording gives the cycles that Launch tells; given some of them, and WhatIf{.all_in_l2, .gm_unshared},
// none of these takes less in the launch. Throws what the kernel throws, a KernelFault for any fault of a
// core that is run, and a std::logic_error for a flag of another mode and for tasks of one kind that do not
// move the same.
//
// `part`: of a kernel that names its tasks each core does one `part`-th of what the core with most has, at
// least one, and is recorded up to there; all where even that one has few. `rests` is empty where that was
// all.
LoneCores RunLoneCores(const SocConfig& soc, const LaunchOptions& options, std::span<const size_t> which,
                       const std::function<void()>& kernel, size_t part = 1);

// Of a launch whose busiest core takes `cycles`.
double LaunchTimeUs(const SocConfig& soc, int64_t cycles, int64_t blocks);

}  // namespace tilesim
