#include "tiling/conv_backprop/filter_op_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tiling/conv_backprop/filter_api_planner.h"
#include "tiling/conv_backprop/filter_block_cost.h"
#include "tiling/conv_backprop/filter_block_search.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_cuts.h"
#include "tiling/conv_backprop/filter_explain.h"
#include "tiling/conv_backprop/filter_legality.h"
#include "tiling/conv_backprop/filter_text.h"
#include "tiling/conv_backprop/filter_traffic.h"
#include "tiling/cube_op_plan.h"
#include "tiling/tune/filter_dealing.h"

namespace tilesim {
namespace {

// How many of what promises most are looked into.
constexpr size_t kMostCuts = 100;
constexpr size_t kMostBlocksACut = 12;
constexpr double kMostCycles = 2;  // times the least promised: a block that promises no more is left out

using FilterCandidate = Candidate<FilterTiling>;

class OpPlanner {
 public:
  OpPlanner(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
            const CostModel<FilterTiling>& cost, double most_cycles)
      : p_(problem),
        soc_(soc),
        memory_(CoreMemoryOf(soc)),
        cores_(cores),
        cost_(cost),
        most_cycles_(most_cycles) {}

  FilterOpPlan Plan() {
    AddPromising();
    AddPlannerApi();
    TakeFastest();
    if (!plan_.legal && std::isinf(most_cycles_)) {
      AddSmall();
      TakeFastest();
      plan_.reasons = plan_.legal ? Rejections() : WhyNothingFits(p_, memory_);
    }
    return std::move(plan_);
  }

 private:
  void AddPromising() {
    double least = std::numeric_limits<double>::max();
    for (const auto& [cut, work] : PromisingCuts(p_, soc_, cores_, kMostCuts)) {
      ++cut_;
      const double begin = ZeroFillCycles(p_, soc_, cut.split.used_cores);
      for (const FilterScoredBlock& block : PromisingBlocks(p_, soc_, cut, work, kMostBlocksACut)) {
        const double cycles = begin + block.cycles * work.tasks;
        if (cycles > kMostCycles * least) {
          break;
        }
        Add(TilingOf(p_, memory_, cut, block.choice), cycles);
        least = std::min(least, cycles);
      }
    }
  }

  // Tasks of one output row and one or all lines, with the smallest blocks.
  void AddSmall() {
    ++cut_;
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
    for (const FilterBlockChoice& choice : SmallBlocks(p_)) {
      const FilterTiling tiling = TilingOf(p_, memory_, cut, choice);
      if (Fits(DemandOf(tiling.data.dwTiling, p_), memory_)) {
        Add(tiling, block_cost.TaskCycles(choice) * work.tasks);
      }
    }
  }

  void AddPlannerApi() {
    const FilterApiPlan api = PlanFilterApi(p_, memory_);
    ++cut_;
    if (api.legal()) {
      Add({.data = api.data, .split = DealOut(p_, api.data.dwTiling, cores_)}, PromiseOfApi(candidates_));
    }
  }

  void Add(const FilterTiling& tiling, double cycles) {
    candidates_.push_back({.tiling = tiling, .cycles = cycles, .cut = cut_});
  }

  void TakeFastest() {
    tilesim::TakeFastest<FilterTiling>(
        std::exchange(candidates_, {}), p_, soc_, cores_, cost_, most_cycles_,
        [&](const FilterTiling& tiling) { return FilterDealing(p_, cores_).BusiestCore(CutOf(tiling)).core; },
        plan_);
  }

  const FilterProblem& p_;
  const SocConfig& soc_;
  CoreMemory memory_;
  int64_t cores_;
  const CostModel<FilterTiling>& cost_;
  const double most_cycles_;
  std::vector<FilterCandidate> candidates_;
  size_t cut_ = 0;  // in hand
  FilterOpPlan plan_;
};

}  // namespace

FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                          const CostModel<FilterTiling>& cost) {
  return PlanCubeOp(problem, WhyNot(problem), soc, cores, cost, [&](int64_t some, double most_cycles) {
    return OpPlanner(problem, soc, some, cost, most_cycles).Plan();
  });
}

}  // namespace tilesim
