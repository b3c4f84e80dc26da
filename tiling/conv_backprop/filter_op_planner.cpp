#include "tiling/conv_backprop/filter_op_planner.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "formats/units.h"
#include "tiling/conv_backprop/estimate_text.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_block_search.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_cuts.h"
#include "tiling/conv_backprop/filter_explain.h"
#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/conv_backprop/filter_legality.h"
#include "tiling/conv_backprop/filter_together.h"
#include "tiling/launch_cost.h"

namespace tilesim {
namespace {

// How many of what promises most are looked into.
struct Most {
  size_t cuts, blocks_a_cut, closely;
};
constexpr Most kMost = {100, 12, 20};
constexpr int64_t kTasksLookedAt = 512;
constexpr double kMostStepsTogether = 1 << 17;  // of all cores, after which no other tiling is played
constexpr double kHopeless = 4;  // a block that promises so much more than the best found is not looked into
constexpr double kWorthwhile =
    0.98;  // of planner api's time: what lies between is within the estimate's error

class OpPlanner {
 public:
  OpPlanner(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  FilterOpPlan Plan() {
    LookAtPromising();
    TryPlannerApi();
    if (!plan_.legal) {
      LookAtSmall();
    }
    if (plan_.legal) {
      Explain();
    } else {
      plan_.reasons = WhyNothingFits(p_, memory_);
    }
    return plan_;
  }

 private:
  struct Candidate {
    FilterTiling tiling;
    double cycles;  // with the launch
  };

  void LookAtPromising() {
    double best = std::numeric_limits<double>::max();
    for (const FilterCut& cut : PromisingCuts(p_, soc_, cores_, kMost.cuts)) {
      const FilterCoreWork work = BusiestCore(p_, cut, kTasksLookedAt, soc_.l2_bytes);
      for (const FilterScoredBlock& block : PromisingBlocks(p_, soc_, cut, work, kMost.blocks_a_cut)) {
        if (block.cycles * work.task_count() + LaunchCycles(cut.split.used_cores, soc_) > kHopeless * best) {
          break;
        }
        AddCandidate(TilingOf(p_, memory_, cut, block.choice), work);
        best = std::min(best, candidates_.back().cycles);
      }
    }
    TryBestCandidates();
  }

  // Tasks of one output row and one or all lines, with the smallest blocks.
  void LookAtSmall() {
    const FilterExtents e = ExtentsOf(p_);
    FilterCut cut{.split = {}, .part = {.m = e.m, .lines = e.cin1_g, .rows = 1}};
    cut.split.strategy = FilterStrategy::kBasicBlockMK;
    cut.split.batch_dim = p_.batch * p_.dout;
    cut.split.group_dim = e.real_groups;
    cut.split.dk_dim = p_.dk;
    cut.split.k_dim = p_.ho;
    cut.split.groups = p_.groups;
    cut.split.merged_groups = e.merged;
    cut.split.used_cores = std::min(cores_, cut.split.parts());
    const FilterCoreWork work = BusiestCore(p_, cut, kTasksLookedAt, soc_.l2_bytes);
    candidates_.clear();
    for (const FilterBlockChoice& choice : SmallBlocks(p_)) {
      const FilterTiling tiling = TilingOf(p_, memory_, cut, choice);
      if (Fits(DemandOf(tiling.data.dwTiling, p_), memory_) && WhyNot(tiling, p_, memory_, cores_).empty()) {
        AddCandidate(tiling, work);
      }
    }
    TryBestCandidates();
  }

  void AddCandidate(const FilterTiling& tiling, const FilterCoreWork& work) {
    const FilterEstimate estimate = EstimateRoughly(p_, tiling, work, soc_);
    candidates_.push_back({tiling, estimate.cycles + LaunchCycles(tiling.split.used_cores, soc_)});
    ++plan_.tried;
    plan_.steps += estimate.steps;
  }

  // Tasks of one size with the same blocks, dealt out by names that mean the same here.
  static bool DoTheSame(const Candidate& a, const Candidate& b) {
    return a.cycles == b.cycles && a.tiling.split.used_cores == b.tiling.split.used_cores &&
           Differences(a.tiling.data, b.tiling.data).empty();
  }

  void TryBestCandidates() {
    std::ranges::stable_sort(candidates_, {}, &Candidate::cycles);
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end(), DoTheSame), candidates_.end());
    candidates_.resize(std::min(candidates_.size(), kMost.closely));
    const double most_steps = plan_.steps + kMostStepsTogether;
    for (const Candidate& candidate : candidates_) {
      TryTogether(candidate.tiling);
      if (plan_.steps > most_steps) {
        break;
      }
    }
    TryFewerCores();
  }

