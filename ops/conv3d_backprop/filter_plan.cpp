#include <algorithm>

#include "formats/error.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_explain.h"
#include "tiling/conv_backprop/filter_legality.h"
#include "tiling/conv_backprop/filter_op_planner.h"
#include "tiling/core_memory.h"

namespace tilesim {
namespace {

std::vector<std::string> Sentences(const Rejections& rejections) {
  std::vector<std::string> sentences;
  for (const Rejection& rejection : rejections) {
    sentences.push_back(Sentence(rejection));
  }
  return sentences;
}

// What stops a tiling, and of a legal one what it does.
void Judge(FilterPlan& plan, const FilterProblem& problem, const CoreMemory& memory,
           const Rejections& rejections) {
  const std::vector<std::string> sentences = Sentences(rejections);
  plan.reasons.insert(plan.reasons.end(), sentences.begin(), sentences.end());
  if (plan.legal) {
    plan.why = Explained(problem, plan.tiling, memory);
  }
}

// The flag's own words, or those of the rule of legality that says the same and knows the nearest value that
// fits: it is then told once.
RaisedFlag WithNearest(const RaisedFlag& raised, Rejections& rejections) {
  const auto same = std::ranges::find_if(rejections, [&](const Rejection& rejection) {
    return rejection.value == raised.why.value && rejection.limit == raised.why.limit;
  });
  if (same == rejections.end()) {
    return raised;
  }
  RaisedFlag told{raised.flag, *same};
  rejections.erase(same);
  return told;
}

FilterPlan PlanApi(const FilterProblem& problem, const CoreMemory& memory, int64_t cores) {
  const FilterApiPlan api = PlanFilterApi(problem, memory);
  FilterPlan plan;
  plan.planner = "api";
  if (!api.accepted) {
    const std::string code = api.flags.empty() ? "" : Say(Name(api.flags.front().flag), ": ");
    for (const Rejection& rejection : api.reasons) {
      plan.reasons.push_back(code + Sentence(rejection));
    }
    return plan;
  }
  plan.tiling = {.data = api.data, .split = DealOut(problem, api.data.dwTiling, cores)};
  Rejections rejections = WhyNot(plan.tiling, problem, memory, cores);
  plan.legal = api.legal() && rejections.empty();
  for (const RaisedFlag& raised : api.flags) {
    plan.reasons.push_back(Sentence(WithNearest(raised, rejections)));
  }
  Judge(plan, problem, memory, rejections);
  return plan;
}

FilterPlan PlanOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  const FilterOpPlan op = PlanFilterOp(problem, soc, cores);
  FilterPlan plan{
      .tiling = op.tiling, .legal = op.legal, .planner = "op", .reasons = Sentences(op.reasons), .why = {}};
  if (op.legal) {
    plan.why = op.explanation;
    for (const std::string& sentence : Sentences(op.not_larger)) {
      plan.why.push_back("not larger: " + sentence);
    }
  }
  return plan;
}

}  // namespace

FilterPlan PlanFilter(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc,
                      int64_t cores) {
  const FilterProblem filter = ToFilterProblem(problem);
  return planner == PlannerKind::kApi ? PlanApi(filter, CoreMemoryOf(soc), cores)
                                      : PlanOp(filter, soc, cores);
}

FilterPlan CheckFilterTiling(const Conv3dProblem& problem, const FilterTiling& tiling, const SocConfig& soc,
                             int64_t cores) {
  FilterPlan plan;
  plan.planner = "given";
  plan.tiling = tiling;
  const FilterProblem filter = ToFilterProblem(problem);
  const CoreMemory memory = CoreMemoryOf(soc);
  const Rejections rejections = WhyNot(tiling, filter, memory, cores);
  plan.legal = rejections.empty();
  Judge(plan, filter, memory, rejections);
  return plan;
}

}  // namespace tilesim
