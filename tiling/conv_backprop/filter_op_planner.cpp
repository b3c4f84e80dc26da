#include <algorithm>
#include <limits>

#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_block_search.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_cuts.h"
#include "tiling/conv_backprop/filter_legality.h"
#include "tiling/conv_backprop/filter_traffic.h"
#include "tiling/conv_backprop/gradient_explain.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/cube_op_plan.h"
#include "tiling/tune/filter_dealing.h"

namespace tilesim {
namespace {

class FilterSearch {
 public:
  FilterSearch(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  void Promising(CandidateList<FilterTiling>& list) const {
    double least = std::numeric_limits<double>::max();
    for (const auto& [cut, work] : PromisingCuts(p_, soc_, cores_, kMostCuts)) {
      list.NextCut();
      const double begin = ZeroFillCycles(p_, soc_, cut.split.used_cores);
      for (const FilterScoredBlock& block : PromisingBlocks(p_, soc_, cut, work, kMostBlocksACut)) {
        const double cycles = begin + block.cycles * work.tasks;
        if (cycles > kMostTimesLeast * least) {
          break;
        }
        list.Add(TilingOf(p_, memory_, cut, block.choice), cycles);
        least = std::min(least, cycles);
      }
    }
    const FilterApiPlan api = PlanFilterApi(p_, memory_);
    if (api.legal()) {
      list.AddPlannerApi({.data = api.data, .split = DealOut(p_, api.data.dwTiling, cores_)});
    }
  }

  // Tasks of one output row and one or all lines, with the smallest blocks.
  void Small(CandidateList<FilterTiling>& list) const {
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
    const FilterCutWork work = WorkOfList(p_, soc_, cut);
    const FilterBlockCost block_cost(p_, soc_, cut, work);
    for (const CubeChoice& choice : SmallBlocks(p_)) {
      const FilterTiling tiling = TilingOf(p_, memory_, cut, choice);
      if (Fits(DemandOf(tiling.data.dwTiling, p_), memory_)) {
        list.Add(tiling, block_cost.TaskCycles(choice) * work.tasks);
      }
    }
  }

  [[nodiscard]] size_t BusiestCore(const FilterTiling& tiling) const {
    return FilterDealing(p_, cores_).BusiestCore(CutOf(tiling)).core;
  }
  [[nodiscard]] Rejections WhyNothingFits() const { return tilesim::WhyNothingFits(p_, memory_); }

 private:
  // How many of what promises most are looked into.
  static constexpr size_t kMostCuts = 100;
  static constexpr size_t kMostBlocksACut = 12;

  const FilterProblem& p_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
};

}  // namespace

FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                          const CostModel<FilterTiling>& cost) {
  return PlanCubeOp<FilterSearch>(problem, WhyNot(problem), soc, cores, cost);
}

}  // namespace tilesim
