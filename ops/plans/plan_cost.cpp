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

std::vector<size_t> AllCores(const LaunchOptions& launch) {
  std::vector<size_t> all(CoresOf(launch).size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// By core, when all that it does before its first product is done.
std::vector<int64_t> BeginsOf(LaunchRecording recording, const SocConfig& soc, const WhatIf& what_if) {
  for (Recording& core : recording.recordings) {
    Recording::Cursor at(core);
    while (!at.AtEnd() && (at->kind != Step::Kind::kRun || at->pipe != Pipe::kM)) {
      ++at;
    }
    core.CutTo(at.place());
  }
  std::vector<int64_t> begins;
  for (const CoreTimes& core : Replay(recording, soc, what_if).cores) {
    begins.push_back(core.end_cycle);
  }
  return begins;
}

// Of the tasks of each core one `part`-th is run; from the first product on the others take as long for the
// cube's work as these. A core whose first tasks have none tells nothing; where that is so of all, more are
// run.
PartCost CostOfPart(const Operator& op, const Plan& plan, const SocConfig& soc, const LaunchOptions& launch,
                    const std::vector<size_t>& which, size_t part, const WhatIf& what_if) {
  const auto cube = static_cast<size_t>(Index(Pipe::kM));
  LoneCores lone = Record(op, plan, soc, launch, which, part);
  const LaunchTimes times = Replay(lone.recording, soc, what_if);
  const std::vector<int64_t> begins =
      lone.rests.empty() ? std::vector<int64_t>() : BeginsOf(std::move(lone.recording), soc, what_if);
  PartCost cost;
  for (size_t core = 0; core < times.cores.size(); ++core) {
    const CoreTimes& run = times.cores[core];
    cost.run_cycles += run.end_cycle;
    const RestOfCore rest = lone.rests.empty() ? RestOfCore{} : lone.rests[core];
    const auto done = static_cast<double>(run.busy_cycles[cube]);
    if (!rest.any) {
      cost.cycles = std::max(cost.cycles, static_cast<double>(run.end_cycle));
    } else if (done > 0) {
      const double known = static_cast<double>(rest.busy_cycles[cube]) / done;
      const double unknown = static_cast<double>(rest.unknown) / static_cast<double>(rest.done);
      const auto paced = static_cast<double>(run.end_cycle - begins[core]);
      cost.cycles = std::max(cost.cycles, static_cast<double>(run.end_cycle) + paced * (known + unknown));
    }
  }
  if (cost.cycles == 0 && part > 1) {
    return CostOfPart(op, plan, soc, launch, which, part / 2, what_if);
  }
  return cost;
}

}  // namespace

std::optional<LaunchCost> CostOfPlan(const Operator& op, const Plan& plan, const SocConfig& soc,
                                     int64_t most_cycles) {
  const LaunchOptions launch = CostOnly(op, plan);
  const std::vector<size_t> all = AllCores(launch);
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

PartCost CostOfCore(const Operator& op, const Plan& plan, const SocConfig& soc, size_t core, size_t part,
                    FoundInL2 found) {
  return CostOfPart(op, plan, soc, CostOnly(op, plan), {core}, part,
                    {.all_in_l2 = found == FoundInL2::kAll, .even_share = plan.UsedCores()});
}

PartCost CostOfFirstTasks(const Operator& op, const Plan& plan, const SocConfig& soc, size_t part) {
  const LaunchOptions launch = CostOnly(op, plan);
  return CostOfPart(op, plan, soc, launch, AllCores(launch), part, {});
}

std::optional<int64_t> LeastCyclesOfCore(const Operator& op, const Plan& plan, const SocConfig& soc,
                                         size_t core, int64_t most_cycles) {
  const LoneCores lone = Record(op, plan, soc, CostOnly(op, plan), {core});
  const std::optional<LaunchTimes> times =
      ReplayWithin(lone.recording, soc, most_cycles, {.all_in_l2 = true, .gm_unshared = true});
  return times ? std::optional(times->cycles) : std::nullopt;
}

}  // namespace tilesim
