#include "tiling/conv_backprop/filter_api_planner.h"

#include "formats/error.h"
#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/conv_fields.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {
namespace {

Rejections ArgumentsBeyond32Bits(const FilterProblem& p) {
  Rejections reasons;
  CheckApiWidths(FilterArguments(), p, reasons);
  // the planner's own products stay within 64 bits below this
  constexpr int64_t kMostPixels = int64_t{1} << 60;
  if (reasons.empty() && p.ho > 0 && p.wo > kMostPixels / p.ho) {
    reasons.push_back({"planner api takes up to 2^60 output pixels ho * wo", "wo", p.wo, kMostPixels / p.ho,
                       Say("wo ", kMostPixels / p.ho, " fits")});
  }
  return reasons;
}

Conv3DBackpropFilterTilingData Emit(const FilterProblem& p, const FilterApiBlock& block) {
  Conv3DBackpropFilterTilingData data;
  TConv3DBpFilterTiling& t = data.dwTiling;
  const FilterApiBlock::Task task = block.TaskExtents();
  data.params.totalL1Size = Low32(block.memory().l1_bytes);
  SetProblemFields(p, t);
  CubeChoice choice = block.choice();
  choice.iterate_order = block.problem_m() > block.problem_n() ? 1 : 0;
  SetTaskFields(choice, 16, t);
  t.bl1Bound = Low32(block.L1BoundOfB());
  t.hf32Flag = 0;
  t.singleCoreCout = Low32(task.m);
  t.singleCoreHo = Low32(task.k / p.wo);
  t.singleCoreCin = Low32(task.n / (block.taps() * 16) * 16);
  data.basicBlockTiling = {Low32(task.m), Low32(task.n), Low32(task.k)};
  return data;
}

}  // namespace

FilterApiPlan PlanFilterApi(const FilterProblem& problem, const CoreMemory& memory) {
  FilterApiPlan plan;
  plan.reasons = ArgumentsBeyond32Bits(problem);
  if (!plan.reasons.empty()) {
    plan.flags.push_back({ApiFlag::kBadArg, plan.reasons.front()});
    return plan;
  }
  CheckApiArguments(FilterArguments(), problem, plan.reasons);
  if (!plan.reasons.empty()) {
    return plan;
  }
  FilterApiBlock block(problem, memory);
  block.Choose();
  plan.accepted = true;
  plan.data = Emit(problem, block);
  plan.flags = FlagsOf(problem, block, plan.data);
  return plan;
}

}  // namespace tilesim
