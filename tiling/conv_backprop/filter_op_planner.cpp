#include "tiling/conv_backprop/filter_op_planner.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_blocks.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_cuts.h"
#include "tiling/conv_backprop/filter_l1.h"
#include "tiling/conv_backprop/filter_legality.h"

namespace tilesim {
namespace {

constexpr size_t kCutsLookedInto = 60;
constexpr size_t kBlocksACut = 24;
constexpr size_t kLookedAtClosely = 24;
constexpr int64_t kTasksLookedAt = 512;

class OpPlanner {
 public:
  OpPlanner(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  FilterOpPlan Plan() {
    for (const FilterCut& cut : PromisingCuts(p_, soc_, cores_, kCutsLookedInto)) {
      works_.push_back({cut, BusiestCore(p_, cut, kTasksLookedAt)});
    }
    for (size_t i = 0; i < works_.size(); ++i) {
      const auto& [cut, work] = works_[i];
      for (const FilterBlockChoice& choice : PromisingBlocks(p_, soc_, cut, work, kBlocksACut)) {
        const FilterTiling tiling = TilingOf(p_, memory_, cut, choice);
        candidates_.push_back({tiling, i, EstimateRoughly(p_, tiling, work, soc_).cycles});
      }
    }
    plan_.tried = static_cast<int64_t>(candidates_.size());
    const size_t kept = std::min(kLookedAtClosely, candidates_.size());
    std::ranges::partial_sort(candidates_, candidates_.begin() + static_cast<ptrdiff_t>(kept), {}, &Candidate::cycles);
    for (size_t i = 0; i < kept; ++i) {
      Try(candidates_[i].tiling, works_[candidates_[i].work].second);
    }
    TryPlannerApi();
    return plan_;
  }

 private:
  struct Candidate {
    FilterTiling tiling;
    size_t work;
    double cycles;
  };

  void Try(const FilterTiling& tiling, const FilterCoreWork& work) {
    const FilterEstimate estimate = EstimateClosely(p_, tiling, work, soc_);
    if (plan_.legal && estimate.cycles >= plan_.estimate.cycles) {
      return;
    }
    if (!WhyNot(tiling, p_, memory_, cores_).empty()) {
      return;
    }
    plan_.legal = true;
    plan_.tiling = tiling;
    plan_.estimate = estimate;
  }

  // Its tiling is one more candidate, so that the plan is never estimated slower.
  void TryPlannerApi() {
    const FilterApiPlan api = PlanFilterApi(p_, memory_);
    if (api.accepted) {
      FilterTiling tiling{.data = api.data, .split = DealOut(p_, api.data.dwTiling, cores_)};
      Try(tiling, BusiestCore(p_, CutOf(tiling), kTasksLookedAt));
    }
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  CoreMemory memory_;
  int64_t cores_;
  std::vector<std::pair<FilterCut, FilterCoreWork>> works_;
  std::vector<Candidate> candidates_;
  FilterOpPlan plan_;
};

}  // namespace

FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  FilterOpPlan plan;
  plan.reasons = WhyNot(problem);
  if (!plan.reasons.empty()) {
    return plan;
  }
  return OpPlanner(problem, soc, cores).Plan();
}

}  // namespace tilesim
