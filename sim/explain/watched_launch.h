// A launch that was watched: what came of it, what its cores did, and how to hear of its instructions once
// more. What explains a launch asks for no more than this, whoever ran it.
#pragma once

#include <functional>

#include "sim/core/gm.h"
#include "sim/core/launch.h"
#include "sim/core/observer.h"
#include "sim/core/recording.h"
#include "sim/explain/trace.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct WatchedLaunch {
  LaunchResult result;
  LaunchRecording recording;  // of a launch with time
  GmSpace gm;                 // its buffers, at the addresses that `tell_again` names
  // Tells an observer every instruction, in program order on each core, with its tile and its operands. They
  // are those that were recorded, except where the kernel branches on values that a second run has not. False
  // where not all could be told.
  std::function<bool(Observer&)> tell_again;
  bool same_again = true;  // no such exception is possible
};

// Runs the kernel, which must outlive the answer: it is run again, without values, whenever its instructions
// are asked for. `options` as for Launch; their recording is the answer's.
WatchedLaunch WatchLaunch(const SocConfig& soc, const LaunchOptions& options,
                          const std::function<void()>& kernel);

// Fills `trace`, which was made for the cores and buffers of the launch.
void FillTrace(const WatchedLaunch& launch, const SocConfig& soc, ChromeTrace& trace);

}  // namespace tilesim
