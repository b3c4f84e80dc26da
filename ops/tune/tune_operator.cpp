#include "ops/tune/tune_operator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "formats/error.h"
#include "ops/operator_run.h"
#include "sim/core/lone_cores.h"
#include "sim/core/replay.h"
#include "sim/core/summary.h"

namespace tilesim {
namespace {

LoneCores Lone(const Operator& op, const Plan& plan, const SocConfig& soc, const std::vector<size_t>& which) {
  const LaunchOptions launch = TimedLaunch(op, plan, {});
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : launch.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  return RunLoneCores(soc, launch, which, [&] { op.Kernel(plan, gm); });
}

// The planner's tiling as a candidate.
std::optional<Tuned::Candidate> Planned(const Operator& op, PlannerKind planner, const SocConfig& soc,
                                        int64_t cores, Tuned& tuned) {
  const Plan plan = op.MakePlan(planner, soc, cores);
  if (!plan.legal) {
    if (planner == PlannerKind::kOp) {
      tuned.reasons = plan.reasons;
    }
    return std::nullopt;
  }
  ++tuned.simulated;
  return Tuned::Candidate{plan, RunPlan(op, plan, soc)};
}

Plan LegalPlan(const TunableTilings& tilings, const TilePath& path) {
  Plan plan = tilings.PlanOf(path);
  if (!plan.legal) {
    throw std::logic_error(Say("the space of tilings holds one that is not legal: ", plan.reasons.front()));
  }
  plan.planner = "tuned";
  return plan;
}

// No worse in anything, and better in something, or found before.
bool Beats(const TuneCost& a, const TuneCost& b) {
  return a.time_us <= b.time_us && a.gm_bytes <= b.gm_bytes && a.l1_bytes <= b.l1_bytes && a.cores <= b.cores;
}

// Of the runs that are fast enough, the one with least of what the objective asks for.
const TuneAnswer::Run& LeastOf(const TuneAnswer& answer, TuneObjective objective) {
  const double most_us = kFastEnough * answer.best->cost.time_us;
  const auto key = [&](const TuneAnswer::Run& run) {
    const int64_t bytes = objective == TuneObjective::kL1 ? run.cost.l1_bytes : run.cost.gm_bytes;
    return std::pair(run.cost.time_us > most_us, std::pair(bytes, run.cost.time_us));
  };
  return *std::ranges::min_element(answer.runs, {}, key);
}

// Runs that no other one beats, fastest first.
std::vector<TuneAnswer::Run> Unbeaten(std::vector<TuneAnswer::Run> runs) {
  std::ranges::stable_sort(runs, {}, [](const TuneAnswer::Run& run) {
    return std::tuple(run.cost.time_us, run.cost.gm_bytes, run.cost.l1_bytes, run.cost.cores);
  });
  std::vector<TuneAnswer::Run> front;
  for (const TuneAnswer::Run& run : runs) {
    if (std::ranges::none_of(front,
                             [&](const TuneAnswer::Run& other) { return Beats(other.cost, run.cost); })) {
      front.push_back(run);
    }
  }
  return front;
}

}  // namespace

double Tuned::gap_percent() const {
  return best && bound_us > 0 ? 100 * (best->cost.time_us / bound_us - 1) : 0;
}

std::string Tuned::Sentence() const {
  if (!best) {
    return "nothing is legal";
  }
  if (objective == TuneObjective::kTraffic || objective == TuneObjective::kL1) {
    return Say("least ", objective == TuneObjective::kL1 ? "L1" : "GM traffic", " of ", simulated,
               " simulated that take at most 5 % longer than the fastest");
  }
  if (proven) {
    return Say("optimal under the model, ", legal_is_all ? "" : "more than ", legal, " legal, ", simulated,
               " simulated, the rest excluded by bound");
  }
  const auto tenths = static_cast<int64_t>(std::ceil(gap_percent() * 10 - 1e-9));
  return Say("best of ", simulated, " simulated, within ", tenths / 10, ".", tenths % 10, " % of the bound");
}

TuneCost RunPlan(const Operator& op, const Plan& plan, const SocConfig& soc) {
  std::vector<size_t> all(CoresOf(TimedLaunch(op, plan, {})).size());
  std::iota(all.begin(), all.end(), size_t{0});
  const LoneCores lone = Lone(op, plan, soc, all);
  TuneCost cost{.cores = plan.UsedCores()};
  for (const CoreStatistics& core : lone.statistics) {
    cost.gm_bytes += core.gm_read_bytes + core.gm_write_bytes;
  }
  cost.time_us = LaunchTimeUs(soc, Replay(lone.recording, soc).cycles, plan.UsedCores());
  return cost;
}

double LeastTimeUs(const Operator& op, const Plan& plan, const SocConfig& soc, size_t core) {
  const LoneCores lone = Lone(op, plan, soc, {core});
  const WhatIf alone = {.free_pipes = {}, .all_in_l2 = true, .gm_unshared = true};
  return LaunchTimeUs(soc, Replay(lone.recording, soc, alone).cycles, plan.UsedCores());
}

Tuned TuneOperator(const Operator& op, const SocConfig& soc, int64_t cores, const TuneLimits& limits,
                   TuneObjective objective) {
  Tuned tuned;
  tuned.op = Planned(op, PlannerKind::kOp, soc, cores, tuned);
  tuned.api = Planned(op, PlannerKind::kApi, soc, cores, tuned);
  tuned.best = tuned.op;
  tuned.from = "op";
  if (tuned.api && (!tuned.best || tuned.api->cost.time_us < tuned.best->cost.time_us)) {
    tuned.best = tuned.api;
    tuned.from = "api";
  }
  const std::unique_ptr<TunableTilings> tilings = op.Tilings(soc, cores);
  if (!tilings || !tuned.best) {
    tuned.bound_us = tuned.best ? LowerBoundOf(soc, op.LeastWork(soc), cores).time_us : 0;
    return tuned;
  }
  const TuneMeasures measures = {.least_us =
                                     [&](const TilePath& path) {
                                       return LeastTimeUs(op, LegalPlan(*tilings, path), soc,
                                                          tilings->BusiestCoreOf(path));
                                     },
                                 .run =
                                     [&](const TilePath& path) {
                                       TuneCost cost = RunPlan(op, LegalPlan(*tilings, path), soc);
                                       cost.l1_bytes = tilings->LocalBytesOf(path);
                                       return cost;
                                     }};
  constexpr double kNothing = std::numeric_limits<double>::infinity();
  const double known_us = tuned.best ? tuned.best->cost.time_us : kNothing;
  const TuneAnswer answer = SearchTiles(tilings->space(), measures, known_us, limits);
  if (answer.best) {
    const bool least = objective == TuneObjective::kTraffic || objective == TuneObjective::kL1;
    const TuneAnswer::Run& run = least ? LeastOf(answer, objective) : *answer.best;
    tuned.best = {LegalPlan(*tilings, run.path), run.cost};
    tuned.from = "search";
    tuned.objective = objective;
  }
  if (answer.best && objective == TuneObjective::kPareto) {
    for (const TuneAnswer::Run& run : Unbeaten(answer.runs)) {
      tuned.front.push_back({LegalPlan(*tilings, run.path), run.cost});
    }
  }
  tuned.bound_us = answer.bound_us;
  tuned.proven = answer.proven;
  tuned.legal = answer.legal;
  tuned.legal_is_all = answer.legal_is_all;
  tuned.considered = answer.considered;
  tuned.played = answer.played;
  tuned.simulated += static_cast<int64_t>(answer.runs.size());
  return tuned;
}

}  // namespace tilesim