  void TryTogether(const FilterTiling& tiling) {
    const FilterEstimate estimate = Estimate(tiling);
    if (!plan_.legal || CyclesOf(estimate, tiling) < CyclesOf(plan_.estimate, plan_.tiling)) {
      TakeIfLegal(tiling, estimate);
    }
  }

  FilterEstimate Estimate(const FilterTiling& tiling) {
    const FilterEstimate estimate =
        EstimateTogether(p_, tiling, StepsOfAllCores(p_, CutOf(tiling), soc_.l2_bytes), soc_);
    plan_.steps += estimate.steps;
    return estimate;
  }

  [[nodiscard]] double CyclesOf(const FilterEstimate& estimate, const FilterTiling& tiling) const {
    return estimate.cycles + LaunchCycles(tiling.split.used_cores, soc_);
  }

  // A list of tasks may be dealt out to any number of cores: fewer launch sooner and leave each other more of
  // L2 and HBM.
  void TryFewerCores() {
    if (!plan_.legal || plan_.tiling.split.strategy == FilterStrategy::kBaseGrid) {
      return;
    }
    constexpr int64_t kMostTries = 4;
    FilterTiling tiling = plan_.tiling;
    const int64_t parts = tiling.split.parts();
    const int64_t tasks = CeilDiv(parts, tiling.split.used_cores);
    for (int64_t more = 0; more < kMostTries; ++more) {
      const int64_t cores = CeilDiv(parts, tasks + more);
      if (cores < tiling.split.used_cores) {
        tiling.split.used_cores = cores;
        TryTogether(tiling);
      }
    }
  }

  // Planner api's tiling wins unless there is a gain beyond the error of the estimate: it is hardly
  // slower then.
  void TryPlannerApi() {
    const FilterApiPlan api = PlanFilterApi(p_, memory_);
    if (!api.legal()) {
      return;
    }
    const FilterTiling tiling{.data = api.data, .split = DealOut(p_, api.data.dwTiling, cores_)};
    const FilterEstimate estimate = Estimate(tiling);
    api_cycles_ = estimate.cycles;
    if (!plan_.legal || CyclesOf(plan_.estimate, plan_.tiling) > kWorthwhile * CyclesOf(estimate, tiling)) {
      TakeIfLegal(tiling, estimate);
    }
  }

  // Legality is asked last, of every tiling that is about to be taken, whoever made it.
  void TakeIfLegal(const FilterTiling& tiling, const FilterEstimate& estimate) {
    if (WhyNot(tiling, p_, memory_, cores_).empty()) {
      plan_.legal = true;
      plan_.tiling = tiling;
      plan_.estimate = estimate;
    }
  }

  void Explain() {
    plan_.explanation = Explained(p_, plan_.tiling, memory_);
    std::ranges::move(
        EstimateSentences(plan_.estimate.cycles, plan_.estimate.bound_by(), plan_.tried, api_cycles_),
        std::back_inserter(plan_.explanation));
    plan_.not_larger = NotLarger(p_, plan_.tiling, memory_);
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  CoreMemory memory_;
  int64_t cores_;
  std::vector<Candidate> candidates_;
  std::optional<double> api_cycles_;
  FilterOpPlan plan_;
};

}  // namespace

FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  FilterOpPlan plan;
  plan.reasons = WhyNot(problem);
  if (cores < 1) {
    plan.reasons.push_back({"cores to deal the work over", "cores", cores, 1, "cores 1 fits"});
  }
  return plan.reasons.empty() ? OpPlanner(problem, soc, cores).Plan() : plan;
}

}  // namespace tilesim
