// `tilesim plan`: the tiling of each case, without running it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/plan_row.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/harness/harness.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/sequence/sequence_steps.h"

namespace tilesim {
namespace {

Planned Refused(const std::string& id, const Arguments& arguments, std::vector<std::string> reasons) {
  Plan plan;
  plan.planner = arguments.Has("tiling") ? "given" : arguments.Text("planner", "op");
  plan.reasons = std::move(reasons);
  return {id, std::move(plan), Outcome::kUserMistake};
}

// A row that cannot be planned does not stop the others.
Planned PlanOne(const CaseOrError& item, const Arguments& arguments, SocShelf& socs) {
  if (const auto* const error = std::get_if<CaseError>(&item)) {
    std::vector<std::string> reasons;
    for (const Refusal& refusal : error->refusals) {
      reasons.push_back(Say(error->place, ": ", Sentence(refusal)));
    }
    return Refused(error->id, arguments, std::move(reasons));
  }
  const Case& problem = std::get<Case>(item);
  try {
    const SocConfig& soc = socs.For(problem);
    Plan plan = ChoosePlan(problem, *MakeOperator(problem), soc, PlanOptionsOf(arguments, soc));
    const Outcome outcome = plan.legal                ? Outcome::kDone
                            : plan.planner == "given" ? Outcome::kUserMistake
                                                      : Outcome::kNo;
    return {problem.id, std::move(plan), outcome};
  } catch (const UserError& error) {
    return Refused(problem.id, arguments,
                   {Say(problem.place, problem.place.empty() ? "" : ": ", error.what())});
  }
}

// A kernel of a sequence that is not the case's own, with the planner of its own.
Planned PlanStep(const Case& problem, const SequenceStep& step, const Arguments& arguments, SocShelf& socs) {
  try {
    const SocConfig& soc = socs.For(problem);
    Plan plan = PlanOfStep(step, soc, PlanOptionsOf(arguments, soc).cores);
    const Outcome outcome = plan.legal ? Outcome::kDone : Outcome::kNo;
    return {problem.id, std::move(plan), outcome};
  } catch (const UserError& error) {
    return Refused(problem.id, arguments,
                   {Say(problem.place, problem.place.empty() ? "" : ": ", error.what())});
  }
}

// A case with the kernels that --sequence aclnn adds around its own.
std::vector<Planned> PlanAll(const CaseOrError& item, const Arguments& arguments, SocShelf& socs) {
  const auto* const problem = std::get_if<Case>(&item);
  std::vector<Planned> all;
  if (problem != nullptr && IsAclnn(arguments)) {
    for (const SequenceStep& step : AclnnSteps(*problem)) {
      all.push_back(step.is_own ? PlanOne(item, arguments, socs) : PlanStep(*problem, step, arguments, socs));
      all.back().kernel = step.kernel;
      all.back().is_own = step.is_own;
    }
  }
  if (all.empty()) {
    all.push_back(PlanOne(item, arguments, socs));
  }
  return all;
}

// Nothing is written of a case without a tiling; its own answer says why.
void WriteBinary(const std::string& path, const Planned& planned) {
  if (!planned.plan.HasTiling()) {
    std::fprintf(stderr, "tilesim: %s: not written, case '%s' has no tiling\n", path.c_str(),
                 planned.id.c_str());
    return;
  }
  const std::vector<std::byte> bytes = ToBytes(planned.plan.tiling);
  WriteWholeText(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// ".TransData_x" of a kernel beside the case's own; nothing of that.
std::string FileKernel(const Planned& planned) {
  std::string name = planned.is_own ? "" : "." + planned.kernel;
  std::ranges::replace(name, ' ', '_');
  return name;
}

}  // namespace

CommandEnd PlanCommand(const Arguments& arguments) {
  const std::vector<CaseOrError> cases = ChosenCases(arguments);
  RequireUser(cases.size() == 1 || !arguments.Has("binary"), "--binary takes one case, there are ",
              cases.size(), "; choose it with --id");
  SocShelf socs(arguments);
  (void)PlanOptionsOf(arguments, socs.Default());  // a mistake in an option stops the command at once
  const std::string format = FormatOf(arguments, "json");
  const std::filesystem::path folder = arguments.Text("output", "");
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  const std::vector<ReportColumn> columns = PlanColumns(cases, IsAclnn(arguments));
  const std::unique_ptr<Reporter> reporter = MakeReporter(format, columns);
  Progress progress(cases.size(), static_cast<double>(cases.size()), arguments.Has("quiet"));
  PrintNow(reporter->Head());
  Outcome worst = Outcome::kDone;
  for (const CaseOrError& item : cases) {
    progress.Begin(IdOf(item), 1);
    const std::vector<Planned> all = PlanAll(item, arguments, socs);
    progress.End();
    for (const Planned& planned : all) {
      PrintNow(format == "json" ? JsonOf(planned) : reporter->Text(ToRow(planned)));
      RowIsKept();
      if (!folder.empty() && planned.plan.HasTiling()) {
        WriteWholeText(folder / (planned.id + FileKernel(planned) + ".tiling.json"), IndentedJsonOf(planned));
      }
      if (arguments.Has("binary") && planned.is_own) {
        WriteBinary(arguments.Text("binary", ""), planned);
      }
      worst = Worse(worst, planned.outcome);
    }
  }
  return worst;
}

}  // namespace tilesim
