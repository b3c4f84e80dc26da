// An operator's plan run on the simulated part.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/tensor.h"
#include "ops/operator.h"
#include "sim/core/launch.h"
#include "sim/explain/watched_launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// The cores of the part that do the operator's work.
int64_t CoresOf(const Operator& op, const SocConfig& soc);

struct RunOptions {
  RunMode mode = {};
  int threads = 0;  // host threads; 0: all
  Observer* observer = nullptr;
  std::optional<SourceLine> drop_sync = std::nullopt;
  std::set<SyncSite>* sync_sites = nullptr;
  LaunchRecording* recording = nullptr;  // filled with what the cores did; needs time
  bool adds_to_outputs = false;          // they hold what a launch before has left there
};

struct OperatorRun {
  std::vector<Tensor> outputs;  // in their host layouts
  LaunchResult launch;          // a buffer of GM for each input, then each output, then the workspace
};

// inputs: of the operator's types and logical extents, in any layout. Taken over and given back to the system
// once they stand in the device's layout, so that a run holds one copy of each. The plan must be legal, the
// mode one with values. held: what the outputs hold before, in the device's layouts; none: nothing.
OperatorRun RunOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                        std::vector<Tensor> inputs, const RunOptions& options, std::vector<Tensor> held = {});

// Time only: no tensors. The launch says what TimeOperator starts, for those that want to know it before.
LaunchOptions TimedLaunch(const Operator& op, const Plan& plan, const RunOptions& options);
LaunchResult TimeOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                          const RunOptions& options);

// As TimeOperator, watched; asks `op`, `plan` and `soc` again as long as the answer is used.
WatchedLaunch WatchOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                            const RunOptions& options);

// Which instructions wrote one element of an output: "AIC 3: Fixpipe on FIX, tile m 0, n 2, k 1, file:line;
// ...", the last few of them. Runs the tile program again, without values, and watches. `output`: of
// Outputs(); `coord`: in its host layout.
std::string WritersOf(const Operator& op, const Plan& plan, const SocConfig& soc, size_t output,
                      std::span<const int64_t> coord, const RunOptions& options);

}  // namespace tilesim
