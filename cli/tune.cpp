// `tilesim tune`: the best tiling of each case, and how good it is.
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output_files.h"
#include "cli/plan_row.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "formats/error.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/tune/tune_operator.h"

namespace tilesim {
namespace {

std::vector<ReportColumn> Columns(int id_width) {
  return {{"id", id_width},
          {"api_us", 9},
          {"op_us", 9},
          {"tuned_us", 9},
          {"gain_over_api_percent", 7, "api %"},
          {"gain_over_op_percent", 6, "op %"},
          {"bound_us", 9},
          {"gap_percent", 6, "gap %"},
          {"proven", 6},
          {"legal", 0},
          {"considered", 11},
          {"played", 8},
          {"simulated", 9},
          {"seconds", 7},
          {"from", 7},
          {"cores", 5},
          {"gm_bytes", 0},
          {"l1_bytes", 0},
          {"sentence", ReportColumn::kMessage}};
}

// "30s", "1.5m", "250ms"; a number alone is seconds.
double SecondsOf(const std::string& text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 5> kUnits = {{{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view name(rest, static_cast<size_t>(end - rest));
  for (const Unit& unit : kUnits) {
    if (error == std::errc() && unit.name == name && value >= 0 && std::isfinite(value)) {
      return value * unit.seconds;
    }
  }
  throw UserError(Say("--budget = '", text, "': must be a time of 0 or more, such as 30s, 500ms or 5m"));
}

ReportCell Us(const std::optional<Tuned::Candidate>& candidate) {
  return candidate ? ReportCell(candidate->cost.time_us) : ReportCell();
}

// Percent of time that the best saves.
ReportCell Gain(const std::optional<Tuned::Candidate>& before, const Tuned& tuned) {
  return before ? ReportCell(100 * (1 - tuned.best->cost.time_us / before->cost.time_us)) : ReportCell();
}

ReportRow RowOf(const std::string& id, const Tuned& tuned, double seconds) {
  const TuneCost& cost = tuned.best->cost;
  return {id,
          Us(tuned.api),
          Us(tuned.op),
          cost.time_us,
          Gain(tuned.api, tuned),
          Gain(tuned.op, tuned),
          tuned.bound_us,
          tuned.gap_percent(),
          std::string(tuned.proven ? "yes" : "no"),
          tuned.proven ? ReportCell(tuned.legal) : ReportCell(),
          tuned.considered,
          tuned.played,
          tuned.simulated,
          seconds,
          tuned.from,
          cost.cores,
          cost.gm_bytes,
          cost.l1_bytes,
          tuned.Sentence()};
}

void Complain(const Case& problem, const std::string& what) {
  std::fprintf(stderr, "tilesim: %s: %s\n", problem.id.c_str(), what.c_str());
}

// As `plan --output` writes it, for --tiling.
void WriteTiling(const std::filesystem::path& folder, const std::string& id, const Plan& plan) {
  WriteWholeText(folder / (id + ".tiling.json"), ToJson(Planned{id, plan, Outcome::kDone}).dump(2) + "\n");
}

Outcome TuneOne(const Arguments& arguments, const Case& problem, const SocConfig& soc,
                const TuneLimits& limits, RowPrinter& printer) {
  const std::unique_ptr<Operator> op = MakeOperator(problem);
  RequireUser(
      op->Tilings(soc, 1) != nullptr, problem.op,
      " has no tilings to search yet; `tune` takes conv3d_backprop_filter and conv2d_backprop_filter");
  const int64_t cores = PlanOptionsOf(arguments, soc).cores.value_or(CoresOf(*op, soc));
  const auto start = std::chrono::steady_clock::now();
  const Tuned tuned = TuneOperator(*op, soc, cores, limits);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!tuned.best) {
    for (const std::string& reason : tuned.reasons) {
      Complain(problem, reason);
    }
    return Outcome::kNo;
  }
  if (const std::string folder = arguments.Text("output", ""); !folder.empty()) {
    WriteTiling(folder, problem.id, tuned.best->plan);
  }
  printer.Print(RowOf(problem.id, tuned, took.count()));
  return Outcome::kDone;
}

}  // namespace

Outcome TuneCommand(const Arguments& arguments) {
  const std::vector<CaseOrError> cases = ChosenCases(arguments);
  SocShelf socs(arguments);
  const NotedInterrupt interrupt;
  constexpr int64_t kMostThreads = 1024;
  TuneLimits limits;
  limits.seconds = SecondsOf(arguments.Text("budget", "30s"));
  limits.threads = static_cast<int>(
      arguments.Whole("threads", std::max<int64_t>(1, std::thread::hardware_concurrency()), 1, kMostThreads));
  limits.stop = [&interrupt] { return interrupt.asked(); };
  const std::filesystem::path folder = arguments.Text("output", "");
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  const std::vector<ReportColumn> columns = Columns(IdWidth(cases));
  RowPrinter printer(FormatOf(arguments, "table"), columns,
                     folder.empty() ? "" : (folder / "tuned.csv").string());
  Progress progress(cases.size(), static_cast<double>(cases.size()), arguments.Has("quiet"));
  Outcome worst = Outcome::kDone;
  for (const CaseOrError& item : cases) {
    if (interrupt.asked()) {
      break;
    }
    if (const auto* const error = std::get_if<CaseError>(&item)) {
      std::fprintf(stderr, "tilesim: %s\n", Sentence(*error).c_str());
      worst = Worse(worst, Outcome::kUserMistake);
      continue;
    }
    const Case& problem = std::get<Case>(item);
    progress.Begin(problem.id, 1);
    try {
      worst = Worse(worst, TuneOne(arguments, problem, socs.For(problem), limits, printer));
    } catch (const UserError& error) {
      Complain(problem, error.what());
      worst = Worse(worst, Outcome::kUserMistake);
    }
    progress.End();
  }
  printer.Finish();
  if (interrupt.asked()) {
    NotedInterrupt::Yield();
  }
  return worst;
}

}  // namespace tilesim
