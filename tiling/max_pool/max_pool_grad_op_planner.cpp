#include "tiling/max_pool/max_pool_grad_op_planner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/launch_cost.h"
#include "tiling/max_pool/max_pool_grad_estimate.h"
#include "tiling/max_pool/max_pool_grad_explain.h"
#include "tiling/max_pool/max_pool_grad_fit.h"
#include "tiling/max_pool/max_pool_grad_legality.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_op_planner.h"
#include "tiling/max_pool/max_pool_tasks.h"

namespace tilesim {
namespace {

constexpr int64_t kNeighbouringSizes = 24;
constexpr std::array kAllStrategies = {PoolGradStrategy::kResident, PoolGradStrategy::kPlanes,
                                       PoolGradStrategy::kRows, PoolGradStrategy::kColumns};

// Sizes of equal parts of `whole`, up to `most`, the largest first and 1 the last: each of the first ones,
// then every one an eighth below the one before, or more.
std::vector<int64_t> PartSizes(int64_t whole, int64_t most) {
  std::vector<int64_t> sizes = {CeilDiv(whole, CeilDiv(whole, most))};
  while (sizes.back() > 1) {
    const int64_t last = sizes.back();
    const int64_t bound =
        std::ssize(sizes) < kNeighbouringSizes ? last - 1 : last - CeilDiv(last, int64_t{8});
    sizes.push_back(CeilDiv(whole, CeilDiv(whole, bound)));
  }
  return sizes;
}

// `whole` and its halves down to 1.
std::vector<int64_t> Halves(int64_t whole) {
  std::vector<int64_t> sizes;
  for (int64_t size = whole; size > 1; size = CeilDiv(size, int64_t{2})) {
    sizes.push_back(size);
  }
  sizes.push_back(1);
  return sizes;
}

class GradOpPlanner {
 public:
  GradOpPlanner(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), cores_(cores), axes_(AxesOf(problem)) {}

  PoolGradOpPlan Plan() {
    LookAtWholeSlots();
    if (!plan_.legal) {
      LookAtParts();
    }
    if (plan_.legal) {
      SpareCores();
    } else {
      RefuseSmallest();
    }
    return plan_;
  }

 private:
  // Cores without which the busiest one has no more to do would only take time to launch.
  void SpareCores() {
    MaxPoolGradTiling spared = plan_.tiling;
    spared.split.used_cores = CoresFor(Signed(spared.data.totalCnt), cores_);
    spared.data.usedCoreNum = Unsigned(spared.split.used_cores);
    if (WhyNot(spared, p_, soc_.ub_bytes, cores_).empty()) {
      plan_.tiling = spared;
      Take(EstimatePoolGrad(p_, spared, soc_));
    }
  }

  void Take(const PoolGradEstimate& estimate) {
    plan_.cycles = estimate.cycles();
    plan_.explanation = {
        Say("estimated ", static_cast<int64_t>(plan_.cycles), " cycles, bound by ", estimate.bound_by())};
  }

  void RefuseSmallest() {
    const MaxPoolGradTiling smallest = SmallestPoolGradTiling(p_);
    plan_.reasons = WhyNot(smallest, p_, soc_.ub_bytes, cores_);
    const int64_t needed = Signed(smallest.data.totalUBSize) + kSelectScratchBytes;
    if (!plan_.reasons.empty() && plan_.reasons.back().field == kUbField) {
      plan_.reasons.back().mend = Say("this is the smallest block: memory.ub_bytes ", needed, " fits");
    }
  }

  // The most slots of an axis that UB could hold at all.
  [[nodiscard]] int64_t MostSlots(size_t axis) const {
    return std::min(axes_[axis].Slots().size(), std::max<int64_t>(1, soc_.ub_bytes / kPointBytes));
  }

