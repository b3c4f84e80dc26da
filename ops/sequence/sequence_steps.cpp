#include "ops/sequence/sequence_steps.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "formats/error.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/elementwise/elementwise_operator.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/trans_data/trans_data_operator.h"
#include "ops/transpose/transpose_operator.h"

namespace tilesim {
namespace {

// An operator whose tensors stay as they lie on the device.
class OnDevice : public Operator {
 public:
  explicit OnDevice(std::unique_ptr<Operator> op) : op_(std::move(op)) {}

  [[nodiscard]] std::vector<OperatorTensor> Inputs() const override { return Kept(op_->Inputs()); }
  [[nodiscard]] std::vector<OperatorTensor> Outputs() const override { return Kept(op_->Outputs()); }
  [[nodiscard]] std::vector<OperatorTensor> Workspace(const Plan& plan) const override {
    return Kept(op_->Workspace(plan));
  }
  [[nodiscard]] KernelType Type() const override { return op_->Type(); }
  [[nodiscard]] KernelType TypeOf(const Plan& plan) const override { return op_->TypeOf(plan); }
  [[nodiscard]] Plan MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const override {
    return op_->MakePlan(planner, soc, cores);
  }
  [[nodiscard]] Plan GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const override {
    return op_->GivenPlan(json, where, soc, cores);
  }
  void Kernel(const Plan& plan, std::span<uint8_t* const> gm) const override { op_->Kernel(plan, gm); }
  [[nodiscard]] std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const override {
    return op_->Reference(inputs, threads);
  }
  [[nodiscard]] Rule RuleOf(const Plan& plan, const Truth& truth) const override {
    return op_->RuleOf(plan, truth);
  }
  [[nodiscard]] Work LeastWork(const SocConfig& soc) const override { return op_->LeastWork(soc); }

 private:
  static std::vector<OperatorTensor> Kept(std::vector<OperatorTensor> tensors) {
    for (OperatorTensor& tensor : tensors) {
      tensor.host = tensor.device;
    }
    return tensors;
  }

  std::unique_ptr<Operator> op_;
};

Format BlockedOf(Format plain) {
  switch (plain) {
    case Format::kNCHW:
    case Format::kNHWC:
      return Format::kNC1HWC0;
    case Format::kOIDHW:
    case Format::kDHWIO:
      return Format::kFractalZ3D;
    case Format::kOIHW:
    case Format::kHWIO:
      return Format::kFractalZ;
    default:
      return Format::kNDC1HWC0;
  }
}

// The layout conversion between a tensor as the user has it and as it lies on the device.
TransDataProblem Conversion(const OperatorTensor& tensor, bool to_device) {
  const Format plain = tensor.host.format();
  const Format blocked = BlockedOf(plain);
  return {.dtype = tensor.dtype,
          .from = to_device ? plain : blocked,
          .to = to_device ? blocked : plain,
          .extents = AxisExtents(tensor.device.extents()),
          .c0 = tensor.device.c0(),
          .groups = tensor.device.groups()};
}

class Steps {
 public:
  explicit Steps(const Case& problem)
      : op_(MakeOperator(problem)),
        conv_(problem.conv()),
        is_filter_(problem.gradient() == ConvGradient::kFilter) {}

  std::vector<SequenceStep> All() {
    std::vector<StepInput> converted;
    const std::vector<OperatorTensor> inputs = op_->Inputs();
    const OperatorTensor result = op_->Outputs().front();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TransDataProblem there = Conversion(inputs[i], true);
      converted.push_back({.step = steps_.size(), .index = 0, .layout = inputs[i].device});
      Add("TransData " + inputs[i].name, std::make_unique<TransDataOperator>(there),
          {{.step = StepInput::kCase, .index = i, .layout = there.PlainTensor()}});
    }
    const bool more = is_filter_ && conv_.groups > 1 && result.device.format() == Format::kFractalZ3D &&
                      (result.host.format() == Format::kOIDHW || result.host.format() == Format::kOIHW);
    Clear(result.name, result.dtype, result.device);
    if (is_filter_) {
      op_ = std::make_unique<FilterOperator>(conv_, FilterStart::kAddedTo);
    }
    Add(is_filter_ ? "Conv3DBackpropFilter" : "Conv3DBackpropInput",
        std::make_unique<OnDevice>(std::move(op_)), converted);
    own_step_ = steps_.size() - 1;
    steps_.back().is_own = true;
    if (is_filter_) {
      steps_.back().adds_to = own_step_ - 1;
    }
    if (more) {
      Clear(result.name, result.dtype, result.host);
    }
    AddBack(result, more);
    return std::move(steps_);
  }

 private:
  void Add(std::string kernel, std::unique_ptr<Operator> op, std::vector<StepInput> inputs) {
    steps_.push_back(
        {.kernel = std::move(kernel), .op = std::move(op), .inputs = std::move(inputs), .is_own = false});
  }
  void Clear(const std::string& name, DType dtype, const Layout& layout) {
    const ElementwiseProblem fill{
        .op = ElementwiseOp::kMemSet, .dtype = dtype, .extents = {1, layout.StorageElements()}, .value = 0};
    Add("MemSet " + name, std::make_unique<ElementwiseOperator>(fill), {});
  }
  // The result to its plain format; in two steps, by way of DHWIO, where a call launches one more.
  void AddBack(const OperatorTensor& result, bool twice) {
    TransDataProblem back = Conversion(result, false);
    if (twice) {
      back.from = Format::kFractalZ3D;
      back.to = Format::kDHWIO;
    }
    Add("TransData " + result.name, std::make_unique<TransDataOperator>(back),
        {{.step = own_step_, .index = 0, .layout = back.BlockedTensor()}});
    if (twice) {
      const AxisExtents& e = back.extents;
      const TransposeProblem turned{
          .dtype = result.dtype, .extents = {e[2], e[3], e[4], e[1], e[0]}, .perm = {4, 3, 0, 1, 2}};
      Add("TransData " + result.name + " DHWIO", std::make_unique<TransposeOperator>(turned),
          {{.step = steps_.size() - 1, .index = 0, .layout = turned.XLayout()}});
    }
  }

  std::unique_ptr<Operator> op_;
  const Conv3dProblem conv_;
  const bool is_filter_;
  std::vector<SequenceStep> steps_;
  size_t own_step_ = 0;
};

}  // namespace

Plan PlanOfStep(const SequenceStep& step, const SocConfig& soc, std::optional<int64_t> cores) {
  const int64_t all = CoresOf(*step.op, soc);
  RequireUser(all > 0, step.kernel, " runs on vector cores, ", soc.name,
              " has none here (chip.aiv_per_aic = ", soc.aiv_per_aic,
              "); give a part that has, or --sequence op");
  return step.op->MakePlan(PlannerKind::kOp, soc, cores ? std::min(all, *cores * soc.aiv_per_aic) : all);
}

std::vector<SequenceStep> AclnnSteps(const Case& problem) {
  return std::holds_alternative<ConvCase>(problem.problem) ? Steps(problem).All()
                                                           : std::vector<SequenceStep>();
}

}  // namespace tilesim
