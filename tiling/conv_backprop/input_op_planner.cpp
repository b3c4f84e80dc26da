#include "tiling/conv_backprop/input_op_planner.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "tiling/conv_backprop/estimate_text.h"
#include "tiling/conv_backprop/input_api_planner.h"
#include "tiling/conv_backprop/input_block_search.h"
#include "tiling/conv_backprop/input_cuts.h"
#include "tiling/conv_backprop/input_estimate.h"
#include "tiling/conv_backprop/input_explain.h"
#include "tiling/conv_backprop/input_legality.h"
#include "tiling/launch_cost.h"

namespace tilesim {
namespace {

// How many of what promises most are looked into.
struct Most {
  size_t cuts, blocks_a_cut, closely, on_all_cores;
};
constexpr Most kMost = {96, 16, 64, 12};
constexpr double kFewSteps = 256;  // blocks of K that are played
constexpr double kManySteps = 6144;
constexpr double kStepsACore = 4096;  // where all cores are looked at
constexpr double kHopeless = 3;       // times the best found: what promises no more is not looked into
constexpr double kWorthwhile =
    0.945;  // of planner api's time: what lies between is within the estimate's error

class OpPlanner {
 public:
  OpPlanner(const InputProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  InputOpPlan Plan() {
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
    InputTiling tiling;
    InputCoreWork work;
    double cycles;  // with the launch
  };

  void LookAtPromising() {
    double best = std::numeric_limits<double>::max();
    for (const InputPromisingCut& found : PromisingCuts(p_, soc_, cores_, kMost.cuts)) {
      const InputCoreWork work = WorkForEstimates(p_, found.cut);  // closer than that of the search
      for (const InputScoredBlock& block :
           PromisingBlocks(p_, soc_, found.cut, found.work, kMost.blocks_a_cut)) {
        if (block.cycles + LaunchCycles(found.cut.cores, soc_) > kHopeless * best) {
          break;
        }
        AddCandidate(TilingOf(p_, found.cut, block.choice), work);
        best = std::min(best, candidates_.back().cycles);
      }
    }
    TryBestCandidates();
  }

  // Tasks of one row of dx and one or all lines of channels, with the smallest blocks.
  void LookAtSmall() {
    const InputExtents e = ExtentsOf(p_);
    candidates_.clear();
    for (const int64_t lines : {std::min(e.cin1_g, 16 / e.c0), e.cin1_g}) {
      InputCut cut{.rows = 1, .lines = lines};
      cut.cores = std::min(cores_, TilingOf(p_, cut, {}).split.parts());
      const InputCoreWork work = WorkForEstimates(p_, cut);
      for (const InputBlockChoice& choice : SmallBlocks(p_)) {
        const InputTiling tiling = TilingOf(p_, cut, choice);
        if (WhyNot(tiling, p_, memory_, cores_).empty()) {
          AddCandidate(tiling, work);
        }
      }
    }
    TryBestCandidates();
  }

  void AddCandidate(const InputTiling& tiling, const InputCoreWork& work) {
    candidates_.push_back(
        {tiling, work, WithLaunch(tiling, Played(Estimate(p_, tiling, work, soc_, kFewSteps)))});
    ++plan_.tried;
  }

  [[nodiscard]] double WithLaunch(const InputTiling& tiling, const InputEstimate& estimate) const {
    return estimate.cycles + LaunchCycles(tiling.split.used_cores, soc_);
  }

  const InputEstimate& Played(const InputEstimate& estimate) {
    plan_.steps += estimate.steps;
    return estimate;
  }

  // Closer and closer looks at fewer and fewer of them.
  void TryBestCandidates() {
    KeepBest(kMost.closely);
    for (Candidate& candidate : candidates_) {
      candidate.cycles = WithLaunch(
          candidate.tiling, Played(EstimateClosely(p_, candidate.tiling, candidate.work, soc_, kManySteps)));
    }
    KeepBest(kMost.on_all_cores);
    for (const Candidate& candidate : candidates_) {
      if (!plan_.legal || candidate.cycles < WithLaunch(plan_.tiling, estimate_)) {
        const InputEstimate estimate =
            Played(EstimateAllCores(p_, candidate.tiling, candidate.work, soc_, kStepsACore));
        if (!plan_.legal || WithLaunch(candidate.tiling, estimate) < WithLaunch(plan_.tiling, estimate_)) {
          TakeIfLegal(candidate.tiling, estimate);
        }
      }
    }
  }

  // Tilings with the same time are the same in all that counts: one of each is kept.
  void KeepBest(size_t most) {
    std::ranges::stable_sort(candidates_, {}, &Candidate::cycles);
    const auto same = [](const Candidate& one, const Candidate& other) { return one.cycles == other.cycles; };
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end(), same), candidates_.end());
    candidates_.resize(std::min(most, candidates_.size()));
  }

