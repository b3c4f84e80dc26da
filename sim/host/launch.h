// The one place where a launch of a user's program runs. Knows nothing of streams, and prints nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "sim/host/kernel_launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim::host {

// A launch, ready to run.
struct LaunchRequest {
  int64_t number = 0;  // of the program's launches, from 0
  std::string kernel;  // as the program names it
  SourceLine where;
  const SocConfig* soc = nullptr;  // the part of the whole program
  LaunchOptions options;           // the cores, the mode, and all of the device memory that there is
  std::vector<Fault> wrong;        // with the launch itself: it does not run, and these are its faults
  // Called once on each core; may be called for further runs of the same launch as long as RunLaunch runs.
  std::function<void()> call;
  // Looks at what came of it before anybody is told; may add faults and notices. Empty: nobody does.
  std::function<void(LaunchResult&)> judge;
};

struct LaunchReport {
  KernelType type = KernelType::kAicOnly;  // that it ran as
  LaunchResult result;
};

// Whether a command on a file runs this program, and will tell of its launches what there is to tell.
bool LaunchesAreWatched();
// Whether that command asks for nothing but what came of each launch: `tilesim run` does, and tells the
// notices.
bool ResultsAreWatched();

// Where a command watches, and a crash ends the program while this launch runs: that crash is the launch's
// fault.
void HandOverCrash(const LaunchRequest& request, const CoreIdentity& core, const Fault& crash);

// Throws UserError for a launch that the part cannot hold.
LaunchReport RunLaunch(const LaunchRequest& request);

}  // namespace tilesim::host
