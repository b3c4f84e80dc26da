#include "ops/conv3d_backprop/gradient_plan.h"

#include <memory>

#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/plans/plan_cost.h"
#include "ops/plans/plan_of_op.h"
#include "ops/plans/space_tilings.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/gradient_op_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim {
namespace {

// What both gradients are told of a convolution. Planners take the pads as stated; where the output size is
// not rounded down, windows reach further or less far.
ConvProblem ConvProblemOf(const Conv3dProblem& problem) {
  const Pads pad = problem.rounding == Rounding::kFloor ? problem.pad : problem.ReachedPad();
  return {.batch = problem.batch,
          .cin = problem.cin,
          .di = problem.in.d,
          .hi = problem.in.h,
          .wi = problem.in.w,
          .cout = problem.cout,
          .dout = problem.out.d,
          .ho = problem.out.h,
          .wo = problem.out.w,
          .dk = problem.kernel.d,
          .hk = problem.kernel.h,
          .wk = problem.kernel.w,
          .stride_d = problem.stride.d,
          .stride_h = problem.stride.h,
          .stride_w = problem.stride.w,
          .dilation_d = problem.dilation.d,
          .dilation_h = problem.dilation.h,
          .dilation_w = problem.dilation.w,
          .pad_front = pad.front,
          .pad_back = pad.back,
          .pad_up = pad.top,
          .pad_down = pad.bottom,
          .pad_left = pad.left,
          .pad_right = pad.right,
          .groups = problem.groups,
          .dtype = problem.dtype,
          .hf32 = problem.hf32};
}

// by_op and by_api: the gradient's planners.
template <class Op, class Tiling, class Problem, class ByOp, class ByApi>
PlanWith<Tiling> PlanGradient(const Conv3dProblem& problem, const Problem& gradient, PlannerKind planner,
                              const SocConfig& soc, int64_t cores, const ByOp& by_op, const ByApi& by_api) {
  if (planner == PlannerKind::kOp) {
    const Op op(problem);
    return PlanOfOp(by_op(gradient, soc, cores, Remembering(CostModelOf<Tiling>(op, soc))));
  }
  const CoreMemory memory = CoreMemoryOf(soc);
  return PlanOfApi<Tiling>(by_api(gradient, memory), gradient, memory, cores);
}

template <class Tiling, class Problem>
std::unique_ptr<TunableTilings> TilingsOf(std::unique_ptr<TilingSpace<Tiling>> space, const Problem& problem,
                                          const SocConfig& soc, int64_t cores) {
  return std::make_unique<SpaceTilings<Tiling>>(
      std::move(space),
      [problem, memory = CoreMemoryOf(soc), cores](const Tiling& tiling) {
        return AnyPlan(PlanOfGiven(tiling, problem, memory, cores));
      },
      [problem](const Tiling& tiling) { return DemandOf(TileProgramOf(tiling.data), problem).l1_bytes(); });
}

}  // namespace

FilterProblem ToFilterProblem(const Conv3dProblem& problem) { return {ConvProblemOf(problem)}; }

InputProblem ToInputProblem(const Conv3dProblem& problem) {
  InputProblem input;
  static_cast<ConvProblem&>(input) = ConvProblemOf(problem);
  input.transpose = problem.transposed;
  input.output_pad_d = problem.output_padding.d;
  input.output_pad_h = problem.output_padding.h;
  input.output_pad_w = problem.output_padding.w;
  return input;
}

FilterPlan PlanFilter(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc,
                      int64_t cores) {
  return PlanGradient<FilterOperator, FilterTiling>(
      problem, ToFilterProblem(problem), planner, soc, cores, PlanFilterOp,
      [](const FilterProblem& filter, const CoreMemory& memory) { return PlanFilterApi(filter, memory); });
}

InputPlan PlanInput(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores) {
  return PlanGradient<InputOperator, InputTiling>(
      problem, ToInputProblem(problem), planner, soc, cores, PlanInputOp,
      [](const InputProblem& input, const CoreMemory& memory) { return PlanInputApi(input, memory); });
}

FilterPlan CheckFilterTiling(const Conv3dProblem& problem, const FilterTiling& tiling, const SocConfig& soc,
                             int64_t cores) {
  return PlanOfGiven(tiling, ToFilterProblem(problem), CoreMemoryOf(soc), cores);
}

InputPlan CheckInputTiling(const Conv3dProblem& problem, const InputTiling& tiling, const SocConfig& soc,
                           int64_t cores) {
  return PlanOfGiven(tiling, ToInputProblem(problem), CoreMemoryOf(soc), cores);
}

FilterPlan CheckFilterData(const Conv3dProblem& problem, const Conv3DBackpropFilterTilingData& data,
                           const SocConfig& soc, int64_t cores) {
  return PlanOfGivenData<FilterTiling>(data, ToFilterProblem(problem), CoreMemoryOf(soc), cores);
}

InputPlan CheckInputData(const Conv3dProblem& problem, const Conv3DBackpropInputTilingData& data,
                         const SocConfig& soc, int64_t cores) {
  return PlanOfGivenData<InputTiling>(data, ToInputProblem(problem), CoreMemoryOf(soc), cores);
}

bool FilterOperator::HasTilings() const { return WhyNot(ToFilterProblem(problem_)).empty(); }
bool InputOperator::HasTilings() const { return WhyNot(ToInputProblem(problem_)).empty(); }

std::unique_ptr<TunableTilings> FilterOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  const FilterProblem filter = ToFilterProblem(problem_);
  return HasTilings() ? TilingsOf(AllTilingsOf(filter, soc, cores), filter, soc, cores) : nullptr;
}

std::unique_ptr<TunableTilings> InputOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  const InputProblem input = ToInputProblem(problem_);
  return HasTilings()
             ? TilingsOf(AllTilingsOf(input, soc, cores, LeastWork(soc).gm_read_bytes), input, soc, cores)
             : nullptr;
}

}  // namespace tilesim
