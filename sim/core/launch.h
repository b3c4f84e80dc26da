// Runs a kernel on the simulated cores of a part and says what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/current_core.h"
#include "sim/core/fault.h"
#include "sim/core/gm.h"
#include "sim/core/identity.h"
#include "sim/core/interval_set.h"
#include "sim/core/observer.h"
#include "sim/core/recording.h"
#include "sim/core/sync_site.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// The bytes of GM that a launch touches, by address.
struct GmTouched {
  IntervalSet read;
  IntervalSet written;
  IntervalSet updated;  // atomically
};

struct LaunchOptions {
  KernelType type = KernelType::kAicOnly;
  // kNobody: `type` is a guess, and where the kernel says another one (KERNEL_TASK_TYPE) before its first
  // instruction, the launch is of that type instead.
  TypeFrom type_from = TypeFrom::kLauncher;
  int64_t blocks = 1;
  int64_t only_first = 0;  // start so many blocks only, the first ones of them all; 0: all
  // A core stops at a fault after so many instructions, and prints, without progress; 0: never.
  int64_t watchdog = 0;
  RunMode mode = {};
  int threads = 0;  // host threads; 0: all of the machine. Results do not depend on it
  GmSpace gm = {};  // what the kernel may touch
  // What of buffers that are not initialised holds values before the launch, and, filled in by a run that
  // looks for hazards, after it.
  IntervalSet* written_gm = nullptr;
  const std::set<uint64_t>* results =
      nullptr;                      // addresses of buffers whose missing bytes are told; null: all
  GmTouched* touched_gm = nullptr;  // filled in by a run that looks for hazards
  Observer* observer = nullptr;
  std::optional<SourceLine> drop_sync = {};  // leave out the synchronising call of this line (a planted bug)
  std::set<SyncSite>* sync_sites = nullptr;  // filled with every synchronising call met
  LaunchRecording* recording = nullptr;      // filled with what the cores did, for Replay; needs time
};

// The cores that a launch starts, in its order: all AICs, then all AIVs.
std::vector<CoreIdentity> CoresOf(const LaunchOptions& options);

struct CoreResult {
  CoreIdentity identity;
  CoreStatistics statistics;
};

struct LaunchResult {
  std::vector<CoreResult> cores;
  // By core, each in program order; then those between cores. What several cores do alike is one fault.
  std::vector<Fault> faults;
  // What need not be wrong: calls that do nothing on the one kind of core that the launch has; what SetValue
  // has left in a scalar unit's cache; and bytes of buffers that the host did not fill and no core has
  // written, in a run that looks for hazards.
  std::vector<std::string> notices;
  bool completed = true;  // every core reached the kernel's end
  int64_t cycles = 0;     // the busiest core's; 0 where time is off or a core stopped at a fault
  double time_us = 0;     // cycles at the part's clock, and the launch
  std::string printed;    // what the kernel printed, core by core
  double host_ms = 0;     // wall time from the first core's start to the last one's end

  int64_t Instructions() const;
};

// Runs `kernel` once on every core of the launch. Where the kernel type has no flags between cores there may
// be more blocks than the part has cores: they run in waves, and each counts as a core of its own here.
// Throws UserError for a launch the part cannot hold; what the kernel does wrong comes back as faults; any
// other exception of the kernel is thrown on.
LaunchResult Launch(const SocConfig& soc, const LaunchOptions& options, const std::function<void()>& kernel);

}  // namespace tilesim
