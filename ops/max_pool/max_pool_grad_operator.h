// max_pool2d_grad and max_pool3d_grad: the input gradient, planned and run as a tile program on the simulated
// part.
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
#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim {

using MaxPoolGradPlan = PlanWith<MaxPoolGradTiling>;

// Where a gradient's argmax comes from.
enum class ArgmaxSource : uint8_t {
  kGiven,  // the second input
  kX,      // made of x, the second input, with each block of dx or in a phase of its own
};

PoolGradProblem ToPoolGradProblem(const PoolProblem& problem, ArgmaxSource source);

// Planner `api` is refused by name: the vendor ships no such class for pooling.
MaxPoolGradPlan PlanMaxPoolGrad(const PoolProblem& problem, ArgmaxSource source, PlannerKind planner,
                                const SocConfig& soc, int64_t cores);
// A tiling given by hand, checked.
MaxPoolGradPlan CheckMaxPoolGradTiling(const PoolProblem& problem, ArgmaxSource source,
                                       const MaxPoolGradTiling& tiling, const SocConfig& soc, int64_t cores);

// The gradient of one problem: dy, and argmax or x in, dx out.
class MaxPoolGradOperator : public Operator {
 public:
  MaxPoolGradOperator(const PoolProblem& problem, ArgmaxSource source) : problem_(problem), source_(source) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override;   // dy, argmax or x
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override;  // dx
  // A given argmax must be positions of its outputs' windows, or -1: throws UserError.
  void CheckInputs(std::span<const Tensor> inputs) const override;
  [[nodiscard]] bool IsMadeOf(size_t input) const override { return input == 0; }  // dy
  [[nodiscard]] KernelType Type() const override { return KernelType::kAivOnly; }
  // In two phases the cores meet, and the argmax stands in GM between them.
  [[nodiscard]] KernelType TypeOf(const Plan& plan) const override;
  [[nodiscard]] std::vector<OperatorTensor> Workspace(const Plan& plan) const override;
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
  const ArgmaxSource source_;
};

}  // namespace tilesim
