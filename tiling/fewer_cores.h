// A plan for many cores that is not slower than one for few: the plans for all cores and for fewer are priced
// by simulation where that is soon done.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/op_plan.h"

namespace tilesim {

// So many smaller numbers of cores are looked at: all that parts have.
inline constexpr int64_t kMostFewerCores = 64;

// How much longer than the best found a plan may promise to take, and for fewer cores there may still be a
// faster one: of launches of fewer than 200,000 cycles of all cores, than 2 million, and of longer ones.
// Of long launches `fewest` plans are simulated all the same, for they take many times as long to be run with
// their values; launches of more than `most` cycles of all cores stay with their plan for all cores.
struct WorthALook {
  double tiny, few, many;
  double most;
  double fewest;
};
// Found with the case files and random cases, where none won that promised more. The longest launches take
// some 8 s of the host for all plans that are simulated of them.
inline constexpr WorthALook kBySimulation = {.tiny = 1.2, .few = 1.1, .many = 1.05, .most = 1e9, .fewest = 4};
inline constexpr WorthALook kByRunsOfACore = {
    .tiny = 1.1, .few = 1.05, .many = 1.02, .most = 4e8, .fewest = 8};

// Of plan_for(cores) and those for fewer cores the one with the least simulated time, launch included; where
// none is simulated that of plan_for(cores). plan_for(n, most_cycles) need not be legal where it takes more,
// with its launch; cores_of(tiling) is what its launch starts.
template <class Tiling, class PlanFor, class CoresOf>
OpPlan<Tiling> FastestOnSomeCores(const SocConfig& soc, int64_t cores, const CostModel<Tiling>& cost,
                                  const WorthALook& worth, const PlanFor& plan_for, const CoresOf& cores_of) {
  // Simulation takes some 2 ns of the host for a cycle of a core. All launches that are simulated take so
  // many cycles of all cores together, 0.15 s of the host, or are worth.fewest.
  constexpr double kMostCoreCycles = 72'000'000;
  constexpr double kShortCoreCycles = 200'000, kLongCoreCycles = 2'000'000;  // of one launch
  constexpr double kAnyCycles = 1e15;
  using One = OpPlan<Tiling>;
  One best = plan_for(cores, INFINITY);
  const auto launch = [&](const One& plan) { return LaunchCycles(cores_of(plan.tiling), soc); };
  if (!best.legal || !cost.launch) {
    return best;
  }
  const double core_cycles = best.cycles * static_cast<double>(cores_of(best.tiling));
  if (core_cycles > worth.most) {
    return best;
  }
  const double most_priced = std::max(worth.fewest, std::floor(kMostCoreCycles / core_cycles));
  double least = INFINITY;  // simulated time
  // Simulated cycles of the best plan beside those it promised. Promises that are too long are so for all
  // plans; a plan that takes longer than its own says nothing of the others.
  double pace = 1;
  const double most = core_cycles < kShortCoreCycles  ? worth.tiny
                      : core_cycles < kLongCoreCycles ? worth.few
                                                      : worth.many;
  int64_t priced = 0;
  const auto is_faster = [&](One& plan) {
    const double most_cycles = std::isfinite(least) ? std::max(0.0, least - launch(plan)) : kAnyCycles;
    const std::optional<LaunchCost> run = cost.launch(plan.tiling, static_cast<int64_t>(most_cycles));
    ++priced;
    const bool faster = run && static_cast<double>(run->cycles) + launch(plan) < least;
    if (faster) {
      least = static_cast<double>(run->cycles) + launch(plan);
      pace = std::min(1.0, static_cast<double>(run->cycles) / plan.cycles);
      plan.cost = run;
      plan.cycles = static_cast<double>(run->cycles);
    }
    return faster;
  };
  (void)is_faster(best);
  std::set<std::string> known = {JsonOf(best.tiling)};
  const int64_t fewest = std::max<int64_t>(1, cores - kMostFewerCores);
  for (int64_t fewer = cores - 1; fewer >= fewest && static_cast<double>(priced) < most_priced; --fewer) {
    One plan = plan_for(fewer, most * least / pace);
    if (!plan.legal || pace * plan.cycles + launch(plan) > most * least) {
      break;
    }
    if (known.insert(JsonOf(plan.tiling)).second && is_faster(plan)) {
      best = std::move(plan);
    }
  }
  if (priced > 1) {
    best.explanation.push_back(
        Say("the fastest of ", Counted(priced, "plan"), " for ", cores, " cores and fewer, simulated"));
  }
  return best;
}

// The same with its sentences, which tell(plan) adds to a legal one; or why there is none: `reasons` of the
// problem, or too few cores. Otherwise make_planner() gives plan_for.
template <class Tiling, class MakePlanner, class CoresOf, class Tell>
OpPlan<Tiling> PlanOnSomeCores(Rejections reasons, const SocConfig& soc, int64_t cores,
                               const CostModel<Tiling>& cost, const WorthALook& worth,
                               const MakePlanner& make_planner, const CoresOf& cores_of, const Tell& tell) {
  OpPlan<Tiling> plan;
  plan.reasons = std::move(reasons);
  if (cores < 1) {
    plan.reasons.push_back({"cores to deal the work over", "cores", cores, 1, "cores 1 fits"});
  }
  if (plan.reasons.empty()) {
    plan = FastestOnSomeCores(soc, cores, cost, worth, make_planner(), cores_of);
  }
  if (plan.legal) {
    tell(plan);
  }
  return plan;
}

}  // namespace tilesim
