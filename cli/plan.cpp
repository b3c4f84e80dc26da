// `tilesim plan`: the tiling of each case, without running it.
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/printer.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/harness.h"
#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/conv_backprop/filter_text.h"

namespace tilesim {
namespace {

constexpr ReportColumn kColumns[] = {{"id", 22},
                                     {"legal", 5},
                                     {"planner", 7},
                                     {"used_cores", 10},
                                     {"strategy", 14},
                                     {"singleCoreCout", 14},
                                     {"singleCoreCin", 13},
                                     {"singleCoreHo", 12},
                                     {"baseM", 5},
                                     {"baseN", 5},
                                     {"baseK", 5},
                                     {"stepM", 5},
                                     {"stepN", 5},
                                     {"stepKa", 6},
                                     {"stepKb", 6},
                                     {"al1Pbuffer", 10},
                                     {"bl1Pbuffer", 10},
                                     {"al0Pbuffer", 10},
                                     {"bl0Pbuffer", 10},
                                     {"cl0Pbuffer", 10},
                                     {"iterateOrder", 12},
                                     {"reasons", ReportColumn::kMessage},
                                     {"why", ReportColumn::kMessage}};

struct Planned {
  std::string id;
  FilterPlan plan;
  Outcome outcome = Outcome::kDone;
};

// A refused planner leaves the tiling empty.
bool HasTiling(const FilterPlan& plan) { return plan.tiling.data.dwTiling.baseM != 0; }

nlohmann::ordered_json ToJson(const Planned& planned) {
  nlohmann::ordered_json object;
  object["id"] = planned.id;
  object["legal"] = planned.plan.legal;
  object["planner"] = planned.plan.planner;
  object["reasons"] = planned.plan.reasons;
  object["why"] = planned.plan.why;
  object["tiling"] = HasTiling(planned.plan) ? ToJson(planned.plan.tiling) : nlohmann::ordered_json(nullptr);
  return object;
}

std::string OnLines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += Say(text.empty() ? "" : "\n", sentence);
  }
  return text;
}

ReportRow ToRow(const Planned& planned) {
  ReportRow row(std::size(kColumns));
  row[0] = planned.id;
  row[1] = planned.plan.legal;
  row[2] = planned.plan.planner;
  if (HasTiling(planned.plan)) {
    row[3] = planned.plan.tiling.split.used_cores;
    row[4] = std::string(Name(planned.plan.tiling.split.strategy));
    for (size_t i = 5; i + 2 < row.size(); ++i) {
      for (const FilterField& field : FilterFields()) {
        if (field.section == "dwTiling" && field.name == kColumns[i].name) {
          row[i] = static_cast<int64_t>(Get(planned.plan.tiling.data, field));
        }
      }
    }
  }
  row[row.size() - 2] = OnLines(planned.plan.reasons);
  row.back() = OnLines(planned.plan.why);
  return row;
}

Planned Refused(const std::string& id, const Arguments& arguments, const std::string& reason) {
  FilterPlan plan;
  plan.planner = arguments.Has("tiling") ? "given" : arguments.Text("planner", "op");
  plan.reasons = {reason};
  return {id, std::move(plan), Outcome::kUserMistake};
}

// A row that cannot be planned does not stop the others.
Planned PlanOne(const CaseOrError& item, const Arguments& arguments, SocShelf& socs) {
  if (const auto* const error = std::get_if<CaseError>(&item)) {
    return Refused(error->id, arguments, Sentence(*error));
  }
  const Case& problem = std::get<Case>(item);
  try {
    const SocConfig& soc = socs.For(problem);
    FilterPlan plan = ChoosePlan(problem, soc, PlanOptionsOf(arguments, soc));
    const Outcome outcome = plan.legal                ? Outcome::kDone
                            : plan.planner == "given" ? Outcome::kUserMistake
                                                      : Outcome::kNo;
    return {problem.id, std::move(plan), outcome};
  } catch (const UserError& error) {
    return Refused(problem.id, arguments, error.what());
  }
}

void WriteBinary(const std::string& path, const Planned& planned) {
  RequireUser(HasTiling(planned.plan), "--binary = '", path, "': case ", planned.id,
              " has no tiling; nothing was written");
  const auto bytes = ToBytes(planned.plan.tiling.data);
  WriteWholeText(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
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
  const std::unique_ptr<Reporter> reporter = MakeReporter(format, kColumns);
  PrintNow(reporter->Head());
  Outcome worst = Outcome::kDone;
  for (const CaseOrError& item : cases) {
    const Planned planned = PlanOne(item, arguments, socs);
    PrintNow(format == "json" ? ToJson(planned).dump() + "\n" : reporter->Text(ToRow(planned)));
    if (!folder.empty() && HasTiling(planned.plan)) {
      WriteWholeText(folder / (planned.id + ".tiling.json"), ToJson(planned).dump(2) + "\n");
    }
    if (arguments.Has("binary")) {
      WriteBinary(arguments.Text("binary", ""), planned);
    }
    worst = Worse(worst, planned.outcome);
  }
  return worst;
}

}  // namespace tilesim
