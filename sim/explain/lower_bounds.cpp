#include "sim/explain/lower_bounds.h"

#include <algorithm>
#include <utility>

#include "formats/error.h"
#include "sim/core/replay.h"
#include "sim/core/summary.h"

namespace tilesim {

std::vector<LeastTime> LeastTimesOf(const LaunchRecording& recording, const SocConfig& soc,
                                    const LaunchResult& result) {
  const bool has_aics = std::ranges::any_of(
      result.cores, [](const CoreResult& core) { return core.identity.kind == CoreKind::kAic; });
  const auto aics = static_cast<double>(soc.aic_cores);
  const auto aivs = static_cast<double>(soc.aic_cores * soc.aiv_per_aic);
  const double cores = has_aics ? aics : aivs;  // that move bytes of GM
  CoreStatistics sum;
  WhatIf alone;
  alone.all_in_l2 = true;
  alone.gm_unshared = true;
  for (const CoreTimes& core : Replay(recording, soc, alone).cores) {
    for (size_t p = 0; p < kNumPipes; ++p) {
      sum.busy_cycles[p] += core.busy_cycles[p];
    }
  }
  for (const CoreResult& core : result.cores) {
    sum.gm_write_bytes += core.statistics.gm_write_bytes;
    sum.l2_hit_bytes += core.statistics.l2_hit_bytes;
    sum.l2_miss_bytes += core.statistics.l2_miss_bytes;
  }
  std::vector<LeastTime> least;
  const auto add = [&](std::string of, double amount, double each_cycle) {
    if (amount > 0) {
      least.push_back({.of = std::move(of), .time_us = amount / each_cycle / soc.clock_mhz});
    }
  };
  add("launch", result.time_us * soc.clock_mhz - static_cast<double>(result.cycles), 1);
  for (size_t p = 0; p < kNumPipes; ++p) {
    const auto pipe = static_cast<Pipe>(p);
    const double of_pipe = pipe == Pipe::kS ? aics + aivs : pipe == Pipe::kV ? aivs : cores;
    add(Say("pipe ", Name(pipe)), static_cast<double>(sum.busy_cycles[p]), of_pipe);
  }
  add("GM read, HBM", static_cast<double>(sum.l2_miss_bytes), soc.hbm_total_bytes_per_cycle);
  add("GM read, L2", static_cast<double>(sum.l2_hit_bytes + sum.l2_miss_bytes), soc.l2_total_bytes_per_cycle);
  add("GM write", static_cast<double>(sum.gm_write_bytes), cores * MostWriteRate(soc, has_aics));
  return least;
}

}  // namespace tilesim
