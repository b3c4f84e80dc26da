// How planner `op` of the cube's operators, convolution gradients and matrix products, takes the fastest of
// its candidates. What differs is found by overload: WhyNot, Explained, NotLarger and JsonOf of the operator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/core_memory.h"
#include "tiling/cost_model.h"
#include "tiling/fewer_cores.h"
#include "tiling/op_plan.h"
#include "tiling/rejection.h"
#include "tiling/trials.h"

namespace tilesim {

// The plan of the fastest candidate, without sentences; none of them may be legal, and take at most
// `most_cycles` with the launch.
template <class Tiling, class Problem>
void TakeFastest(std::vector<Candidate<Tiling>> candidates, const Problem& problem, const SocConfig& soc,
                 int64_t cores, const CostModel<Tiling>& cost, double most_cycles,
                 const std::function<size_t(const Tiling&)>& busiest_core, OpPlan<Tiling>& plan) {
  const CoreMemory memory = CoreMemoryOf(soc);
  plan.tried += static_cast<int64_t>(candidates.size());
  Trials<Tiling> trials(
      soc, cost,
      {.cores_of = [](const Tiling& tiling) { return tiling.split.used_cores; },
       .is_legal = [&](const Tiling& tiling) { return WhyNot(tiling, problem, memory, cores).empty(); },
       .busiest_core = busiest_core,
       .data_of = [](const Tiling& tiling) { return JsonOf(Tiling{.data = tiling.data, .split = {}}); }},
      {.most_cycles = most_cycles});
  const std::optional<Candidate<Tiling>> best = trials.Fastest(std::move(candidates));
  if (!best) {
    return;
  }
  plan.legal = true;
  plan.tiling = best->tiling;
  plan.cycles = best->cycles;
  plan.cost = best->cost;
}

// Of the plans for up to `cores` cores the fastest, with its sentences; `reasons`: why the problem has none.
// plan_for(some, most_cycles) answers for so many.
template <class Tiling, class Problem, class PlanFor>
OpPlan<Tiling> PlanCubeOp(const Problem& problem, Rejections reasons, const SocConfig& soc, int64_t cores,
                          const CostModel<Tiling>& cost, const PlanFor& plan_for) {
  OpPlan<Tiling> plan;
  plan.reasons = std::move(reasons);
  if (cores < 1) {
    plan.reasons.push_back(NoCores(cores));
  }
  if (!plan.reasons.empty()) {
    return plan;
  }
  plan = FastestOnSomeCores(soc, cores, cost, kBySimulation, plan_for,
                            [](const Tiling& tiling) { return tiling.split.used_cores; });
  if (plan.legal) {
    const CoreMemory memory = CoreMemoryOf(soc);
    Explain(Explained(problem, plan.tiling, memory), plan);
    plan.not_larger = NotLarger(problem, plan.tiling, memory);
  }
  return plan;
}

// What planner api's tiling promises: a little more than the best, for sums of its blocks would not tell what
// it takes.
template <class Tiling>
double PromiseOfApi(const std::vector<Candidate<Tiling>>& candidates) {
  return candidates.empty()
             ? 0
             : std::nextafter(std::ranges::min(candidates, {}, &Candidate<Tiling>::cycles).cycles, 0.0);
}

}  // namespace tilesim
