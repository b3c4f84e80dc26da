// matmul: planned and run as a tile program on the simulated part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/matmul/matmul_problem.h"
#include "ops/operator.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

using MatmulPlan = PlanWith<MatmulTiling>;

// The problem as the planner and the tile program see it.
MatmulShape ToMatmulShape(const MatmulProblem& problem);

// A tiling of the problem as a plan: legal, or why not. It says nothing of why it is what it is.
MatmulPlan CheckMatmulTiling(const MatmulProblem& problem, const MatmulTiling& tiling, const SocConfig& soc,
                             int64_t cores);

// The product of one problem: A and B in, C out.
class MatmulOperator : public Operator {
 public:
  explicit MatmulOperator(const MatmulProblem& problem) : problem_(problem) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override;   // a, b
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override;  // c
  [[nodiscard]] KernelType Type() const override { return KernelType::kMixAic1_0; }
  // Planner `api` is refused by name: the classes modelled here plan convolutions.
  [[nodiscard]] Plan MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const override;
  [[nodiscard]] Plan GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const override;
  [[nodiscard]] bool HasTilings() const override { return true; }
  [[nodiscard]] std::unique_ptr<TunableTilings> Tilings(const SocConfig& soc, int64_t cores) const override;
  void Kernel(const Plan& plan, std::span<uint8_t* const> gm) const override;
  [[nodiscard]] std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const override;
  [[nodiscard]] Rule RuleOf(const Plan& plan, const Truth& truth) const override;
  [[nodiscard]] Work LeastWork(const SocConfig& soc) const override;

 private:
  const MatmulProblem problem_;
};

}  // namespace tilesim
