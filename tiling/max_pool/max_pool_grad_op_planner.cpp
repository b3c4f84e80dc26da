#include "tiling/max_pool/max_pool_grad_op_planner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/fewer_cores.h"
#include "tiling/launch_cost.h"
#include "tiling/max_pool/max_pool_grad_fit.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_grad_work.h"
#include "tiling/max_pool/max_pool_op_planner.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_op_plan.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

constexpr std::array kAllStrategies = {PoolGradStrategy::kResident, PoolGradStrategy::kPlanes,
                                       PoolGradStrategy::kRows, PoolGradStrategy::kColumns};

// `whole` and its halves down to 1.
std::vector<int64_t> Halves(int64_t whole) {
  std::vector<int64_t> sizes = {std::max<int64_t>(whole, 1)};
  while (sizes.back() > 1) {
    sizes.push_back(CeilDiv(sizes.back(), int64_t{2}));
  }
  return sizes;
}

class GradPlanner {
 public:
  GradPlanner(const PoolGradProblem& problem, const SocConfig& soc, const CostModel<MaxPoolGradTiling>& cost)
      : p_(problem), soc_(soc), cost_(cost), axes_(AxesOf(problem)), counts_(problem.shape) {
    LookAtWholeSlots();
    if (choices_.empty()) {
      LookAtParts();
    }
  }

  // As far as runs of one core tell.
  [[nodiscard]] PoolGradOpPlan PlanFor(int64_t cores) const {
    if (choices_.empty()) {
      return Refused(cores);
    }
    return FastestChoice<MaxPoolGradTiling>(
        choices_, cores, soc_, cost_,
        [](MaxPoolGradTiling tiling, int64_t used) {
          tiling.split.used_cores = used;
          tiling.data.usedCoreNum = Unsigned(used);
          return tiling;
        },
        [&](const MaxPoolGradTiling& tiling) { return WhyNot(tiling, p_, soc_.ub_bytes, cores); },
        [&](const MaxPoolGradTiling& tiling) { return BusiestCoreOf(tiling, p_, counts_, soc_); });
  }

 private:
  [[nodiscard]] PoolGradOpPlan Refused(int64_t cores) const {
    PoolGradOpPlan plan;
    const MaxPoolGradTiling smallest = SmallestPoolGradTiling(p_);
    plan.reasons = WhyNot(smallest, p_, soc_.ub_bytes, cores);
    const int64_t needed = Signed(smallest.data.totalUBSize) + kSelectScratchBytes;
    if (!plan.reasons.empty() && plan.reasons.back().field == kUbField) {
      plan.reasons.back().mend = Say("this is the smallest block: memory.ub_bytes ", needed, " fits");
    }
    return plan;
  }

  // The most slots of an axis that UB could hold at all.
  [[nodiscard]] int64_t MostSlots(size_t axis) const {
    return std::min(axes_[axis].Slots().size(), std::max<int64_t>(1, soc_.ub_bytes / kPointBytes));
  }

  // The most slots of an axis in a block of one slot along the others, with all of dy that it needs; at
  // least 1.
  [[nodiscard]] int64_t MostWholeSlots(size_t axis) const {
    const int64_t most = Largest(1, MostSlots(axis), [&](int64_t slots) {
      PoolGradBlockSizes sizes;
      (axis == 0 ? sizes.d : axis == 1 ? sizes.h : sizes.w) = slots;
      sizes.run_d = sizes.d;
      if (axis != 0) {
        sizes.cut[0] = 1;  // the least that LookAtWholeSlots takes
      }
      return FittedTiling(p_, {.sizes = sizes}, soc_.ub_bytes, 1).has_value();
    });
    return std::max<int64_t>(most, 1);
  }

  // Blocks with all of dy that they need.
  void LookAtWholeSlots() {
    const std::vector<int64_t> sizes_d = PartSizes(axes_[0].Slots().size(), MostWholeSlots(0));
    const std::vector<int64_t> sizes_h = PartSizes(axes_[1].Slots().size(), MostWholeSlots(1));
    for (const int64_t w : PartSizes(axes_[2].Slots().size(), MostWholeSlots(2))) {
      for (const int64_t h : sizes_h) {
        for (const int64_t d : sizes_d) {
          LookAtRuns({.d = d, .h = h, .w = w}, PoolGradStrategy::kResident);
          if (d == 1 && axes_[0].walk().stride > 1) {
            // a smaller dx leaves room for larger parts of y, of which fewer are pooled twice
            LookAtRuns({.h = h, .w = w, .cut = {1, INT64_MAX, INT64_MAX}}, PoolGradStrategy::kResident);
          }
        }
      }
    }
  }

  // Blocks of one slot along D and H, or of a part of one, and dy in parts.
  void LookAtParts() {
    for (const int64_t d : Halves(axes_[0].walk().stride)) {
      for (const int64_t h : Halves(axes_[1].walk().stride)) {
        for (const int64_t w : Halves(axes_[2].walk().stride)) {
          const bool whole = w == axes_[2].walk().stride;
          for (const int64_t slots : Halves(whole ? MostSlots(2) : 1)) {
            for (const PoolGradStrategy strategy : kAllStrategies) {
              LookAtRuns({.w = slots, .cut = {d, h, w}}, strategy);
            }
          }
        }
      }
    }
  }

