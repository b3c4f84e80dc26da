#include "ops/harness.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <stdexcept>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/comparison.h"
#include "ops/harness_faults.h"
#include "ops/harness_steps.h"
#include "ops/operators.h"
#include "ops/refusal.h"
#include "ops/sequence/sequence_run.h"

namespace tilesim {
namespace {

// Which file of the case gives an input, and what is added to the case's seed where none does: so the same
// tensor of two operators is the same.
struct InputSource {
  std::string_view name;
  std::string Case::*file;
  uint64_t seed;
};
constexpr InputSource kSources[] = {{"x", &Case::x_file, 0},   {"x1", &Case::x_file, 0},
                                    {"x2", &Case::x2_file, 1}, {"dy", &Case::dy_file, 1},
                                    {"w", &Case::w_file, 2},   {"a", &Case::a_file, 0},
                                    {"b", &Case::b_file, 1},   {"argmax", &Case::argmax_file, 0}};

// Random values are made where the device wants them, so that there is only one copy; their logical values
// are those of any layout.
Layout LayoutOfRandom(const OperatorTensor& tensor) {
  if (tensor.device.format() != Format::kNDC1HWC0) {
    return tensor.host;
  }
  return Layout(tensor.host.rank() == 4 ? Format::kNC1HWC0 : Format::kNDC1HWC0, tensor.host.extents(),
                tensor.device.c0());
}

Tensor MakeInput(const Case& problem, const OperatorTensor& input) {
  const auto* const source = std::ranges::find(kSources, input.name, &InputSource::name);
  if (source == std::end(kSources)) {
    throw std::logic_error(Say("MakeInput: no source for the tensor '", input.name, "'"));
  }
  const std::string& file = problem.*source->file;
  if (!file.empty()) {
    try {
      return ReadNpy(file, input.dtype, input.host);
    } catch (const UserError& error) {
      throw UserError(Say(input.name, "_file: ", error.what()));
    }
  }
  Tensor tensor(input.dtype, LayoutOfRandom(input));
  FillRandom(tensor, static_cast<uint64_t>(problem.seed) + source->seed, problem.range_low,
             problem.range_high);
  return tensor;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += Say(text.empty() ? "" : "; ", line);
  }
  return text;
}

void AddLine(std::string& text, const std::string& line) {
  text += Say(text.empty() || line.empty() ? "" : "\n", line);
}

// A message about a row says where the row stands.
std::string AtItsPlace(const Case& problem, std::string_view message) {
  return Say(problem.place, problem.place.empty() ? "" : ": ", message);
}

// Files of expected values belong to files of inputs: says which input has none.
std::string RandomInputsNote(const Case& problem, const Operator& op) {
  std::string note;
  if (problem.expected_file.empty() && problem.expected_argmax_file.empty()) {
    return note;
  }
  const std::vector<OperatorTensor> inputs = op.Inputs();
  for (const InputSource& source : kSources) {
    if ((problem.*source.file).empty() &&
        std::ranges::count(inputs, source.name, &OperatorTensor::name) > 0) {
      AddLine(note,
              Say(source.name, " is random (seed ", problem.seed, "): no ", source.name, "_file was given"));
    }
  }
  return note;
}

// Of a case with inf or NaN among its inputs. part: as it was run.
std::string NotFiniteNote(const OperatorTensor& output, const SocConfig& part) {
  if (part.numerics_ieee != 0) {
    return Say("some input is inf or NaN: run and compared with numerics.ieee=1, so that ", output.name,
               " keeps them");
  }
  return Say("some input is inf or NaN: with numerics.ieee=0, as the hardware has it, inf of ", output.name,
             " is the largest finite ", Name(output.dtype),
             " and NaN is 0; --set numerics.ieee=1 keeps them");
}

// Of a case some of whose windows lie in the padding. part: as it was run.
std::string OfNothingNote(const OperatorTensor& output, int64_t count, const SocConfig& part) {
  const std::string windows = Say(count, count == 1 ? " window holds" : " windows hold", " no element: ");
  if (part.numerics_ieee != 0) {
    return Say(windows, "run and compared with numerics.ieee=1, so that ", output.name, " keeps -inf there");
  }
  const double lowest = output.dtype == DType::kBf16 ? -0x1.fep127 : -65504;
  return Say(windows, output.name, " is ", lowest,
             " there with numerics.ieee=0, as the hardware has it; --set numerics.ieee=1 keeps -inf");
}

void Run(const Case& problem, const Operator& op, const SocConfig& soc, const HarnessOptions& options,
         CaseResult& result) {
  std::set<SyncSite> sites;
  const RunOptions run_options = {.mode = options.mode,
                                  .threads = options.threads,
                                  .observer = options.observer,
                                  .drop_sync = options.drop_sync,
                                  .sync_sites = options.drop_sync ? &sites : nullptr};
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
    AddLine(result.message, OfNothingNote(op.Outputs().front(), of_nothing, part));
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

void CheckInputs(const Case& problem, const Operator& op, std::span<const Tensor> inputs) {
  try {
    op.CheckInputs(inputs);
  } catch (const RefusedInput& refused) {
    Refusal refusal = refused.refusal();
    for (const InputSource& source : kSources) {
      if (!(problem.*source.file).empty() && refusal.where.starts_with(Say(source.name, " "))) {
        refusal.where = Say(source.name, "_file: ", problem.*source.file, ": ", refusal.where);
        break;
      }
    }
    throw RefusedInput(std::move(refusal));
  }
}

void JudgeFaults(CaseResult& result) {
  const std::vector<Fault>& faults = result.launch->faults;
  if (!faults.empty()) {
    const bool only_hazards = result.Hazards() == std::ssize(faults);
    result.verdict = only_hazards ? Verdict::kHazard : Verdict::kFault;
    result.message = TextOf(faults);
  }
}

bool HasFiles(const Case& problem, const Operator& op) {
  const std::vector<OperatorTensor> inputs = op.Inputs();
  return std::ranges::any_of(kSources, [&](const InputSource& source) {
    return !(problem.*source.file).empty() &&
           std::ranges::count(inputs, source.name, &OperatorTensor::name) > 0;
  });
}

void RequireSite(const std::optional<SourceLine>& dropped, const std::set<SyncSite>& sites) {
  if (!dropped) {
    return;
  }
  std::string known;
  for (const SyncSite& site : sites) {
    const std::string_view file = site.where.file;
    if (site.where.line == dropped->line && file.ends_with(dropped->file)) {
      return;
    }
    known += Say(known.empty() ? "" : ", ", file.substr(file.rfind('/') + 1), ":", site.where.line, " ",
                 site.call);
  }
  throw UserError(Say("--drop-sync = '", dropped->file, ":", dropped->line,
                      "': no synchronising call there; those of this run: ", known));
}

void RequireRoom(const Operator& op, const SocConfig& soc, const HarnessOptions& options, const Plan& plan) {
  uint64_t bytes = 0;
  std::string names;
  const LaunchOptions launch = TimedLaunch(op, plan, {});
  const std::vector<GmBuffer>& buffers = launch.gm.buffers();
  for (const GmBuffer& buffer : buffers) {
    bytes += buffer.size_bytes;
    names += Say(names.empty() ? "" : &buffer == &buffers.back() ? " and " : ", ", buffer.name);
  }
  RequireUser(bytes <= static_cast<uint64_t>(soc.gm_bytes), names, " take ", bytes, " bytes of GM, ",
              soc.name, " has ", soc.gm_bytes, " (memory.gm_bytes); give a smaller case");
  const uint64_t machine =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  RequireUser(!options.mode.values || bytes <= machine / 4 * 3, names, " take ", bytes,
              " bytes, this machine has ", machine, "; use --mode timing, or give a smaller case");
}

void JudgeOutputs(const Case& problem, const Operator& op, const Plan& plan, const SocConfig& part,
                  std::vector<CaseTruth> truths, const RunOptions& options, CaseResult& result) {
  const ComparisonVerdict verdict =
      CompareWithTruth(op, plan, part, result.outputs, std::move(truths), options);
  result.comparison = verdict.comparison;
  result.nan_from_padding = verdict.nan_on_device;
  if (!verdict.equal && result.verdict == Verdict::kOk) {
    result.verdict = Verdict::kMismatch;
  }
  AddLine(result.message, verdict.message);
  if (!verdict.equal) {
    AddLine(result.message, RandomInputsNote(problem, op));
  }
}

void TellNotFinite(const Operator& op, const SocConfig& part, CaseResult& result) {
  AddLine(result.message, NotFiniteNote(op.Outputs().front(), part));
}

void RefusePlan(const Case& problem, const Plan& plan, CaseResult& result) {
  result.verdict = plan.planner == "given" ? Verdict::kRefused : Verdict::kNoTiling;
  const std::string reasons = Joined(plan.reasons);
  result.message = result.verdict == Verdict::kRefused ? AtItsPlace(problem, reasons) : reasons;
}

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

int64_t CaseResult::Hazards() const {
  return launch ? std::ranges::count(launch->faults, FaultKind::kHazard, &Fault::kind) : 0;
}

std::vector<Tensor> MakeInputs(const Case& problem, const Operator& op) {
  std::vector<Tensor> inputs;
  for (const OperatorTensor& input : op.Inputs()) {
    inputs.push_back(MakeInput(problem, input));
  }
  return inputs;
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
