// Everything that a report says of one case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/launch_watch.h"
#include "cli/report/tuned_points.h"
#include "ops/cases/case_file.h"
#include "ops/harness/harness.h"
#include "ops/operator.h"
#include "sim/explain/core_account.h"
#include "sim/explain/explanation.h"
#include "sim/explain/watched_launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What the part could do at most, and what the launch did: work a cycle over work a byte. All cores together.
struct Roofline {
  std::string unit;                // of work: "FLOP"; "V cycle" where no cube is at work
  double peak = 0;                 // work a cycle
  double hbm_bytes_per_cycle = 0;  // that the part moves at most
  double l2_bytes_per_cycle = 0;
  double attained = 0;              // work a cycle of the kernel, without the launch
  double work_per_hbm_byte = 0;     // of the bytes read from HBM; 0: none were
  double work_per_l2_byte = 0;      // of all bytes read and written
  double work_per_needed_byte = 0;  // had each byte been read once; writes go to L2
};

// A stretch of the critical path, in words.
struct PathStretch {
  int64_t begin = 0;
  int64_t end = 0;
  std::string why;
  int64_t run = -1;  // instruction of the busiest core; -1: none of it
};

// The launch in time. Empty where the case did not come to its end, or took no time.
struct CaseTimes {
  Explanation explanation;
  Roofline roofline;
  std::vector<WatchedCore> shown;  // the busiest first
  WatchWindow window;
  std::vector<PathStretch> path;  // of the busiest core, in the window
  std::shared_ptr<const LaunchWatch> watch;
};

struct CaseView {
  CaseResult result;
  std::vector<OperatorTensor> inputs;
  std::vector<OperatorTensor> outputs;
  std::optional<CaseTimes> times;
  std::vector<TunedPoint> pareto;  // of `tune`, for the same case
};

// A row that was refused.
CaseView RefusedView(CaseResult result);

// Runs the case as `run` or `compare` does; where it came to its end, times it again to see why it takes as
// long as it does. window.max_events: of all cores shown together; a window behind the launch's end has no
// instructions. The result holds no tensors.
CaseView ViewOf(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                const WatchWindow& window);

// Of a launch that a user's program made: `result` is what its row says.
CaseView ViewOf(CaseResult result, const WatchedLaunch& watched, const SocConfig& soc,
                const WatchWindow& window);

// Refuses, before the case is run, a window that begins behind the end of its launch.
void RequireWindow(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                   const WatchWindow& window);

}  // namespace tilesim
