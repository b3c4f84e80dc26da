// `tilesim plan`: the tiling of each case, without running it.
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/harness.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/sequence/sequence_steps.h"

namespace tilesim {
namespace {

using In = ReportColumn::In;

// A table joins fields that belong together, so that a row fits a line; CSV has those that each operator's
// tiling is chosen by, empty where it has none of that name.
constexpr ReportColumn kColumns[] = {{"id"},
                                     {"legal"},
                                     {"verdict", 9, {}, In::kTable},
                                     {"planner", 7},
                                     {"used_cores", 5, "cores"},
                                     {"strategy", 14},
                                     {"task", 15, {}, In::kTable},
                                     {"base MxNxK", 11, {}, In::kTable},
                                     {"step MxN KaxKb", 14, {}, In::kTable},
                                     {"copies", 6, {}, In::kTable},
                                     {"singleCoreCout"},
                                     {"singleCoreCin"},
                                     {"singleCoreHo"},
                                     {"singleCoreM"},
                                     {"baseM"},
                                     {"baseN"},
                                     {"baseK"},
                                     {"stepM"},
                                     {"stepN"},
                                     {"stepKa"},
                                     {"stepKb"},
                                     {"al1Pbuffer"},
                                     {"bl1Pbuffer"},
                                     {"al0Pbuffer"},
                                     {"bl0Pbuffer"},
                                     {"cl0Pbuffer"},
                                     {"iterateOrder", 5, "order"},
                                     // of poolings
                                     {"ncFactor"},
                                     {"dyFactor"},
                                     {"hyFactor"},
                                     {"wyFactor"},
                                     {"partH"},
                                     {"partW"},
                                     {"storeRows"},
                                     // of their gradients
                                     {"baseNc"},
                                     {"baseDo"},
                                     {"baseHo"},
                                     {"baseWo"},
                                     {"singleCoreDo"},
                                     {"cutD"},
                                     {"cutH"},
                                     {"cutW"},
                                     {"partDo"},
                                     {"partHo"},
                                     {"partWo"},
                                     {"outPoints"},
                                     {"xRows"},
                                     {"xTaps"},
                                     // of matmul
                                     {"singleCoreN"},
                                     {"singleCoreK"},
                                     {"depthA1"},
                                     {"depthB1"},
                                     {"dbL0A"},
                                     {"dbL0B"},
                                     {"dbL0C"},
                                     {"mTileCntL2"},
                                     {"nTileCntL2"},
                                     {"unitFlag"},
                                     {"reasons", ReportColumn::kMessage},
                                     {"why", ReportColumn::kMessage}};

// What only matrix products have, convolutions among them: of no use where no case is one.
constexpr std::string_view kOfProducts[] = {"base MxNxK", "step MxN KaxKb", "copies", "iterateOrder"};

std::vector<ReportColumn> ColumnsFor(const std::vector<CaseOrError>& cases) {
  constexpr int kLongestStrategy = 17;  // of poolings
  std::vector<ReportColumn> columns(std::begin(kColumns), std::end(kColumns));
  bool products = false;
  bool others = false;
  for (const CaseOrError& item : cases) {
    if (const auto* const problem = std::get_if<Case>(&item)) {
      const bool is_product = std::holds_alternative<ConvCase>(problem->problem) ||
                              std::holds_alternative<MatmulCase>(problem->problem);
      products |= is_product;
      others |= !is_product;
    }
  }
  for (ReportColumn& column : columns) {
    if (column.name == "id") {
      column.table_width = IdWidth(cases);
    } else if (column.name == "strategy" && others) {
      column.table_width = kLongestStrategy;
    } else if (others && !products && std::ranges::find(kOfProducts, column.name) != std::end(kOfProducts)) {
      column.table_width = 0;
    }
  }
  return columns;
}

struct Planned {
  std::string id;
  Plan plan;
  Outcome outcome = Outcome::kDone;
  std::string kernel = {};  // of a sequence: which of its kernels
  bool is_own = true;       // the case's own kernel
};

nlohmann::ordered_json ToJson(const Planned& planned) {
  nlohmann::ordered_json object;
  object["id"] = planned.id;
  if (!planned.kernel.empty()) {
    object["kernel"] = planned.kernel;
  }
  object["legal"] = planned.plan.legal;
  object["planner"] = planned.plan.planner;
  object["reasons"] = planned.plan.reasons;
  object["why"] = planned.plan.why;
  object["tiling"] = ToJson(planned.plan.tiling);
  return object;
}

std::string OnLines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += Say(text.empty() ? "" : "\n", sentence);
  }
  return text;
}

// The fields, joined; nothing where the tiling has not all of them.
std::string Joined(const Plan& plan, std::initializer_list<std::string_view> fields,
                   std::string_view by = "x") {
  std::string text;
  for (const std::string_view field : fields) {
    const std::optional<int64_t> value = FieldOf(plan.tiling, field);
    if (!value) {
      return "";
    }
    text += Say(text.empty() ? "" : by, *value);
  }
  return text;
}

