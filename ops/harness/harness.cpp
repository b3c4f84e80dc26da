#include "ops/harness/harness.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "formats/error.h"
#include "ops/cases/case_inputs.h"
#include "ops/harness/comparison.h"
#include "ops/harness/harness_steps.h"
#include "ops/operators.h"
#include "ops/sequence/sequence_run.h"

namespace tilesim {
namespace {

void Run(const Case& problem, const Operator& op, const SocConfig& soc, const HarnessOptions& options,
         CaseResult& result) {
  std::set<SyncSite> sites;
  const RunOptions run_options = {.mode = options.mode,
                                  .threads = options.threads,
                                  .observer = options.observer,
                                  .drop_sync = options.drop_sync,
                                  .sync_sites = options.drop_sync ? &sites : nullptr,
                                  .recording = options.recording};
  std::vector<CaseTruth> truths;
  SocConfig part = soc;  // as it is run
  bool not_finite = false;
  int64_t of_nothing = 0;  // outputs that are -inf, whatever the inputs hold
  if (!options.mode.values) {
    result.launch = TimeOperator(op, *result.plan, soc, run_options);
  } else {
    std::vector<Tensor> inputs = MakeInputs(problem, op);
    CheckInputs(problem, op, inputs);
    not_finite = HasFiles(problem, op) && NeedsIeee(op, inputs, soc);
    of_nothing = SaturatesInfinities(op, soc) ? op.MaximaOfNothing() : 0;
    if (options.compare) {
      truths = MakeTruth(problem, op, inputs, options.threads);
      part.numerics_ieee = (not_finite || of_nothing > 0) && !options.numerics_given ? 1 : soc.numerics_ieee;
    }
    OperatorRun run = RunOperator(op, *result.plan, part, std::move(inputs), run_options);
    result.outputs = std::move(run.outputs);
    result.launch = std::move(run.launch);
  }
  RequireSite(options.drop_sync, sites);
  result.hazards_checked = options.mode.hazards;
  if (options.mode.time && result.launch->completed) {  // a stopped kernel has no time
    result.summary = Summarise(soc, *result.launch);
    result.lower_bound = LowerBoundOf(soc, op.LeastWork(soc), CoresOf(op, soc));
  }
  JudgeFaults(result);
  if (!truths.empty()) {
    JudgeOutputs(problem, op, *result.plan, part, std::move(truths), run_options, result);
  }
  if (not_finite) {
    TellNotFinite(op, part, result);
  }
  if (of_nothing > 0) {
    TellOfNothing(op, part, of_nothing, result);
  }
}

void RunAlone(const Case& problem, const SocConfig& soc, const HarnessOptions& options, CaseResult& result) {
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  result.plan = ChoosePlan(problem, *op, soc, options.plan);
  if (!result.plan->legal) {
    RefusePlan(problem, *result.plan, result);
    return;
  }
  RequireRoom(*op, soc, options, *result.plan);
  Run(problem, *op, soc, options, result);
}

}  // namespace

std::string_view Name(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kNames = {"ok",     "mismatch", "no_tiling", "refused",
                                                      "hazard", "fault",    "error"};
  return kNames[static_cast<size_t>(verdict)];
}

void SequenceTotal::Add(const SequenceTotal& other) {
  cycles += other.cycles;
  time_us += other.time_us;
  lower_bound_us += other.lower_bound_us;
  gm_read_bytes += other.gm_read_bytes;
  gm_write_bytes += other.gm_write_bytes;
  host_ms += other.host_ms;
}

std::optional<SequenceTotal> CaseResult::Total() const {
  if (total || !summary || !kernels.empty()) {
    return total;
  }
  return SequenceTotal{.cycles = launch->cycles,
                       .time_us = launch->time_us,
                       .lower_bound_us = lower_bound->time_us,
                       .gm_read_bytes = summary->gm_read_bytes,
                       .gm_write_bytes = summary->gm_write_bytes,
                       .host_ms = launch->host_ms};
}

std::optional<int64_t> CaseResult::UsedCores() const {
  if (!kernels.empty()) {
    return std::nullopt;
  }
  return plan && plan->legal ? plan->UsedCores() : launched_cores;
}

int64_t CaseResult::Hazards() const {
  return launch ? std::ranges::count(launch->faults, FaultKind::kHazard, &Fault::kind) : 0;
}

CaseResult RunCase(const Case& problem, const SocConfig& soc, const HarnessOptions& options) {
  CaseResult result;
  result.id = problem.id;
  result.op = problem.op;
  result.dtype = Name(problem.dtype());
  result.soc = soc.name;
  try {
    if (options.aclnn && HasAclnnSteps(problem)) {
      RunSequence(problem, soc, options, result);
    } else {
      RunAlone(problem, soc, options, result);
      if (options.aclnn && result.launch) {
        result.launch->time_us += options.mode.time ? soc.launch_call_us : 0;
      }
    }
    if (const auto total = result.Total(); options.aclnn && problem.measured_us && total) {
      result.error_us_percent = (total->time_us / *problem.measured_us - 1) * 100;
    }
  } catch (const UserError& error) {
    result.verdict = Verdict::kRefused;
    result.message = AtItsPlace(problem, error.what());
  } catch (const std::bad_alloc&) {
    result.verdict = Verdict::kRefused;
    result.message =
        AtItsPlace(problem, "the machine has not enough memory for its tensors; give a smaller case");
  } catch (const std::exception& error) {
    result.verdict = Verdict::kError;
    result.message = Say("internal error (please report): ", error.what());
  }
  return result;
}

CaseResult RefusedCase(const CaseError& error) {
  CaseResult result;
  result.id = error.id;
  result.verdict = Verdict::kRefused;
  result.message = Sentence(error);
  return result;
}

}  // namespace tilesim
