#include "tiling/conv_backprop/gradient_api_planner.h"

#include <utility>

#include "formats/error.h"
#include "tiling/conv_backprop/conv_argument.h"
#include "tiling/conv_backprop/conv_fields.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_tiling.h"
#include "tiling/conv_backprop/input_api_block.h"
#include "tiling/conv_backprop/input_api_refusals.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_tiling.h"

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

// Whether rows of dx may get no contribution, by the shipped planner's rule: windows that leave rows over, or
// strides that pass over some.
bool NeedsZeros(const InputProblem& p) {
  const auto leaves_rows = [](const InputAxis& axis) {
    return (axis.in + axis.pad_before + axis.pad_after - axis.window()) % axis.stride > axis.pad_after;
  };
  const bool pads_the_gradient = ShippedPadBehind(AxisH(p)) > 0 || BackpropPadsOf(AxisD(p)).before > 0;
  return leaves_rows(AxisD(p)) || leaves_rows(AxisH(p)) || p.stride_h > p.hk || p.dilation_d > 1 ||
         (p.transpose && pads_the_gradient);
}

Conv3DBackpropInputTilingData Emit(const InputProblem& p, const InputApiBlock& block, int64_t cores) {
  Conv3DBackpropInputTilingData data;
  TConv3DBackpropInputTiling& t = data.conv3DDxTiling;
  const CubeChoice& c = block.choice();
  SetProblemFields(p, t);
  t.backpropPadTail = Low32(ShippedPadBehind(AxisD(p)));
  t.backpropPadDown = Low32(ShippedPadBehind(AxisH(p)));
  t.backpropPadRight = Low32(ShippedPadBehind(AxisW(p)));
  SetChoiceFields(c, t);
  SetTaskFields(t);
  t.initOutputFlag = NeedsZeros(p) ? 1 : 0;
  t.singleCoreCout1 = t.cout1;
  t.singleCoreCout = 16 * t.cout1;
  t.singleCoreCin = static_cast<uint64_t>(c.base_n);
  t.singleCoreCin1 = Low32(c.base_n / 16);
  t.singleCoreM = static_cast<uint64_t>(InputApiTaskPixels(p, block, cores));
  return data;
}

InputApiPlan Refused(Rejections reasons) {
  InputApiPlan plan;
  plan.reasons = std::move(reasons);
  return plan;
}

// Refused by us: the shipped class has no meaningful answer.
InputApiPlan Undefined(Rejections reasons) {
  InputApiPlan plan = Refused(std::move(reasons));
  plan.flags.push_back({ApiFlag::kBadArg, plan.reasons.front()});
  return plan;
}

InputApiPlan Planned(const InputProblem& p, const CoreMemory& memory, int64_t cores) {
  InputApiBlock block(p);
  if (!block.Choose()) {
    return Refused({{"bytes of L1 for the last block that planner api tries", "wi", block.L1Bytes(),
                     InputApiBlock::kL1Bytes, "use `--planner op`, which tries more of them"}});
  }
  InputApiPlan plan;
  plan.accepted = true;
  plan.data = Emit(p, block, cores);
  plan.flags = FlagsOf(p, block, plan.data.conv3DDxTiling, memory);
  return plan;
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

InputApiPlan PlanInputApi(const InputProblem& problem, const CoreMemory& memory, int64_t cores) {
  InputProblem p = problem;
  Rejections reasons = InputApiBeyond32Bits(p);
  if (!reasons.empty()) {
    return Undefined(std::move(reasons));
  }
  reasons = InputApiBadArguments(p);
  if (!reasons.empty()) {
    return Refused(std::move(reasons));
  }
  if (p.transpose) {
    DeriveTransposedSizes(p);
    reasons = InputApiNoPixels(p);
    if (!reasons.empty()) {
      return Refused(std::move(reasons));
    }
  }
  reasons = InputApiBadSizes(p);
  if (!reasons.empty()) {
    return Refused(std::move(reasons));
  }
  reasons = InputApiNoPixels(p);
  if (p.cin < 1) {
    reasons.push_back({"limit of planner api", "cin", p.cin, 1, "cin 1 fits"});
  }
  return reasons.empty() ? Planned(p, memory, cores) : Undefined(std::move(reasons));
}

}  // namespace tilesim
