// copy, mem_set and add, planned and run as tile programs on the vector cores of the simulated part.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/tensor.h"
#include "ops/elementwise/elementwise_problem.h"
#include "ops/operator.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

class ElementwiseOperator : public Operator {
 public:
  explicit ElementwiseOperator(ElementwiseProblem problem) : problem_(std::move(problem)) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override;   // x; of add x1, x2; of mem_set none
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override;  // y
  [[nodiscard]] KernelType Type() const override { return KernelType::kAivOnly; }
  // Planner `api` is refused by name: the vendor ships no such class.
  [[nodiscard]] Plan MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const override;
  [[nodiscard]] Plan GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const override;
  void Kernel(const Plan& plan, std::span<uint8_t* const> gm) const override;
  [[nodiscard]] std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const override;
  [[nodiscard]] Rule RuleOf(const Plan& plan, const Truth& truth) const override;
  [[nodiscard]] Work LeastWork(const SocConfig& soc) const override;

 private:
  const ElementwiseProblem problem_;
};

}  // namespace tilesim
