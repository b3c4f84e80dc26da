#include "ops/harness/harness_steps.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "formats/error.h"
#include "ops/cases/case_inputs.h"
#include "ops/harness/harness_faults.h"
#include "ops/operator_run.h"

namespace tilesim {
namespace {

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += Say(text.empty() ? "" : "; ", line);
  }
  return text;
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

}  // namespace

std::string AtItsPlace(const Case& problem, std::string_view message) {
  return Say(problem.place, problem.place.empty() ? "" : ": ", message);
}

void JudgeFaults(CaseResult& result) {
  const std::vector<Fault>& faults = result.launch->faults;
  if (!faults.empty()) {
    const bool only_hazards = result.Hazards() == std::ssize(faults);
    result.verdict = only_hazards ? Verdict::kHazard : Verdict::kFault;
    result.message = TextOf(faults);
  }
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

void TellOfNothing(const Operator& op, const SocConfig& part, int64_t count, CaseResult& result) {
  AddLine(result.message, OfNothingNote(op.Outputs().front(), count, part));
}

void RefusePlan(const Case& problem, const Plan& plan, CaseResult& result) {
  result.verdict = plan.planner == "given" ? Verdict::kRefused : Verdict::kNoTiling;
  const std::string reasons = Joined(plan.reasons);
  result.message = result.verdict == Verdict::kRefused ? AtItsPlace(problem, reasons) : reasons;
}

}  // namespace tilesim
