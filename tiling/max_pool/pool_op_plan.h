// How planner `op` of a pooling chooses, forward and gradient alike: of many ways to cut the work those that
// promise most are run on the core that has most to do, for all cores and for fewer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"
#include "tiling/cost_text.h"
#include "tiling/launch_cost.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/op_plan.h"
#include "tiling/rejection.h"
#include "tiling/trials.h"

namespace tilesim {

// Sizes of equal parts of `whole`, up to `most`, the largest first and 1 the last: each of the first ones,
// then every one an eighth below the one before, or more.
inline std::vector<int64_t> PartSizes(int64_t whole, int64_t most) {
  constexpr int64_t kNeighbouringSizes = 24;
  std::vector<int64_t> sizes = {CeilDiv(whole, CeilDiv(whole, most))};
  while (sizes.back() > 1) {
    const int64_t last = sizes.back();
    const int64_t bound =
        std::ssize(sizes) < kNeighbouringSizes ? last - 1 : last - CeilDiv(last, int64_t{8});
    sizes.push_back(CeilDiv(whole, CeilDiv(whole, bound)));
  }
  return sizes;
}

// A way to cut the work, for any number of cores.
template <class Cut>
struct PoolChoice {
  Cut cut;
  int64_t tasks = 0;   // that are dealt out over the cores
  double alone = 0;    // cycles that one core takes for all of them at least
  size_t dealing = 0;  // by number: choices of one dealing give a core the same to do
};

// The fastest choice on up to `cores` cores: on as few as leave the busiest one no more tasks. It promises
// its share of what one core takes for all tasks; what promises most is run on one core, where `cost` tells
// that. tiling_of(cut, used): the tiling for so many cores; why_not(tiling); busiest_core(tiling). Without
// sentences.
template <class Tiling, class Cut, class TilingOf, class WhyNotOf, class BusiestCore>
OpPlan<Tiling> FastestChoice(const std::vector<PoolChoice<Cut>>& choices, int64_t cores, const SocConfig& soc,
                             const CostModel<Tiling>& cost, const TilingOf& tiling_of,
                             const WhyNotOf& why_not, const BusiestCore& busiest_core) {
  // Chosen with the case file of poolings and random ones. Sums tell short launches apart worst.
  constexpr TrialBudget kBudget = {.most_cycles_on_one_core = 4e6,
                                   .cycles_of_short = 4e5,
                                   .of_short = {.on_one_core = 32, .on_all_cores = 1},
                                   .of_long = {.on_one_core = 12, .on_all_cores = 1}};
  constexpr size_t kMostCandidates = 2 * kBudget.of_short.on_one_core;  // some are left out
  struct Promise {
    double cycles, with_launch;
    int64_t used;
    const PoolChoice<Cut>* choice;
  };
  std::vector<Promise> promises;
  promises.reserve(choices.size());
  for (const PoolChoice<Cut>& choice : choices) {
    const int64_t used = CoresFor(choice.tasks, cores);
    const auto tasks = static_cast<double>(std::max<int64_t>(choice.tasks, 1));
    const double cycles = choice.alone * static_cast<double>(CeilDiv(choice.tasks, used)) / tasks;
    promises.push_back({cycles, cycles + LaunchCycles(used, soc), used, &choice});
  }
  std::ranges::stable_sort(promises, {}, &Promise::with_launch);
  promises.resize(std::min(promises.size(), kMostCandidates));
  std::vector<Candidate<Tiling>> candidates;
  for (const Promise& one : promises) {
    candidates.push_back(
        {.tiling = tiling_of(one.choice->cut, one.used), .cycles = one.cycles, .cut = one.choice->dealing});
  }
  const CostModel<Tiling> of_a_core = {.launch = {}, .core = cost.core, .first_tasks = {}};
  OpPlan<Tiling> plan;
  plan.tried = static_cast<int64_t>(choices.size());
  plan.reasons = candidates.empty() ? Rejections() : why_not(candidates.front().tiling);
  Trials<Tiling> trials(soc, of_a_core,
                        {.cores_of = [](const Tiling& tiling) { return tiling.split.used_cores; },
                         .is_legal = [&](const Tiling& tiling) { return why_not(tiling).empty(); },
                         .busiest_core = busiest_core,
                         .data_of = [](const Tiling& tiling) { return JsonOf(tiling); }},
                        kBudget);
  if (const std::optional<Candidate<Tiling>> best = trials.Fastest(std::move(candidates))) {
    plan.legal = true;
    plan.reasons.clear();
    plan.tiling = best->tiling;
    plan.cycles = best->cycles;
  }
  return plan;
}

}  // namespace tilesim
