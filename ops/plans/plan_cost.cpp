#include "ops/plans/plan_cost.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "ops/operator_run.h"
#include "sim/core/lone_cores.h"
#include "sim/core/replay.h"

namespace tilesim {
namespace {

constexpr size_t kFirstPart = 8;  // of a core's tasks one in so many is run before all are

LoneCores Record(const Operator& op, const Plan& plan, const SocConfig& soc, const LaunchOptions& launch,
                 const std::vector<size_t>& which, size_t part = 1) {
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : launch.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  return RunLoneCores(
      soc, launch, which, [&] { op.Kernel(plan, gm); }, part);
}

LaunchOptions CostOnly(const Operator& op, const Plan& plan) {
  LaunchOptions launch = TimedLaunch(op, plan, {});
  launch.mode.cost_only = true;
  return launch;
}

std::optional<int64_t> CyclesOfCore(const Operator& op, const Plan& plan, const SocConfig& soc, size_t core,
                                    int64_t most_cycles, const WhatIf& what_if) {
  const LoneCores lone = Record(op, plan, soc, CostOnly(op, plan), {core});
  const std::optional<LaunchTimes> times = ReplayWithin(lone.recording, soc, most_cycles, what_if);
  return times ? std::optional(times->cycles) : std::nullopt;
}

}  // namespace

std::optional<LaunchCost> CostOfPlan(const Operator& op, const Plan& plan, const SocConfig& soc,
                                     int64_t most_cycles) {
  const LaunchOptions launch = CostOnly(op, plan);
  std::vector<size_t> all(CoresOf(launch).size());
  std::iota(all.begin(), all.end(), size_t{0});
  const bool has_limit = most_cycles < std::numeric_limits<int64_t>::max() / 2;
  LoneCores lone = Record(op, plan, soc, launch, all, has_limit ? kFirstPart : 1);
  if (!lone.rests.empty()) {  // many show at their beginning that they take too long
    if (!MayEndWithin(lone.recording, lone.rests, soc, most_cycles)) {
      return std::nullopt;
    }
    lone = Record(op, plan, soc, launch, all);
  }
  const std::optional<LaunchTimes> times =
      has_limit ? ReplayWithin(lone.recording, soc, most_cycles) : Replay(lone.recording, soc);
  if (!times) {
    return std::nullopt;
  }
  LaunchCost cost{.cycles = times->cycles};
  cost.busy_cycles = std::ranges::max_element(times->cores, {}, &CoreTimes::end_cycle)->busy_cycles;
  for (const CoreStatistics& core : lone.statistics) {
    cost.gm_bytes += core.gm_read_bytes + core.gm_write_bytes;
  }
  return cost;
}

std::optional<int64_t> CyclesOfFirstCore(const Operator& op, const Plan& plan, const SocConfig& soc,
                                         int64_t most_cycles) {
  return CyclesOfCore(op, plan, soc, 0, most_cycles, {.all_in_l2 = true, .even_share = plan.UsedCores()});
}

std::optional<int64_t> LeastCyclesOfCore(const Operator& op, const Plan& plan, const SocConfig& soc,
                                         size_t core, int64_t most_cycles) {
  return CyclesOfCore(op, plan, soc, core, most_cycles, {.all_in_l2 = true, .gm_unshared = true});
}

}  // namespace tilesim