  // Planner api's tiling wins unless there is a gain beyond the error of the estimate: it is hardly slower
  // then. What api would answer if it knew of all cores has to be as much better than what it does answer.
  void TryPlannerApi() {
    const std::optional<Estimated> shipped = PlannedByApi(1);
    const std::optional<Estimated> told = PlannedByApi(cores_);
    const bool told_is_better = told && (!shipped || told->cycles < kWorthwhile * shipped->cycles);
    const std::optional<Estimated>& api = told_is_better ? told : shipped;
    if (api) {
      api_cycles_ = api->estimate.cycles;
      if (!plan_.legal || WithLaunch(plan_.tiling, estimate_) > kWorthwhile * api->cycles) {
        TakeIfLegal(api->tiling, api->estimate);
      }
    }
  }

  struct Estimated {
    InputTiling tiling;
    InputEstimate estimate;
    double cycles;  // with the launch
  };

  std::optional<Estimated> PlannedByApi(int64_t cores_told) {
    const InputApiPlan api = PlanInputApi(p_, memory_, cores_told);
    if (!api.legal()) {
      return std::nullopt;
    }
    const InputTiling tiling{.data = api.data, .split = DealOut(p_, api.data.conv3DDxTiling, cores_)};
    if (!WhyNot(tiling, p_, memory_, cores_).empty()) {
      return std::nullopt;
    }
    const InputCoreWork work = WorkForEstimates(p_, CutOf(tiling));
    const InputEstimate estimate = Played(EstimateAllCores(p_, tiling, work, soc_, kStepsACore));
    return Estimated{tiling, estimate, WithLaunch(tiling, estimate)};
  }

  // Legality is asked last, of every tiling that is about to be taken, whoever made it.
  void TakeIfLegal(const InputTiling& tiling, const InputEstimate& estimate) {
    if (WhyNot(tiling, p_, memory_, cores_).empty()) {
      plan_.legal = true;
      plan_.tiling = tiling;
      plan_.cycles = estimate.cycles;
      estimate_ = estimate;
    }
  }

  void Explain() {
    plan_.explanation = Explained(p_, plan_.tiling, memory_);
    std::ranges::move(EstimateSentences(estimate_.cycles, estimate_.bound_by(), plan_.tried, api_cycles_),
                      std::back_inserter(plan_.explanation));
    plan_.not_larger = NotLarger(p_, plan_.tiling, memory_);
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  CoreMemory memory_;
  int64_t cores_;
  std::vector<Candidate> candidates_;
  std::optional<double> api_cycles_;
  InputEstimate estimate_;
  InputOpPlan plan_;
};

}  // namespace

InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores) {
  InputOpPlan plan;
  plan.reasons = WhyNot(problem);
  if (cores < 1) {
    plan.reasons.push_back({"cores to deal the work over", "cores", cores, 1, "cores 1 fits"});
  }
  return plan.reasons.empty() ? OpPlanner(problem, soc, cores).Plan() : plan;
}

}  // namespace tilesim
