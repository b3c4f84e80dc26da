// max_pool2d and max_pool3d: values and argmax, planned and run as a tile program on the simulated part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/max_pool/pool_problem.h"
#include "ops/operator.h"
#include "sim/soc/soc_config.h"
#include "tiling/max_pool/max_pool_tiling.h"

namespace tilesim {

using MaxPoolPlan = PlanWith<MaxPoolTiling>;

// Planner `api` is refused by name: the vendor ships no such class for pooling.
MaxPoolPlan PlanMaxPool(const PoolProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores);
// A tiling given by hand, checked.
MaxPoolPlan CheckMaxPoolTiling(const PoolProblem& problem, const MaxPoolTiling& tiling, const SocConfig& soc,
                               int64_t cores);

// The pooling of one problem: x in, y and argmax out.
class MaxPoolOperator : public Operator {
 public:
  explicit MaxPoolOperator(const PoolProblem& problem) : problem_(problem) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override;   // x
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override;  // y, argmax
  [[nodiscard]] int64_t MaximaOfNothing() const override;              // windows of padding
  [[nodiscard]] KernelType Type() const override { return KernelType::kAivOnly; }
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
  const PoolProblem problem_;
};

}  // namespace tilesim