  // The most slots of an axis in a block of one slot along the others, with all of dy that it needs; at
  // least 1.
  [[nodiscard]] int64_t MostWholeSlots(size_t axis) const {
    int64_t least = 1;
    for (int64_t most = MostSlots(axis); least < most;) {
      const int64_t middle = least + (most - least + 1) / 2;
      PoolGradBlockSizes sizes;
      (axis == 0 ? sizes.d : axis == 1 ? sizes.h : sizes.w) = middle;
      sizes.run_d = sizes.d;
      if (axis != 0) {
        sizes.cut[0] = 1;  // the least that LookAtWholeSlots takes
      }
      if (FittedTiling(p_, {.sizes = sizes}, soc_.ub_bytes, cores_)) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
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

  // Rows of x that come together are pooled sooner, dx in larger boxes is written sooner.
  void LookAtRuns(const PoolGradBlockSizes& sizes, PoolGradStrategy strategy) {
    for (int64_t x_rows = p_.recomputes ? 2 : 1; x_rows >= 1; --x_rows) {
      LookAtRuns(sizes, strategy, x_rows);
    }
  }

  // Longer runs along D read less of dy again, shorter ones occupy more cores.
  void LookAtRuns(PoolGradBlockSizes sizes, PoolGradStrategy strategy, int64_t x_rows) {
    const int64_t slots = axes_[0].Slots().size();
    sizes.run_d = slots;
    const std::optional<MaxPoolGradTiling> whole =
        FittedWithParts(p_, sizes, strategy, soc_.ub_bytes, cores_, x_rows);
    if (!whole) {
      return;
    }
    Consider(*whole);
    const int64_t tasks = std::max<int64_t>(1, Signed(whole->data.totalCnt));
    const int64_t most = CeilDiv(slots, sizes.d);
    const int64_t enough = std::min(CeilDiv(cores_, tasks), most);
    int64_t before = slots;
    for (const int64_t parts : {enough, 2 * enough, 3 * enough, most}) {
      sizes.run_d = CeilDiv(CeilDiv(slots, std::min(parts, most)), sizes.d) * sizes.d;
      sizes.run_d = std::min(sizes.run_d, slots);
      if (sizes.run_d != before) {
        if (const auto tiling = FittedWithParts(p_, sizes, strategy, soc_.ub_bytes, cores_, x_rows)) {
          Consider(*tiling);
        }
      }
      before = sizes.run_d;
    }
  }

  void Consider(const MaxPoolGradTiling& tiling) {
    const PoolGradEstimate estimate = EstimatePoolGrad(p_, tiling, soc_);
    const double launched =
        estimate.cycles() + LaunchCycles(CoresFor(Signed(tiling.data.totalCnt), cores_), soc_);
    ++plan_.tried;
    if ((!plan_.legal || launched < least_launched_) &&
        WhyNot(tiling, p_, soc_.ub_bytes, cores_).empty()) {  // legality last
      plan_.legal = true;
      plan_.tiling = tiling;
      least_launched_ = launched;
      Take(estimate);
    }
  }

  const PoolGradProblem& p_;
  const SocConfig& soc_;
  const int64_t cores_;
  const PoolGradAxes axes_;
  double least_launched_ = 0;  // cycles of plan_, with the launch of its cores
  PoolGradOpPlan plan_;
};

// The estimates of both ways err by more than that; one phase needs no workspace. Chosen on 392 random
// layers: of the 164 that go to two phases 2 are slower.
constexpr double kClearlySooner = 0.9;

double LaunchedCycles(const PoolGradOpPlan& plan, const SocConfig& soc) {
  return plan.cycles + LaunchCycles(LaunchedCores(plan.tiling), soc);
}

// Of a legal plan, which has the sentence of its estimate. `other`: the one that was not taken.
void Explain(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores, const PoolGradOpPlan& other,
             PoolGradOpPlan& plan) {
  std::string estimated =
      Say(plan.explanation.front(), "; ", Counted(plan.tried, "tiling was", "tilings were"), " estimated");
  if (other.legal) {
    estimated += Say("; in ", other.tiling.pooling ? "two phases " : "one phase ",
                     static_cast<int64_t>(other.cycles), " cycles");
  }
  plan.explanation = Explained(problem, plan.tiling, soc.ub_bytes);
  plan.explanation.push_back(std::move(estimated));
  plan.not_larger = NotLarger(problem, plan.tiling, soc.ub_bytes, cores);
}

}  // namespace

PoolGradOpPlan PlanInOnePhase(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores) {
  return GradOpPlanner(problem, soc, cores).Plan();
}

// The pooling is estimated as if it stored its maxima, too.
PoolGradOpPlan PlanInTwoPhases(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores) {
  const MaxPoolOpPlan pooling = PlanMaxPoolOp(FirstPhaseOf(problem), soc, cores);
  PoolGradOpPlan plan = PlanInOnePhase(SecondPhaseOf(problem), soc, cores);
  plan.tried += pooling.tried;
  plan.tiling.pooling = pooling.tiling;
  plan.legal = plan.legal && pooling.legal && WhyNot(plan.tiling, problem, soc.ub_bytes, cores).empty();
  const auto meeting = static_cast<double>(soc.barrier_cycles + soc.cross_core_cycles);
  const double gradient = plan.cycles;
  plan.cycles += pooling.estimate.cycles + meeting;
  plan.explanation = {Say("estimated ", static_cast<int64_t>(plan.cycles),
                          " cycles: ", static_cast<int64_t>(pooling.estimate.cycles), " of the pooling, ",
                          static_cast<int64_t>(gradient), " of the gradient, ", static_cast<int64_t>(meeting),
                          " to meet")};
  return plan;
}

PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores) {
  PoolGradOpPlan plan;
  plan.reasons = WhyNot(problem);
  if (cores < 1) {
    plan.reasons.push_back({"cores to deal the work over", "cores", cores, 1, "cores 1 fits"});
  }
  if (!plan.reasons.empty()) {
    return plan;
  }
  PoolGradOpPlan one = PlanInOnePhase(problem, soc, cores);
  PoolGradOpPlan two = problem.recomputes ? PlanInTwoPhases(problem, soc, cores) : PoolGradOpPlan();
  const bool in_two =
      two.legal && (!one.legal || LaunchedCycles(two, soc) < kClearlySooner * LaunchedCycles(one, soc));
  one.tried = two.tried = one.tried + two.tried;
  plan = in_two ? two : one;
  if (plan.legal) {
    Explain(problem, soc, cores, in_two ? one : two, plan);
  }
  return plan;
}

}  // namespace tilesim