  // Longer runs along D read less of dy again, shorter ones occupy more cores.
  void LookAtRuns(PoolGradBlockSizes sizes, PoolGradStrategy strategy) {
    const int64_t slots = axes_[0].Slots().size();
    for (const int64_t parts : CoreCountsUpTo(CeilDiv(slots, sizes.d))) {
      const int64_t run = std::min(CeilDiv(CeilDiv(slots, parts), sizes.d) * sizes.d, slots);
      if (run == sizes.run_d && parts > 1) {
        continue;
      }
      sizes.run_d = run;
      ++dealings_;
      // rows of x that come together are pooled sooner, dx in larger boxes is written sooner
      for (int64_t x_rows = p_.recomputes ? 2 : 1; x_rows >= 1; --x_rows) {
        const auto tiling = FittedWithParts(p_, sizes, strategy, soc_.ub_bytes, 1, x_rows);
        const bool is_new = tiling && (choices_.empty() || choices_.back().dealing != dealings_ ||
                                       choices_.back().cut.split != tiling->split);
        if (is_new) {
          const MaxPoolGradWork work(p_, counts_, *tiling, PoolGradKnown::kBuffers, soc_);
          choices_.push_back({.cut = *tiling,
                              .tasks = Signed(tiling->data.totalCnt),
                              .alone = PoolGradLeastCycles(soc_, work.Mean(1), FactsOf(p_, *tiling)),
                              .dealing = dealings_});
        }
      }
    }
  }

  const PoolGradProblem p_;
  const SocConfig& soc_;
  const CostModel<MaxPoolGradTiling>& cost_;
  const PoolGradAxes axes_;
  const MaxPoolCounts counts_;
  size_t dealings_ = 0;
  std::vector<PoolChoice<MaxPoolGradTiling>> choices_;
};

// The plans of both phases as one. The pooling was asked for as if it stored its maxima, too.
PoolGradOpPlan Joined(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                      const MaxPoolOpPlan& pooling, PoolGradOpPlan plan) {
  plan.tried += pooling.tried;
  plan.tiling.pooling = pooling.tiling;
  plan.legal = plan.legal && pooling.legal && WhyNot(plan.tiling, problem, soc.ub_bytes, cores).empty();
  plan.cycles += pooling.cycles + static_cast<double>(soc.barrier_cycles + soc.cross_core_cycles);
  return plan;
}

// The faster one, launch included.
PoolGradOpPlan Faster(PoolGradOpPlan one, PoolGradOpPlan two, const SocConfig& soc) {
  const auto launched = [&](const PoolGradOpPlan& plan) {
    return plan.cycles + LaunchCycles(LaunchedCores(plan.tiling), soc);
  };
  const bool in_two = two.legal && (!one.legal || launched(two) < launched(one));
  one.tried = two.tried = one.tried + two.tried;
  const PoolGradOpPlan& other = in_two ? one : two;
  PoolGradOpPlan& plan = in_two ? two : one;
  if (other.legal) {
    plan.explanation = {Say(in_two ? "in one phase" : "in two phases", " about ",
                            static_cast<int64_t>(other.cycles), " cycles")};
  }
  return std::move(plan);
}

}  // namespace

PoolGradOpPlan PlanInOnePhase(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                              const PoolGradCost& cost) {
  return GradPlanner(problem, soc, cost.gradient).PlanFor(cores);
}

PoolGradOpPlan PlanInTwoPhases(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                               const PoolGradCost& cost) {
  return Joined(problem, soc, cores,
                MaxPoolPlanner(FirstPhaseOf(problem), soc, cost.first_phase).PlanFor(cores),
                GradPlanner(SecondPhaseOf(problem), soc, cost.second_phase).PlanFor(cores));
}

PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                                 const PoolGradCost& cost) {
  PoolGradOpPlan plan;
  plan.reasons = WhyNot(problem);
  if (cores < 1) {
    plan.reasons.push_back(NoCores(cores));
  }
  if (!plan.reasons.empty()) {
    return plan;
  }
  const GradPlanner one(problem, soc, cost.gradient);
  std::optional<MaxPoolPlanner> first;
  std::optional<GradPlanner> second;
  if (problem.recomputes) {
    first.emplace(FirstPhaseOf(problem), soc, cost.first_phase);
    second.emplace(SecondPhaseOf(problem), soc, cost.second_phase);
  }
  const auto plan_for = [&](int64_t some, double /*most_cycles*/) {
    PoolGradOpPlan two =
        first ? Joined(problem, soc, some, first->PlanFor(some), second->PlanFor(some)) : PoolGradOpPlan();
    return Faster(one.PlanFor(some), std::move(two), soc);
  };
  plan = FastestOnSomeCores(soc, cores, cost.gradient, kByRunsOfACore, plan_for, LaunchedCores);
  if (plan.legal) {
    Explain(Explained(plan.tiling, problem, soc.ub_bytes), plan);
    plan.not_larger = NotLarger(plan.tiling, problem, soc.ub_bytes);
  }
  return plan;
}

}  // namespace tilesim
