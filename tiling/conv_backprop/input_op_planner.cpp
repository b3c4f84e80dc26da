#include <algorithm>
#include <limits>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_explain.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/conv_backprop/input_api_planner.h"
#include "tiling/conv_backprop/input_block_search.h"
#include "tiling/conv_backprop/input_cuts.h"
#include "tiling/conv_backprop/input_legality.h"
#include "tiling/cube_op_plan.h"

namespace tilesim {
namespace {

class InputSearch {
 public:
  InputSearch(const InputProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), memory_(CoreMemoryOf(soc)), cores_(cores) {}

  void Promising(CandidateList<InputTiling>& list) const {
    double least = std::numeric_limits<double>::max();
    for (const auto& [cut, work] : PromisingCuts(p_, soc_, cores_, kMostCuts)) {
      list.NextCut();
      for (const InputScoredBlock& block : PromisingBlocks(p_, soc_, cut, work, kMostBlocksACut)) {
        if (block.cycles > kMostTimesLeast * least) {
          break;
        }
        list.Add(TilingOf(p_, cut, block.choice), block.cycles);
        least = std::min(least, block.cycles);
      }
    }
    // as shipped, and if it knew of all cores
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
  [[nodiscard]] Rejections WhyNothingFits() const { return tilesim::WhyNothingFits(p_, memory_); }

 private:
  // How many of what promises most are looked into.
  static constexpr size_t kMostCuts = 96;
  static constexpr size_t kMostBlocksACut = 16;

  // Of the busiest core, for nothing but products.
  [[nodiscard]] double ComputeCycles(const InputTiling& tiling) const {
    const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    const InputCut cut = CutOf(tiling);
    const InputCoreWork work = tilesim::BusiestCore(p_, cut, 64);
    CubeChoice choice{.base_m = t.baseM, .base_n = t.baseN, .base_k = t.baseK};
    choice.l0c_copies = 2;
    return work.tasks *
           InputBlockCost(p_, soc_, cut).TaskCycles(choice, t.cout1G, work.products / std::max(1.0, work.dx));
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  const CoreMemory memory_;
  const int64_t cores_;
};

}  // namespace

InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                        const CostModel<InputTiling>& cost) {
  return PlanCubeOp<InputSearch>(problem, WhyNot(problem), soc, cores, cost);
}

}  // namespace tilesim
