#include "tiling/max_pool/pool_op_planner.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/cost_model.h"
#include "tiling/fewer_cores.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/max_pool_tasks.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/max_pool/pool_work.h"
#include "tiling/rejection.h"
#include "tiling/trials.h"

namespace tilesim {
namespace {

// Sizes of equal parts of `whole`, up to `most`, the largest first and 1 the last: each of the first ones,
// then every one an eighth below the one before, or more.
std::vector<int64_t> EqualPartSizes(int64_t whole, int64_t most) {
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

// `whole` and its halves down to 1.
std::vector<int64_t> Halves(int64_t whole) {
  std::vector<int64_t> sizes = {std::max<int64_t>(whole, 1)};
  while (sizes.back() > 1) {
    sizes.push_back(CeilDiv(sizes.back(), int64_t{2}));
  }
  return sizes;
}

int64_t LaunchedCores(const MaxPoolTiling& tiling) { return tiling.split.used_cores; }

// The tiling of a way to cut the work on so many cores.
MaxPoolTiling OnCores(const PoolShape& shape, const PoolTile& tile, int64_t cores) {
  return TilingOf(shape, tile, cores);
}
MaxPoolGradTiling OnCores(const PoolGradProblem& /*problem*/, MaxPoolGradTiling tiling, int64_t cores) {
  tiling.split.used_cores = cores;
  tiling.data.usedCoreNum = Unsigned(cores);
  return tiling;
}

// Plans of one pooling for any number of cores: of many ways to cut the work, which are found once, those
// that promise most are run on the core that has most to do.
template <class Tiling, class Problem, class Cut>
class PoolPlanner {
 public:
  // As far as runs of one core tell, without sentences; or why nothing fits. On as few cores as leave the
  // busiest one no more tasks. A choice promises its share of what one core takes for all tasks.
  [[nodiscard]] OpPlan<Tiling> PlanFor(int64_t cores) const {
    // Chosen with the case file of poolings and random ones. Sums tell short launches apart worst.
    constexpr TrialBudget kBudget = {.most_cycles_on_one_core = 4e6,
                                     .cycles_of_short = 4e5,
                                     .of_short = {.on_one_core = 32, .on_all_cores = 1},
                                     .of_long = {.on_one_core = 12, .on_all_cores = 1}};
    constexpr size_t kMostCandidates = 2 * kBudget.of_short.on_one_core;  // some are left out
    const auto why_not = [&](const Tiling& tiling) { return WhyNot(tiling, p_, soc_.ub_bytes, cores); };
    OpPlan<Tiling> plan;
    if (choices_.empty()) {
      plan.reasons = why_not(OnCores(p_, smallest_, 1));
      for (Rejection& reason : plan.reasons) {
        reason.mend =
            reason.field == kUbField ? Say("this is the smallest block: ", reason.mend) : reason.mend;
      }
      return plan;
    }
    struct Promise {
      double cycles, with_launch;
      int64_t used;
      const Choice* choice;
    };
    std::vector<Promise> promises;
    promises.reserve(choices_.size());
    for (const Choice& choice : choices_) {
      const int64_t used = CoresFor(choice.tasks, cores);
      const auto tasks = static_cast<double>(std::max<int64_t>(choice.tasks, 1));
      const double cycles = choice.alone * static_cast<double>(CeilDiv(choice.tasks, used)) / tasks;
      promises.push_back({cycles, cycles + LaunchCycles(used, soc_), used, &choice});
    }
    std::ranges::stable_sort(promises, {}, &Promise::with_launch);
    promises.resize(std::min(promises.size(), kMostCandidates));
    std::vector<Candidate<Tiling>> candidates;
    for (const Promise& one : promises) {
      candidates.push_back({.tiling = OnCores(p_, one.choice->cut, one.used),
                            .cycles = one.cycles,
                            .cut = one.choice->dealing});
    }
    plan.tried = std::ssize(choices_);
    plan.reasons = why_not(candidates.front().tiling);
    const CostModel<Tiling> of_a_core = {.launch = {}, .core = cost_.core, .first_tasks = {}};
    Trials<Tiling> trials(
        soc_, of_a_core,
        {.cores_of = [](const Tiling& tiling) { return LaunchedCores(tiling); },
         .is_legal = [&](const Tiling& tiling) { return why_not(tiling).empty(); },
         .busiest_core = [&](const Tiling& tiling) { return BusiestCoreOf(tiling, p_, counts_, soc_); },
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

 protected:
  struct Choice {
    Cut cut;
    int64_t tasks = 0;   // that are dealt out over the cores
    double alone = 0;    // cycles that one core takes for all of them at least
    size_t dealing = 0;  // by number: choices of one dealing give a core the same to do
  };

  PoolPlanner(const Problem& problem, const PoolShape& shape, const SocConfig& soc,
              const CostModel<Tiling>& cost)
      : p_(problem), soc_(soc), cost_(cost), counts_(shape) {}

  const Problem p_;
  const SocConfig& soc_;
  const CostModel<Tiling>& cost_;
  const MaxPoolCounts counts_;
  Cut smallest_;  // the cut that takes the least of UB
  size_t dealings_ = 0;
  std::vector<Choice> choices_;
};

class MaxPoolPlanner : public PoolPlanner<MaxPoolTiling, PoolShape, PoolTile> {
 public:
  MaxPoolPlanner(const PoolShape& shape, const SocConfig& soc, const CostModel<MaxPoolTiling>& cost)
      : PoolPlanner(shape, shape, soc, cost) {
    const int64_t window = p_.w.window;
    LookAtBlocks(window);
    for (int64_t parts = 2; choices_.empty() && parts <= window; parts *= 2) {
      LookAtBlocks(CeilDiv(window, parts));
    }
    if (choices_.empty() && window > 1) {
      LookAtBlocks(1);
    }
    smallest_ = SmallestPoolTile(p_);
  }

 private:
  // Blocks whose windows' rows come `taps_w` taps at a time.
  void LookAtBlocks(int64_t taps_w) {
    const int64_t most_points = std::max<int64_t>(soc_.ub_bytes, 196608) / kPointBytes;
    const std::vector<int64_t> parts_d = EqualPartSizes(p_.d.out, p_.d.out);
    const std::vector<int64_t> parts_h = EqualPartSizes(p_.h.out, most_points);
    const std::vector<int64_t> parts_w =
        taps_w < p_.w.window ? std::vector<int64_t>{1} : EqualPartSizes(p_.w.out, most_points);
    for (const int64_t w : parts_w) {
      const MaxPoolColumns columns(p_, counts_, w, taps_w, soc_);
      for (int64_t group = MostPoolLanes(p_); group > 0; group = (group - 1) / 16 * 16) {
        for (const int64_t h : parts_h) {
          for (const int64_t d : parts_d) {
            LookAt({.lanes = group, .d = d, .h = h, .w = w, .taps_w = taps_w}, columns);
          }
        }
      }
    }
  }

  void LookAt(PoolTile tile, const MaxPoolColumns& columns) {
    const auto fits = [&] { return TileFits(p_, tile, UsableUbBytes(soc_.ub_bytes)); };
    if (!fits()) {
      return;
    }
    ++dealings_;
    MaxPoolWork work(p_, counts_, tile, columns, soc_);
    const int64_t most_rows = MostRowsOfLoad(p_, tile);
    for (int64_t rows = 1; rows < 2 * most_rows; rows *= 2) {
      tile.rows = std::min(rows, most_rows);
      tile.store_rows = 1;
      if (!fits()) {
        break;
      }
      tile.store_rows = tile.h;
      while (tile.store_rows > 1 && !fits()) {
        tile.store_rows = CeilDiv(tile.store_rows, int64_t{2});
      }
      work.SetRows(tile.rows, tile.store_rows);
      choices_.push_back(
          {.cut = tile,
           .tasks = BlockCountsOf(p_, tile).total(),
           .alone = PoolLeastCycles(soc_, work.Mean(1), FactsOf(counts_, StorePoints(p_, tile))),
           .dealing = dealings_});
    }
  }
};

class GradPlanner : public PoolPlanner<MaxPoolGradTiling, PoolGradProblem, MaxPoolGradTiling> {
 public:
  GradPlanner(const PoolGradProblem& problem, const SocConfig& soc, const CostModel<MaxPoolGradTiling>& cost)
      : PoolPlanner(problem, problem.shape, soc, cost), axes_(AxesOf(problem)) {
    smallest_ = SmallestPoolGradTiling(problem);
    LookAtWholeSlots();
    if (choices_.empty()) {
      LookAtParts();
    }
  }

 private:
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
    const std::vector<int64_t> sizes_d = EqualPartSizes(axes_[0].Slots().size(), MostWholeSlots(0));
    const std::vector<int64_t> sizes_h = EqualPartSizes(axes_[1].Slots().size(), MostWholeSlots(1));
    for (const int64_t w : EqualPartSizes(axes_[2].Slots().size(), MostWholeSlots(2))) {
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
            for (const PoolGradStrategy strategy : kPoolGradStrategies) {
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
        const auto tiling =
            FittedWithParts(p_, {.sizes = sizes, .strategy = strategy, .x_rows = x_rows}, soc_.ub_bytes, 1);
        const bool is_new = tiling && (choices_.empty() || choices_.back().dealing != dealings_ ||
                                       choices_.back().cut.split != tiling->split);
        if (is_new) {
          const auto work = WorkOf(p_, counts_, *tiling, PoolGradKnown::kBuffers, soc_);
          choices_.push_back({.cut = *tiling,
                              .tasks = Signed(tiling->data.totalCnt),
                              .alone = PoolLeastCycles(soc_, work->Mean(1), FactsOf(p_, *tiling)),
                              .dealing = dealings_});
        }
      }
    }
  }

  const PoolGradAxes axes_;
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

// Both ways of a gradient whose argmax is computed.
class TwoWaysPlanner {
 public:
  TwoWaysPlanner(const PoolGradProblem& problem, const SocConfig& soc, const PoolGradCost& cost)
      : p_(problem), soc_(soc), one_(problem, soc, cost.gradient) {
    if (problem.recomputes) {
      first_.emplace(FirstPhaseOf(problem), soc, cost.first_phase);
      second_.emplace(SecondPhaseOf(problem), soc, cost.second_phase);
    }
  }
  [[nodiscard]] PoolGradOpPlan PlanFor(int64_t cores) const {
    PoolGradOpPlan two;
    if (first_) {
      two = Joined(p_, soc_, cores, first_->PlanFor(cores), second_->PlanFor(cores));
    }
    return Faster(one_.PlanFor(cores), std::move(two), soc_);
  }

 private:
  const PoolGradProblem& p_;
  const SocConfig& soc_;
  const GradPlanner one_;
  std::optional<MaxPoolPlanner> first_;
  std::optional<GradPlanner> second_;
};

// The fastest of the plans that planner_of() makes for up to `cores` cores, with its sentences; `reasons`:
// why the problem has none.
template <class Tiling, class Problem, class PlannerOf>
OpPlan<Tiling> PlanPooling(const Problem& problem, Rejections reasons, const SocConfig& soc, int64_t cores,
                           const CostModel<Tiling>& cost, const PlannerOf& planner_of) {
  return PlanOnSomeCores(
      std::move(reasons), soc, cores, cost, kByRunsOfACore,
      [&] {
        return
            [planner = planner_of()](int64_t some, double /*most_cycles*/) { return planner.PlanFor(some); };
      },
      [](const Tiling& tiling) { return LaunchedCores(tiling); },
      [&](OpPlan<Tiling>& plan) {
        Explain(Explained(plan.tiling, problem, soc.ub_bytes), plan);
        plan.not_larger = NotLarger(plan.tiling, problem, soc.ub_bytes);
      });
}

}  // namespace

MaxPoolOpPlan PlanMaxPoolOp(const PoolShape& shape, const SocConfig& soc, int64_t cores,
                            const CostModel<MaxPoolTiling>& cost) {
  return PlanPooling(shape, {}, soc, cores, cost, [&] { return MaxPoolPlanner(shape, soc, cost); });
}

PoolGradOpPlan PlanMaxPoolGradOp(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                                 const PoolGradCost& cost) {
  return PlanPooling(problem, WhyNot(problem), soc, cores, cost.gradient,
                     [&] { return TwoWaysPlanner(problem, soc, cost); });
}

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

}  // namespace tilesim
