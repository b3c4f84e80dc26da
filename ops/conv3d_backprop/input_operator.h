// conv3d_backprop_input and conv2d_backprop_input: the input gradient, planned and run as a tile program on
// the simulated part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"
#include "ops/operator.h"
#include "ops/operator_run.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"

namespace tilesim {

using InputPlan = PlanWith<InputTiling>;

// The problem as the planners see it: pads as stated, or as windows really reach where the rounding is not
// floor.
InputProblem ToInputProblem(const Conv3dProblem& problem);

InputPlan PlanInput(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores);
// A tiling given by hand, checked.
InputPlan CheckInputTiling(const Conv3dProblem& problem, const InputTiling& tiling, const SocConfig& soc,
                           int64_t cores);
// The same without a split: its tasks are dealt out over `cores` cores once the data are found legal.
InputPlan CheckInputData(const Conv3dProblem& problem, const Conv3DBackpropInputTilingData& data,
                         const SocConfig& soc, int64_t cores);

// The input gradient of one problem: dy and the filter w in, dx out.
class InputOperator : public Operator {
 public:
  explicit InputOperator(const Conv3dProblem& problem) : problem_(problem) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override;   // dy, w
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override;  // dx, of the inputs' type
  [[nodiscard]] KernelType Type() const override { return KernelType::kMixAic1_0; }
  [[nodiscard]] Plan MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const override;
  [[nodiscard]] Plan GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const override;
  [[nodiscard]] bool HasTilings() const override;
  [[nodiscard]] std::unique_ptr<TunableTilings> Tilings(const SocConfig& soc, int64_t cores) const override;
  void Kernel(const Plan& plan, std::span<uint8_t* const> gm) const override;
  [[nodiscard]] std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const override;
  [[nodiscard]] Rule RuleOf(const Plan& plan, const Truth& truth) const override;
  [[nodiscard]] Work LeastWork(const SocConfig& soc) const override;

 private:
  const Conv3dProblem problem_;
};

// The typed ways in, for those that hold an InputPlan. See operator_run.h.
OperatorRun RunInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc, Tensor dy,
                     Tensor filter, const RunOptions& options);
LaunchResult TimeInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc,
                       const RunOptions& options);

}  // namespace tilesim
