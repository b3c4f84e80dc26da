// A launch in a line: how busy its pipes were, what it moved, and how far it is from what the part could do.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/launch.h"
#include "sim/core/pipe.h"
#include "sim/core/time_basis.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What has to be done, however it is cut into tiles.
struct Work {
  int64_t cube_cycles = 0;    // of pipe M, on one core
  int64_t gm_read_bytes = 0;  // from HBM
  int64_t gm_write_bytes = 0;
  bool fixpipe_writes = false;  // them: from L0C, faster than from UB
};

// Bytes a cycle at which a core writes GM at most.
double MostWriteRate(const SocConfig& soc, bool fixpipe);

enum class Bound : uint8_t { kLaunch, kCube, kGmRead, kGmWrite };
std::string_view Name(Bound bound);  // "launch", "cube", "gm_read", "gm_write"

inline constexpr int kNumBounds = 4;

struct LowerBound {
  double time_us = 0;                        // the launch, and the largest of the others
  Bound by = Bound::kLaunch;                 // the largest of all
  std::array<double, kNumBounds> part_us{};  // what each would take by itself
  int64_t cores = 0;                         // on so many

  double part(Bound bound) const { return part_us[static_cast<size_t>(bound)]; }
};

// No launch on the part does the work in less time: every pipe it needs is busy from the start, on the number
// of cores, of up to `most_cores`, that suits it best: AICs, or AIVs where only these are started.
LowerBound LowerBoundOf(const SocConfig& soc, const Work& work, int64_t most_cores);

struct LaunchSummary {
  // Busy cycles of the pipe / cycles of the launch, mean over the AICs; V, and all where only AIVs run: over
  // the AIVs. S: the time of issuing counts too.
  std::array<double, kNumPipes> pipe_ratio{};
  int64_t gm_read_bytes = 0;
  int64_t gm_write_bytes = 0;
  double l2_hit_ratio = 0;  // of the bytes read; 0 where none were
  Work work;                // as it was done: repeated reads from HBM and padded fractals count
  LowerBound lower_bound;   // of that work
  TimeBasis basis;          // of the time

  double ratio(Pipe pipe) const { return pipe_ratio[static_cast<size_t>(pipe)]; }
};

LaunchSummary Summarise(const SocConfig& soc, const LaunchResult& result);

}  // namespace tilesim