ReportCell CellOf(const std::string& text) { return text.empty() ? ReportCell() : ReportCell(text); }

// The part of the work that is done at once: of dw cout x cin x ho, of dx pixels x cin, of matmul m x n x k,
// of pooling lanes x depth x height x width, of copies and the like rows x columns.
std::string TaskOf(const Plan& plan) {
  const std::string of_family[] = {Joined(plan, {"singleCoreM", "singleCoreCin"}),
                                   Joined(plan, {"singleCoreCout", "singleCoreCin", "singleCoreHo"}),
                                   Joined(plan, {"singleCoreM", "singleCoreN", "singleCoreK"}),
                                   Joined(plan, {"ncFactor", "dyFactor", "hyFactor", "wyFactor"}),
                                   Joined(plan, {"baseNc", "baseDo", "baseHo", "baseWo"}),
                                   Joined(plan, {"tileRows", "tileColumns"})};
  const auto* const there = std::ranges::find_if_not(of_family, &std::string::empty);
  return there == std::end(of_family) ? "" : *there;
}

ReportCell TilingCell(std::string_view column, const Plan& plan) {
  if (column == "used_cores") {
    return plan.UsedCores();
  }
  if (column == "strategy") {
    return std::string(StrategyOf(plan.tiling));
  }
  if (column == "task") {
    return CellOf(TaskOf(plan));
  }
  if (column == "base MxNxK") {
    return CellOf(Joined(plan, {"baseM", "baseN", "baseK"}));
  }
  if (column == "step MxN KaxKb") {
    const std::string steps = Joined(plan, {"stepM", "stepN"});
    return CellOf(steps.empty() ? steps : Say(steps, " ", Joined(plan, {"stepKa", "stepKb"})));
  }
  if (column == "copies") {  // of A and B in L1, of matmul in blocks; of A, B and C in L0
    if (const std::string depths = Joined(plan, {"depthA1", "depthB1"}); !depths.empty()) {
      return CellOf(Say(depths, " ", Joined(plan, {"dbL0A", "dbL0B", "dbL0C"}, "")));
    }
    const std::string in_l1 = Joined(plan, {"al1Pbuffer", "bl1Pbuffer"}, "");
    return CellOf(in_l1.empty()
                      ? in_l1
                      : Say(in_l1, " ", Joined(plan, {"al0Pbuffer", "bl0Pbuffer", "cl0Pbuffer"}, "")));
  }
  const std::optional<int64_t> value = FieldOf(plan.tiling, column);
  return value ? ReportCell(*value) : ReportCell();
}

std::string VerdictOf(const Planned& planned) {
  if (planned.plan.legal) {
    return "legal";
  }
  return planned.outcome == Outcome::kUserMistake ? "refused" : "no_tiling";
}

ReportRow ToRow(const Planned& planned) {
  ReportRow row;
  for (const ReportColumn& column : kColumns) {
    if (column.name == "id") {
      row.emplace_back(planned.id);
    } else if (column.name == "legal") {
      row.emplace_back(planned.plan.legal);
    } else if (column.name == "verdict") {
      row.emplace_back(VerdictOf(planned));
    } else if (column.name == "planner") {
      row.emplace_back(planned.plan.planner);
    } else if (column.name == "reasons") {
      row.emplace_back(OnLines(planned.plan.reasons));
    } else if (column.name == "why") {
      row.emplace_back(OnLines(planned.plan.why));
    } else {
      row.push_back(planned.plan.HasTiling() ? TilingCell(column.name, planned.plan) : ReportCell());
    }
  }
  return row;
}

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
    Plan plan = PlanOfStep(step, socs.For(problem));
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

Outcome PlanCommand(const Arguments& arguments) {
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
  const std::vector<ReportColumn> columns = ColumnsFor(cases);
  const std::unique_ptr<Reporter> reporter = MakeReporter(format, columns);
  Progress progress(cases.size(), static_cast<double>(cases.size()), arguments.Has("quiet"));
  PrintNow(reporter->Head());
  Outcome worst = Outcome::kDone;
  for (const CaseOrError& item : cases) {
    progress.Begin(IdOf(item), 1);
    const std::vector<Planned> all = PlanAll(item, arguments, socs);
    progress.End();
    for (const Planned& planned : all) {
      PrintNow(format == "json" ? ToJson(planned).dump() + "\n" : reporter->Text(ToRow(planned)));
      if (!folder.empty() && planned.plan.HasTiling()) {
        WriteWholeText(folder / (planned.id + FileKernel(planned) + ".tiling.json"),
                       ToJson(planned).dump(2) + "\n");
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
