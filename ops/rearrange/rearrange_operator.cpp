#include "ops/rearrange/rearrange_operator.h"

#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "ops/cases/width_type.h"
#include "ops/rearrange/rearrange_kernel.h"
#include "tiling/rearrange/rearrange_planner.h"

namespace tilesim {

RearrangeOperator::RearrangeOperator(OperatorTensor x, OperatorTensor y, const RearrangeShape& shape)
    : x_(std::move(x)), y_(std::move(y)), shape_(shape) {}

Plan RearrangeOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  PlanWith<RearrangeTiling> plan{
      .tiling = {}, .planner = planner == PlannerKind::kApi ? "api" : "op", .reasons = {}};
  if (planner == PlannerKind::kApi) {
    plan.reasons = {
        "planner: api: the vendor ships no tiling class for transpose and trans_data; planner op plans it"};
    return {std::move(plan), false};
  }
  const RearrangePlanned planned = PlanRearrange(shape_, soc, cores);
  plan.tiling = planned.tiling;
  plan.legal = planned.legal;
  plan.reasons = SentencesOf(planned.reasons);
  if (plan.legal) {
    plan.why = Explained(planned.tiling, shape_, soc.ub_bytes);
    plan.why.push_back(Say("estimated ", static_cast<int64_t>(planned.cycles), " cycles; ",
                           Counted(planned.tried, "tiling was", "tilings were"), " estimated"));
  }
  return {std::move(plan), planned.tried > 0};
}

Plan RearrangeOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                                  int64_t cores) const {
  PlanWith<RearrangeTiling> plan{
      .tiling = ParseTiling<RearrangeTiling>(json, where), .planner = "given", .reasons = {}};
  plan.reasons = SentencesOf(WhyNot(plan.tiling, shape_, soc.ub_bytes, cores));
  plan.legal = plan.reasons.empty();
  if (plan.legal) {
    plan.why = Explained(plan.tiling, shape_, soc.ub_bytes);
  }
  return {std::move(plan), true};
}

void RearrangeOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<RearrangeTiling>(plan.tiling);
  VisitWidth(SizeOf(x_.dtype),
             [&]<class T>(TypeTag<T>) { RearrangeKernel<T>().Process(gm[0], gm[1], shape_, tiling); });
}

Rule RearrangeOperator::RuleOf(const Plan& /*plan*/, const Truth& /*truth*/) const { return Rule::kExact; }

Work RearrangeOperator::LeastWork(const SocConfig& /*soc*/) const {
  return {.cube_cycles = 0,
          .gm_read_bytes = static_cast<int64_t>(x_.DeviceBytes()),
          .gm_write_bytes = static_cast<int64_t>(y_.DeviceBytes())};
}

}  // namespace tilesim
