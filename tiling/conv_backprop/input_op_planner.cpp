#include "tiling/conv_backprop/input_op_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/input_api_planner.h"
#include "tiling/conv_backprop/input_block_cost.h"
#include "tiling/conv_backprop/input_block_search.h"
#include "tiling/conv_backprop/input_cuts.h"
#include "tiling/conv_backprop/input_explain.h"
#include "tiling/conv_backprop/input_legality.h"
#include "tiling/conv_backprop/input_text.h"
#include "tiling/cube_op_plan.h"

namespace tilesim {
namespace {

// How many of what promises most are looked into.
constexpr size_t kMostCuts = 96;
constexpr size_t kMostBlocksACut = 16;
constexpr double kMostCycles = 2;  // times the least promised: a block that promises no more is left out

using InputCandidate = Candidate<InputTiling>;

class OpPlanner {
 public:
  OpPlanner(const InputProblem& problem, const SocConfig& soc, int64_t cores,
            const CostModel<InputTiling>& cost, double most_cycles)
      : p_(problem),
        soc_(soc),
        memory_(CoreMemoryOf(soc)),
        cores_(cores),
        cost_(cost),
        most_cycles_(most_cycles) {}

  InputOpPlan Plan() {
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
      for (const InputScoredBlock& block : PromisingBlocks(p_, soc_, cut, work, kMostBlocksACut)) {
        if (block.cycles > kMostCycles * least) {
          break;
        }
        Add(TilingOf(p_, cut, block.choice), block.cycles);
        least = std::min(least, block.cycles);
      }
    }
  }

  // Tasks of one row of dx and one or all lines of channels, with the smallest blocks.
  void AddSmall() {
    const InputExtents e = ExtentsOf(p_);
    for (const int64_t lines : {std::min(e.cin1_g, 16 / e.c0), e.cin1_g}) {
      ++cut_;
      InputCut cut{.rows = 1, .lines = lines};
      const int64_t tasks = TilingOf(p_, cut, {}).split.parts();
      cut.cores = std::min(cores_, tasks);
      const InputBlockCost block_cost(p_, soc_, cut);
      const double tasks_a_core = static_cast<double>(CeilDiv(tasks, cut.cores));
      for (const InputBlockChoice& choice : SmallBlocks(p_)) {
        Add(TilingOf(p_, cut, choice),
            tasks_a_core * block_cost.TaskCycles(choice, e.cout1_g, static_cast<double>(p_.dk)));
      }
    }
  }

  // As shipped, and if it knew of all cores.
  void AddPlannerApi() {
    for (const int64_t cores_told : {int64_t{1}, cores_}) {
      const InputApiPlan api = PlanInputApi(p_, memory_, cores_told);
      ++cut_;
      if (api.legal()) {
        Add({.data = api.data, .split = DealOut(p_, api.data.conv3DDxTiling, cores_)},
            PromiseOfApi(candidates_));
      }
    }
  }

  void Add(const InputTiling& tiling, double cycles) {
    candidates_.push_back({.tiling = tiling, .cycles = cycles, .cut = cut_});
  }

  void TakeFastest() {
    tilesim::TakeFastest<InputTiling>(
        std::exchange(candidates_, {}), p_, soc_, cores_, cost_, most_cycles_,
        [&](const InputTiling& tiling) {
          return static_cast<size_t>(BusiestCore(p_, CutOf(tiling), 1).core);
        },
        plan_);
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  CoreMemory memory_;
  int64_t cores_;
  const CostModel<InputTiling>& cost_;
  const double most_cycles_;
  std::vector<InputCandidate> candidates_;
  size_t cut_ = 0;  // in hand
  InputOpPlan plan_;
};

}  // namespace

InputOpPlan PlanInputOp(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                        const CostModel<InputTiling>& cost) {
  return PlanCubeOp(problem, WhyNot(problem), soc, cores, cost, [&](int64_t some, double most_cycles) {
    return OpPlanner(problem, soc, some, cost, most_cycles).Plan();
  });
}

}  // namespace tilesim
