#include "sim/core/summary.h"

#include <algorithm>
#include <limits>

namespace tilesim {
namespace {

// The least time on `cores` cores.
LowerBound LoneBound(const SocConfig& soc, const Work& work, int64_t count) {
  const auto cores = static_cast<double>(count);
  const double launch = soc.launch_us + soc.launch_start_us + soc.launch_us_per_core * cores;
  const double cube = static_cast<double>(work.cube_cycles) / cores / soc.clock_mhz;
  const double core_rate = std::max(soc.hbm_core_bytes_per_cycle, soc.hbm_ub_core_bytes_per_cycle);
  const double read_rate = std::min(cores * core_rate, soc.hbm_total_bytes_per_cycle);
  const double read = static_cast<double>(work.gm_read_bytes) / read_rate / soc.clock_mhz;
  const double write_rate = cores * MostWriteRate(soc, work.fixpipe_writes);
  const double write = static_cast<double>(work.gm_write_bytes) / write_rate / soc.clock_mhz;
  const double kernel = std::max({cube, read, write});
  const Bound by = launch >= kernel ? Bound::kLaunch
                   : cube == kernel ? Bound::kCube
                   : read == kernel ? Bound::kGmRead
                                    : Bound::kGmWrite;
  return {.time_us = launch + kernel, .by = by, .part_us = {launch, cube, read, write}, .cores = count};
}

}  // namespace

// Fixpipe is held by its rate on the side of L0C, where elements are as wide as in GM or wider.
double MostWriteRate(const SocConfig& soc, bool fixpipe) {
  return fixpipe ? std::max(soc.gm_write_core_bytes_per_cycle, soc.fixpipe_bytes_per_cycle)
                 : soc.gm_write_core_bytes_per_cycle;
}

std::string_view Name(Bound bound) {
  constexpr std::array<std::string_view, kNumBounds> kNames = {"launch", "cube", "gm_read", "gm_write"};
  return kNames[static_cast<size_t>(bound)];
}

LowerBound LowerBoundOf(const SocConfig& soc, const Work& work, int64_t most_cores) {
  LowerBound best{.time_us = std::numeric_limits<double>::infinity()};
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    const LowerBound bound = LoneBound(soc, work, cores);
    if (bound.time_us < best.time_us) {
      best = bound;
    }
  }
  return best;
}

LaunchSummary Summarise(const SocConfig& soc, const LaunchResult& result) {
  LaunchSummary summary;
  const bool has_aic = std::any_of(result.cores.begin(), result.cores.end(), [](const CoreResult& core) {
    return core.identity.kind == CoreKind::kAic;
  });
  std::array<int64_t, kNumPipes> cores{};
  int64_t hit = 0;
  for (const CoreResult& core : result.cores) {
    const CoreStatistics& statistics = core.statistics;
    summary.gm_read_bytes += statistics.gm_read_bytes;
    summary.gm_write_bytes += statistics.gm_write_bytes;
    summary.work.cube_cycles += statistics.busy_cycles[static_cast<size_t>(Pipe::kM)];
    summary.work.gm_read_bytes += statistics.l2_miss_bytes;
    hit += statistics.l2_hit_bytes;
    for (size_t p = 0; p < kNumPipes; ++p) {
      const auto pipe = static_cast<Pipe>(p);
      if ((core.identity.kind == CoreKind::kAic) != (has_aic && pipe != Pipe::kV)) {
        continue;
      }
      ++cores[p];
      summary.pipe_ratio[p] += static_cast<double>(statistics.busy_cycles[p]);
    }
  }
  for (size_t p = 0; p < kNumPipes; ++p) {
    const bool aics = has_aic && static_cast<Pipe>(p) != Pipe::kV;
    const int64_t there = soc.aic_cores * (aics ? 1 : soc.aiv_per_aic);  // more of them run in waves
    const double total = static_cast<double>(std::min(cores[p], there) * result.cycles);
    summary.pipe_ratio[p] = total == 0 ? 0 : summary.pipe_ratio[p] / total;
  }
  const int64_t looked_up = hit + summary.work.gm_read_bytes;
  summary.l2_hit_ratio = looked_up == 0 ? 0 : static_cast<double>(hit) / static_cast<double>(looked_up);
  summary.work.gm_write_bytes = summary.gm_write_bytes;
  summary.work.fixpipe_writes = has_aic;
  summary.basis = BasisOf(soc, result);
  summary.lower_bound =
      LowerBoundOf(soc, summary.work, has_aic ? soc.aic_cores : soc.aic_cores * soc.aiv_per_aic);
  return summary;
}

}  // namespace tilesim
