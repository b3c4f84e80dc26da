// conv3d_backprop_filter and conv2d_backprop_filter: the weight gradient, planned and run as a tile program
// on the simulated part.
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

using FilterPlan = PlanWith<FilterTiling>;

// The problem as the planners see it: pads as stated, or as windows really reach where the rounding is not
// floor.
FilterProblem ToFilterProblem(const Conv3dProblem& problem);

FilterPlan PlanFilter(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores);
// A tiling given by hand, checked.
FilterPlan CheckFilterTiling(const Conv3dProblem& problem, const FilterTiling& tiling, const SocConfig& soc,
                             int64_t cores);
// The same without a split: its tasks are dealt out over `cores` cores once the data are found legal.
FilterPlan CheckFilterData(const Conv3dProblem& problem, const Conv3DBackpropFilterTilingData& data,
                           const SocConfig& soc, int64_t cores);

// What becomes of what dw held before.
enum class FilterStart : uint8_t {
  kZeroed,   // overwritten: the kernel begins with a zero fill of its own
  kAddedTo,  // added to: a launch before has filled dw
};

// The weight gradient of one problem: x and dy in, dw out.
class FilterOperator : public Operator {
 public:
  explicit FilterOperator(const Conv3dProblem& problem, FilterStart start = FilterStart::kZeroed)
      : problem_(problem), start_(start) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override;   // x, dy
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override;  // dw, fp32
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
  const FilterStart start_;
};

// The typed ways in, for those that hold a FilterPlan. See operator_run.h.
OperatorRun RunFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc, Tensor x,
                      Tensor dy, const RunOptions& options);
LaunchResult TimeFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc,
                        const RunOptions& options);

}  // namespace tilesim
