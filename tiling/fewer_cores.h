// A plan for many cores that is not slower than one for few. Estimates err by more than a core more or less
// gains, so the plans for all cores and for fewer are priced by simulation where that is soon done.
#pragma once

#include <algorithm>
#include <bit>
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
#include "tiling/launch_cost.h"

namespace tilesim {

// The largest number below `cores` that is a power of two, or one and a quarter, a half or three quarters of
// one: so the numbers below a number of them are those below the next, too. 0 below 1.
constexpr int64_t FewerCores(int64_t cores) {
  const int64_t below = cores - 1;
  if (below < 4) {
    return below;
  }
  const int64_t step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(below))) / 4;
  return below / step * step;
}

// How far plans for fewer cores are looked at.
struct FewerCoresSearch {
  int most_plans;  // that are simulated
  double error;    // a promise of so many times the best time, by how the best kept its own, ends it
};

// Of plan_for(cores) and those for fewer cores the one with the least simulated time, launch included.
// plan_for(n) has legal, tiling (of which JsonOf gives the text) and explanation; cycles_of(plan) is its
// estimate, and cores_of(tiling) what its launch starts.
template <class Tiling, class PlanFor, class CyclesOf, class CoresOf>
auto FastestOnSomeCores(const SocConfig& soc, int64_t cores, const FewerCoresSearch& search,
                        const CostModel<Tiling>& cost, const PlanFor& plan_for, const CyclesOf& cycles_of,
                        const CoresOf& cores_of) {
  // Of all cores of a launch: some milliseconds of the host, and ten times as many.
  constexpr double kShortCoreCycles = 600'000, kMostCoreCycles = 6'000'000;
  constexpr int kMostLongPlans = 3;
  constexpr double kAnyCycles = 1e15;
  auto best = plan_for(cores);
  const auto launch = [&](const auto& plan) { return LaunchCycles(cores_of(plan.tiling), soc); };
  if (!best.legal || cores < 2) {
    return best;
  }
  const double core_cycles = cycles_of(best) * static_cast<double>(cores_of(best.tiling));
  const int most_plans = core_cycles <= kShortCoreCycles  ? search.most_plans
                         : core_cycles <= kMostCoreCycles ? std::min(kMostLongPlans, search.most_plans)
                                                          : 1;
  if (most_plans == 1) {
    return best;
  }
  double least = INFINITY;
  double pace = 1;  // simulated cycles of the best plan, beside its estimate
  int64_t priced = 0;
  const auto is_faster = [&](const auto& plan) {
    const double most = std::isfinite(least) ? std::max(0.0, least - launch(plan)) : kAnyCycles;
    const std::optional<LaunchCost> run = cost.launch(plan.tiling, static_cast<int64_t>(most));
    ++priced;
    const bool faster = run && static_cast<double>(run->cycles) + launch(plan) < least;
    if (faster) {
      least = static_cast<double>(run->cycles) + launch(plan);
      pace = static_cast<double>(run->cycles) / cycles_of(plan);
    }
    return faster;
  };
  (void)is_faster(best);
  std::set<std::string> known = {JsonOf(best.tiling)};
  for (int64_t fewer = FewerCores(cores); fewer > 0 && priced < most_plans; fewer = FewerCores(fewer)) {
    auto plan = plan_for(fewer);
    if (!plan.legal || pace * cycles_of(plan) + launch(plan) > search.error * least) {
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

}  // namespace tilesim
