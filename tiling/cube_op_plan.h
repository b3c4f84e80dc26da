// How planner `op` of the cube's operators, convolution gradients and matrix products, takes the fastest of
// its candidates. What differs is found by overload: WhyNot, Explained, NotLarger and JsonOf of the operator;
// and in its Search, which has
//   Search(problem, soc, cores)  for so many cores
//   Promising(list)              adds the candidates
//   Small(list)                  adds others with the least of everything, for where none of these is legal
//   BusiestCore(tiling)          of a legal tiling
//   WhyNothingFits()             where the small ones are not legal, either
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

// A block that promises to take more than so many times the least cycles promised is no candidate.
inline constexpr double kMostTimesLeast = 2;

// The candidates of a search.
template <class Tiling>
struct CandidateList {
  std::vector<Candidate<Tiling>> all;
  int64_t tried = 0;  // tilings that were given a promise

  // Of the cut in hand, by number.
  void Add(const Tiling& tiling, double cycles, double hbm_cycles = 0) {
    all.push_back({.tiling = tiling, .cycles = cycles, .hbm_cycles = hbm_cycles, .cut = cut_});
    ++tried;
  }
  // Of a cut of its own. It promises a little more than the best, for sums of its blocks would not tell what
  // it takes; but what takes so many cycles at least promises no more than that.
  void AddPlannerApi(const Tiling& tiling, double least_cycles = 0) {
    NextCut();
    const double best =
        all.empty() ? 0 : std::nextafter(std::ranges::min(all, {}, &Candidate<Tiling>::cycles).cycles, 0.0);
    Add(tiling, std::max(best, least_cycles));
  }
  void NextCut() { ++cut_; }

 private:
  size_t cut_ = 0;
};

// The plan for `cores` cores of the fastest candidate, without sentences; none of them may be legal, and take
// at most `most_cycles` with the launch.
template <class Search, class Tiling, class Problem>
OpPlan<Tiling> PlanCubeOpFor(const Problem& problem, const SocConfig& soc, int64_t cores,
                             const CostModel<Tiling>& cost, double most_cycles) {
  const CoreMemory memory = CoreMemoryOf(soc);
  const Search search(problem, soc, cores);
  OpPlan<Tiling> plan;
  const auto take_fastest = [&](CandidateList<Tiling> list) {
    plan.tried += list.tried;
    Trials<Tiling> trials(
        soc, cost,
        {.cores_of = [](const Tiling& tiling) { return tiling.split.used_cores; },
         .is_legal = [&](const Tiling& tiling) { return WhyNot(tiling, problem, memory, cores).empty(); },
         .busiest_core = [&](const Tiling& tiling) { return search.BusiestCore(tiling); },
         .data_of = [](const Tiling& tiling) { return JsonOf(Tiling{.data = tiling.data, .split = {}}); }},
        {.most_cycles = most_cycles});
    if (const std::optional<Candidate<Tiling>> best = trials.Fastest(std::move(list.all))) {
      plan.legal = true;
      plan.tiling = best->tiling;
      plan.cycles = best->cycles;
      plan.cost = best->cost;
    }
  };
  CandidateList<Tiling> promising;
  search.Promising(promising);
  take_fastest(std::move(promising));
  if (!plan.legal && std::isinf(most_cycles)) {
    CandidateList<Tiling> small;
    search.Small(small);
    take_fastest(std::move(small));
    plan.reasons = plan.legal ? Rejections() : search.WhyNothingFits();
  }
  return plan;
}

// Of the plans for up to `cores` cores the fastest, with its sentences; `reasons`: why the problem has none.
template <class Search, class Tiling, class Problem>
OpPlan<Tiling> PlanCubeOp(const Problem& problem, Rejections reasons, const SocConfig& soc, int64_t cores,
                          const CostModel<Tiling>& cost) {
  return PlanOnSomeCores(
      std::move(reasons), soc, cores, cost, kBySimulation,
      [&] {
        return [&](int64_t some, double most_cycles) {
          return PlanCubeOpFor<Search>(problem, soc, some, cost, most_cycles);
        };
      },
      [](const Tiling& tiling) { return tiling.split.used_cores; },
      [&](OpPlan<Tiling>& plan) {
        const CoreMemory memory = CoreMemoryOf(soc);
        Explain(Explained(problem, plan.tiling, memory), plan);
        plan.not_larger = NotLarger(problem, plan.tiling, memory);
      });
}

}  // namespace tilesim
