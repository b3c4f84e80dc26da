#include "tiling/conv_backprop/gradient_op_planner.h"

#include <algorithm>
#include <limits>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_explain.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_search.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/cube_op_plan.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

// What the searches of both gradients know: the problem, the chip and how many cores may take part.
template <class Problem>
class GradientSearch {
 public:
  GradientSearch(const Problem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  [[nodiscard]] Rejections WhyNothingFits() const { return tilesim::WhyNothingFits(p_, memory_); }

 protected:
  // What a cut's blocks promise: some cycles, and so many times those of their score.
  struct Promise {
    double begin = 0, times = 1;
  };
  // The blocks of each of the cuts that promise most. promise_of(cut, work) of a cut, tiling_of(cut, choice).
  template <class Tiling, class PromiseOf, class MakeTiling>
  void AddBlocks(size_t most_cuts, size_t most_blocks_a_cut, CandidateList<Tiling>& list,
                 const PromiseOf& promise_of, const MakeTiling& tiling_of) const {
    double least = std::numeric_limits<double>::max();
    for (const auto& [cut, work] : PromisingCuts(p_, soc_, cores_, most_cuts)) {
      list.NextCut();
      const Promise promise = promise_of(cut, work);
      for (const ScoredBlock& block : PromisingBlocks(p_, soc_, cut, work, most_blocks_a_cut)) {
        const double cycles = promise.begin + block.cycles * promise.times;
        if (cycles > kMostTimesLeast * least) {
          break;
        }
        list.Add(tiling_of(cut, block.choice), cycles, block.hbm_cycles * promise.times);
        least = std::min(least, cycles);
      }
    }
  }

  const Problem& p_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
};

class FilterSearch : public GradientSearch<FilterProblem> {
 public:
  using GradientSearch::GradientSearch;

  void Promising(CandidateList<FilterTiling>& list) const {
    AddBlocks(
        100, 12, list,
        [&](const FilterCut& cut, const FilterCutWork& work) {
          return Promise{.begin = ZeroFillCycles(TensorBytesOf(p_).dw, soc_, cut.split.used_cores),
                         .times = work.tasks};
        },
        [&](const FilterCut& cut, const CubeChoice& choice) { return TilingOf(p_, memory_, cut, choice); });
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
    const FilterBlockCost block_cost(p_, soc_, cut);
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
};

class InputSearch : public GradientSearch<InputProblem> {
 public:
  using GradientSearch::GradientSearch;

  void Promising(CandidateList<InputTiling>& list) const {
    AddBlocks(
        96, 16, list, [](const InputCut& /*cut*/, const InputCoreWork& /*work*/) { return Promise(); },
        [&](const InputCut& cut, const CubeChoice& choice) { return TilingOf(p_, cut, choice); });
    // As the shipped planner answers, and as it would if it knew of all cores.
    for (const int64_t cores_told : {int64_t{1}, cores_}) {
      const InputApiPlan api = PlanInputApi(p_, memory_, cores_told);
      if (api.legal()) {
        const InputTiling tiling{.data = api.data, .split = DealOut(p_, api.data.conv3DDxTiling, cores_)};
        list.AddPlannerApi(tiling, ComputeCycles(tiling));
      }
    }
  }

  // Tasks of one row of dx and one or all lines of channels, with the smallest blocks.
  void Small(CandidateList<InputTiling>& list) const {
    const InputExtents e = ExtentsOf(p_);
    for (const int64_t lines : {std::min(e.cin1_g, 16 / e.c0), e.cin1_g}) {
      list.NextCut();
      InputCut cut{.rows = 1, .lines = lines};
      const int64_t tasks = TilingOf(p_, cut, {}).split.parts();
      cut.cores = std::min(cores_, tasks);
      const InputBlockCost block_cost(p_, soc_, cut);
      const double tasks_a_core = static_cast<double>(CeilDiv(tasks, cut.cores));
      for (const CubeChoice& choice : SmallBlocks(p_)) {
        list.Add(TilingOf(p_, cut, choice),
                 tasks_a_core * block_cost.TaskCycles(choice, e.cout1_g, static_cast<double>(p_.dk)));
      }
    }
  }

  [[nodiscard]] size_t BusiestCore(const InputTiling& tiling) const {
    return static_cast<size_t>(tilesim::BusiestCore(p_, CutOf(tiling), 1).core);
  }

 private:
  // The cycles of the busiest core if it did nothing but products.
  [[nodiscard]] double ComputeCycles(const InputTiling& tiling) const {
    const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    const InputCut cut = CutOf(tiling);
    const InputCoreWork work = tilesim::BusiestCore(p_, cut, 64);
    CubeChoice choice{.base_m = t.baseM, .base_n = t.baseN, .base_k = t.baseK};
    choice.l0c_copies = 2;
    return work.tasks *
           InputBlockCost(p_, soc_, cut).TaskCycles(choice, t.cout1G, work.products / std::max(1.0, work.dx));
  }
};

}  // namespace

FilterOpPlan PlanFilterOp(const FilterProblem& problem, const SocConfig& soc, int64_t cores,
                          const CostModel<FilterTiling>& cost) {
  return PlanCubeOp<FilterSearch>(problem, WhyNot(problem), soc, cores, cost);
}

InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                        const CostModel<InputTiling>& cost) {
  return PlanCubeOp<InputSearch>(problem, WhyNot(problem), soc, cores, cost);
}

}  // namespace tilesim
