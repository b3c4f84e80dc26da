#include "ops/sequence/sequence_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "formats/error.h"
#include "ops/cases/case_inputs.h"
#include "ops/harness/harness_steps.h"
#include "ops/operators.h"
#include "ops/sequence/sequence_steps.h"

namespace tilesim {
namespace {

class Sequence {
 public:
  Sequence(const Case& problem, const SocConfig& soc, const HarnessOptions& options, CaseResult& result)
      : problem_(problem),
        soc_(soc),
        part_(soc),
        options_(options),
        result_(result),
        steps_(AclnnSteps(problem)) {}

  void Run() {
    if (!PlanAll()) {
      return;
    }
    const std::unique_ptr<Operator> own = MakeOperator(problem_);
    std::vector<CaseTruth> truths;
    if (options_.mode.values) {
      inputs_ = MakeInputs(problem_, *own);
      CheckInputs(problem_, *own, inputs_);
      not_finite_ = HasFiles(problem_, *own) && NeedsIeee(*own, inputs_, soc_);
      if (options_.compare) {
        truths = MakeTruth(problem_, *own, inputs_, options_.threads);
        part_.numerics_ieee = not_finite_ && !options_.numerics_given ? 1 : soc_.numerics_ieee;
      }
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      RunStep(i);
      if (!result_.kernels.back().launch->completed) {
        break;  // nothing to go on with
      }
    }
    RequireSite(options_.drop_sync, sites_);
    Sum();
    if (options_.mode.values && result_.kernels.size() == steps_.size()) {
      result_.outputs = std::move(results_.back());
      result_.outputs.front().Relabel(own->Outputs().front().host);
      if (!truths.empty()) {
        JudgeOutputs(problem_, *own, *result_.plan, part_, std::move(truths), RunOptionsOf(false), result_);
      }
    }
    if (not_finite_) {
      TellNotFinite(*own, part_, result_);
    }
  }

 private:
  bool PlanAll() {
    for (const SequenceStep& step : steps_) {
      Plan plan = step.is_own ? ChoosePlan(problem_, *step.op, soc_, options_.plan)
                              : PlanOfStep(step, soc_, options_.plan.cores);
      if (step.is_own) {
        result_.plan = plan;
      }
      if (!plan.legal) {
        RefusePlan(problem_, plan, result_);
        return false;
      }
      RequireRoom(*step.op, soc_, options_, plan);
      plans_.push_back(std::move(plan));
    }
    return true;
  }

  [[nodiscard]] RunOptions RunOptionsOf(bool adds_to_outputs) {
    return {.mode = options_.mode,
            .threads = options_.threads,
            .observer = options_.observer,
            .drop_sync = options_.drop_sync,
            .sync_sites = options_.drop_sync ? &sites_ : nullptr,
            .adds_to_outputs = adds_to_outputs};
  }

  void RunStep(size_t index) {
    const SequenceStep& step = steps_[index];
    CaseResult one;
    one.id = problem_.id;
    one.op = problem_.op;
    one.dtype = Name(DTypeOf(*step.op));
    one.soc = soc_.name;
    one.kernel = step.kernel;
    one.plan = plans_[index];
    one.hazards_checked = options_.mode.hazards;
    if (options_.mode.values) {
      OperatorRun run = RunOperator(*step.op, plans_[index], part_, InputsOf(step),
                                    RunOptionsOf(step.adds_to.has_value()), HeldBefore(step));
      one.launch = std::move(run.launch);
      results_.push_back(std::move(run.outputs));
    } else {
      one.launch = TimeOperator(*step.op, plans_[index], soc_, RunOptionsOf(step.adds_to.has_value()));
    }
    if (options_.mode.time && one.launch->completed) {
      one.launch->time_us += soc_.launch_call_us;
      one.summary = Summarise(soc_, *one.launch);
      one.lower_bound = LowerBoundOf(soc_, step.op->LeastWork(soc_), CoresOf(*step.op, soc_));
    }
    JudgeFaults(one);
    result_.kernels.push_back(std::move(one));
  }

  // As of any case: of the inputs; of what has none, of the result.
  static DType DTypeOf(const Operator& op) {
    const std::vector<OperatorTensor> inputs = op.Inputs();
    return inputs.empty() ? op.Outputs().front().dtype : inputs.front().dtype;
  }

  // What the step's result is added to.
  std::vector<Tensor> HeldBefore(const SequenceStep& step) {
    std::vector<Tensor> tensors;
    if (step.adds_to) {
      tensors.push_back(std::move(results_.at(*step.adds_to).front()));
      tensors.back().Relabel(step.op->Outputs().front().device);
    }
    return tensors;
  }

  std::vector<Tensor> InputsOf(const SequenceStep& step) {
    std::vector<Tensor> tensors;
    for (const StepInput& input : step.inputs) {
      if (input.step == StepInput::kCase) {
        tensors.push_back(Converted(inputs_.at(input.index), input.layout));
      } else {
        tensors.push_back(std::move(results_.at(input.step).at(input.index)));
        tensors.back().Relabel(input.layout);
      }
    }
    return tensors;
  }

  // The case's own launch, with the faults of all kernels, and the times of all together.
  void Sum() {
    SequenceTotal total;
    bool timed = result_.kernels.size() == steps_.size();
    double host_ms = 0;
    std::vector<Fault> faults;
    for (size_t i = 0; i < result_.kernels.size(); ++i) {
      const CaseResult& one = result_.kernels[i];
      const std::optional<SequenceTotal> of_kernel = one.Total();
      total.Add(of_kernel.value_or(SequenceTotal{}));
      timed = timed && of_kernel.has_value();
      host_ms += one.launch->host_ms;
      faults.insert(faults.end(), one.launch->faults.begin(), one.launch->faults.end());
      if (steps_[i].is_own || !result_.launch) {
        result_.launch = one.launch;
        result_.summary = one.summary;
        result_.lower_bound = one.lower_bound;
      }
    }
    result_.launch->faults = std::move(faults);
    result_.launch->host_ms = host_ms;
    result_.hazards_checked = options_.mode.hazards;
    JudgeFaults(result_);
    if (timed) {
      result_.total = total;
    }
  }

  const Case& problem_;
  const SocConfig& soc_;
  SocConfig part_;  // as it is run
  const HarnessOptions& options_;
  CaseResult& result_;
  const std::vector<SequenceStep> steps_;
  std::vector<Plan> plans_;
  std::vector<Tensor> inputs_;                // of the case
  std::vector<std::vector<Tensor>> results_;  // of each step; taken over by the one that needs it
  std::set<SyncSite> sites_;
  bool not_finite_ = false;  // some input is inf or NaN
};

}  // namespace

bool HasAclnnSteps(const Case& problem) { return std::holds_alternative<ConvCase>(problem.problem); }

void RunSequence(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                 CaseResult& result) {
  Sequence(problem, soc, options, result).Run();
}

}  // namespace tilesim
