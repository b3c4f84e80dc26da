// What the planners of both convolution gradients have in common once they have answered: a plan with its
// reasons in sentences. The parts that differ are found by overload: DealOut, WhyNot and Explained of the
// problem's family.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "ops/plans/plan.h"
#include "tiling/core_memory.h"
#include "tiling/rejection.h"

namespace tilesim {

inline const TConv3DBpFilterTiling& TileProgramOf(const Conv3DBackpropFilterTilingData& data) {
  return data.dwTiling;
}
inline const TConv3DBackpropInputTiling& TileProgramOf(const Conv3DBackpropInputTilingData& data) {
  return data.conv3DDxTiling;
}

// What stops a tiling, and of a legal one what it does.
template <class Tiling, class Problem>
void Judge(PlanWith<Tiling>& plan, const Problem& problem, const CoreMemory& memory,
           const Rejections& rejections) {
  const std::vector<std::string> sentences = SentencesOf(rejections);
  plan.reasons.insert(plan.reasons.end(), sentences.begin(), sentences.end());
  if (plan.legal) {
    plan.why = Explained(problem, plan.tiling, memory);
  }
}

// The flag's own words, or those of the rule of legality that says the same and knows the nearest value that
// fits: it is then told once. The same is the same numbers of the same field, or by the same rule (a block
// too large for L0C may be laid to either of its sides).
template <class Raised>
Raised WithNearest(const Raised& raised, Rejections& rejections) {
  const auto same = std::ranges::find_if(rejections, [&](const Rejection& rejection) {
    const bool same_subject = rejection.field == raised.why.field || rejection.rule == raised.why.rule;
    return same_subject && rejection.value == raised.why.value && rejection.limit == raised.why.limit;
  });
  if (same == rejections.end()) {
    return raised;
  }
  Raised told{raised.flag, *same};
  rejections.erase(same);
  return told;
}

// The answer of planner `api`, its tasks dealt out over `cores` cores.
template <class Tiling, class ApiPlan, class Problem>
PlanWith<Tiling> PlanOfApi(const ApiPlan& api, const Problem& problem, const CoreMemory& memory,
                           int64_t cores) {
  PlanWith<Tiling> plan;
  plan.planner = "api";
  if (!api.accepted) {
    const std::string code = api.flags.empty() ? "" : Say(Name(api.flags.front().flag), ": ");
    for (const Rejection& rejection : api.reasons) {
      plan.reasons.push_back(code + Sentence(rejection));
    }
    return plan;
  }
  plan.tiling = {.data = api.data, .split = DealOut(problem, TileProgramOf(api.data), cores)};
  Rejections rejections = WhyNot(plan.tiling, problem, memory, cores);
  plan.legal = api.legal() && rejections.empty();
  for (const auto& raised : api.flags) {
    plan.reasons.push_back(Sentence(WithNearest(raised, rejections)));
  }
  Judge(plan, problem, memory, rejections);
  return plan;
}

// A tiling given by hand, checked.
template <class Tiling, class Problem>
PlanWith<Tiling> PlanOfGiven(const Tiling& tiling, const Problem& problem, const CoreMemory& memory,
                             int64_t cores) {
  const Rejections rejections = WhyNot(tiling, problem, memory, cores);
  PlanWith<Tiling> plan{
      .tiling = tiling, .legal = rejections.empty(), .planner = "given", .reasons = {}, .why = {}};
  Judge(plan, problem, memory, rejections);
  return plan;
}

// Tiling data given by hand without a split. Checked before their tasks are dealt out, which divides by them.
template <class Tiling, class Data, class Problem>
PlanWith<Tiling> PlanOfGivenData(const Data& data, const Problem& problem, const CoreMemory& memory,
                                 int64_t cores) {
  const Rejections rejections = WhyNot(data, problem, memory);
  if (!rejections.empty()) {
    return {.tiling = {.data = data, .split = {}},
            .legal = false,
            .planner = "given",
            .reasons = SentencesOf(rejections),
            .why = {}};
  }
  const Tiling tiling = {.data = data, .split = DealOut(problem, TileProgramOf(data), cores)};
  return PlanOfGiven(tiling, problem, memory, cores);
}

// The plan as the harness carries it. The base sizes are 0 where planner `api` refused.
template <class Tiling>
Plan AnyPlan(PlanWith<Tiling> plan) {
  const bool planned = TileProgramOf(plan.tiling.data).baseM != 0;
  return Plan(std::move(plan), planned);
}

}  // namespace tilesim
