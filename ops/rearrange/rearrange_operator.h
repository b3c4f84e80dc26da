// What transpose and trans_data have in common: one tensor in, its elements at other places out, planned and
// run as a tile program on the vector cores.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/operator.h"
#include "sim/soc/soc_config.h"
#include "tiling/rearrange/rearrange_tiling.h"

namespace tilesim {

class RearrangeOperator : public Operator {
 public:
  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override { return {x_}; }
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override { return {y_}; }
  [[nodiscard]] KernelType Type() const override { return KernelType::kAivOnly; }
  // Planner `api` is refused by name: the vendor ships no such class.
  [[nodiscard]] Plan MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const override;
  [[nodiscard]] Plan GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const override;
  void Kernel(const Plan& plan, std::span<uint8_t* const> gm) const override;
  [[nodiscard]] Rule RuleOf(const Plan& plan, const Truth& truth) const override;
  [[nodiscard]] Work LeastWork(const SocConfig& soc) const override;

 protected:
  RearrangeOperator(OperatorTensor x, OperatorTensor y, const RearrangeShape& shape);

 private:
  const OperatorTensor x_;
  const OperatorTensor y_;
  const RearrangeShape shape_;
};

}  // namespace tilesim
