// `tilesim tune`: the best tiling of each case, and how good it is.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/case_source.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/kernel_file.h"
#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/tune/merge.h"
#include "cli/tune/record_file.h"
#include "cli/tune/shard.h"
#include "cli/tune/tiling_files.h"
#include "cli/tune/tune_limits.h"
#include "cli/tune/tuned_row.h"
#include "cli/tune_file/tune_file.h"
#include "formats/counted.h"
#include "formats/error.h"
#include "ops/knowledge/model_version.h"
#include "ops/knowledge/near_plan.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/plans/choose_plan.h"
#include "ops/tune/tune_operator.h"

namespace tilesim {
namespace {

void Complain(const Case& problem, const std::string& what) {
  std::fprintf(stderr, "tilesim: %s: %s\n", problem.id.c_str(), what.c_str());
}

TuneObjective ObjectiveOf(const Arguments& arguments) {
  const std::string name = arguments.Choice("objective", kTuneObjectiveNames);
  return static_cast<TuneObjective>(std::ranges::find(kTuneObjectiveNames, name) -
                                    kTuneObjectiveNames.begin());
}

// Whose the tiling is, in the words of Tuned::from: the search, a planner, or the seed where it is neither's.
std::string WhoseIs(const Plan& plan, const std::string& seed_from) {
  if (plan.planner == "tuned") {
    return "search";
  }
  return plan.planner == "op" || plan.planner == "api" ? plan.planner : seed_from;
}

// What one run does with each case.
class Tuner {
 public:
  Tuner(const Arguments& arguments, const TuneLimits& limits, RowPrinter& printer, RecordFile* records)
      : arguments_(arguments), limits_(limits), printer_(printer), records_(records) {}

  Outcome Tune(const Case& problem, const SocConfig& soc) const {
    const std::unique_ptr<Operator> op = MakeOperator(problem);
    RequireUser(
        op->HasTilings(), problem.op,
        " has no tilings to search yet; `tune` takes convolutions' gradients, max poolings and matmul");
    const int64_t cores = CoresFor(problem, *op, soc, PlanOptionsOf(arguments_, soc));
    const auto start = std::chrono::steady_clock::now();
    const KnowledgeBase* const base = PlanOptionsOf(arguments_, soc).knowledge;
    const std::optional<TuneSeed> seed =
        base == nullptr ? std::nullopt : SeedOf(*base, problem, *op, soc, cores);
    if (const std::string why = base == nullptr ? "" : WhyPassedOver(*base, problem, soc, cores);
        !why.empty()) {
      Complain(problem, why);
    }
    const Tuned tuned =
        TuneOperator(*op, soc, cores, limits_, ObjectiveOf(arguments_), seed ? &*seed : nullptr);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!tuned.best) {
      printer_.Print(UntunedRow(problem.id, PlainText(tuned.reasons)));
      return Outcome::kNo;
    }
    if (const std::string folder = arguments_.Text("output", ""); !folder.empty()) {
      WriteTiling(folder, problem.id, 1, tuned.best->plan);
      RemoveTilingsBehind(folder, problem.id, std::max<size_t>(1, tuned.front.size()));
    }
    KnowledgeRecord record = RecordOf(problem, soc, cores, tuned);
    if (limits_.seconds > 0 && took.count() >= limits_.seconds && tuned.considered == 0 && !tuned.proven) {
      record.origin.sentence += Say("; the budget of ", BudgetOf(arguments_),
                                    " was over before the search began, nothing was searched; give more");
    }
    const SeededBy seeded = seed ? SeededBy{seed->place, tuned.seed->cost.time_us} : SeededBy{};
    const ReportRow row = TunedRow(record, took.count(), seeded);
    if (records_ != nullptr &&
        (tuned.proven || !limits_.stop())) {  // one that was cut short is searched again
      try {
        records_->Add(record);
      } catch (const UserError&) {  // what was found is told all the same
        printer_.Print(row);
        throw;
      }
    }
    printer_.Print(row);
    PrintFront(problem, soc, cores, tuned, seed ? seed->from : "");
    return Outcome::kDone;
  }

  // Whether an earlier run has done the case: then its row is printed again.
  [[nodiscard]] bool IsDone(const Case& problem) const {
    if (records_ == nullptr) {
      return false;
    }
    for (const KnowledgeRecord& record : records_->left().records()) {
      if (record.origin.id == problem.id && record.origin.row == problem.row) {
        printer_.Print(TunedRow(record, std::nullopt));
        return true;
      }
    }
    return false;
  }

 private:
  // A row for each of the front behind that of the fastest, and its tiling: <id>.2.tiling.json, ...
  void PrintFront(const Case& problem, const SocConfig& soc, int64_t cores, const Tuned& tuned,
                  const std::string& seed_from) const {
    for (size_t i = 1; i < tuned.front.size(); ++i) {
      Tuned other = tuned;
      other.best = tuned.front[i];
      other.from = WhoseIs(other.best->plan, seed_from);
      KnowledgeRecord record = RecordOf(problem, soc, cores, other);
      record.origin.optimal = false;  // not the fastest
      record.origin.sentence.clear();
      printer_.Print(TunedRow(record, std::nullopt));
      if (const std::string folder = arguments_.Text("output", ""); !folder.empty()) {
        WriteTiling(folder, problem.id, i + 1, other.best->plan);
      }
    }
  }

  const Arguments& arguments_;
  const TuneLimits& limits_;
  RowPrinter& printer_;
  RecordFile* records_;
};

// What stands in the files already must go together with this run: an earlier run's records are of its cases,
// and all times of one model.
void RequireOwn(const Arguments& arguments, const RecordFile& records, const std::vector<CaseOrError>& cases,
                SocShelf& socs, TuneObjective objective) {
  for (const CaseOrError& item : cases) {
    if (const auto* const problem = std::get_if<Case>(&item)) {
      const SocConfig& soc = socs.For(*problem);
      records.RequireModel(soc.name, ModelVersion(soc));
    }
  }
  for (const KnowledgeRecord& record : records.left().records()) {
    const auto same = std::ranges::find_if(cases, [&](const CaseOrError& item) {
      const auto* const problem = std::get_if<Case>(&item);
      if (problem == nullptr || problem->id != record.origin.id || problem->row != record.origin.row ||
          KeyOf(*problem) != record.key) {
        return false;
      }
      const SocConfig& soc = socs.For(*problem);
      return soc.name == record.origin.soc && ModelVersion(soc) == record.origin.model &&
             CoresFor(*problem, *MakeOperator(*problem), soc, PlanOptionsOf(arguments, soc)) ==
                 record.origin.cores &&
             record.origin.objective == Name(objective);
    });
    RequireUser(same != cases.end(), record.place, ": an earlier run has left a record of case '",
                record.origin.id, "' on ", Counted(record.origin.cores, "core"), " of ", record.origin.soc,
                ", model ", record.origin.model, ", by ", record.origin.objective,
                ", which this run has not; finish that run with its own options, or remove the file to begin "
                "anew");
  }
}

// The cases of this process.
std::vector<CaseOrError> OwnCases(const Arguments& arguments, const Shard& shard) {
  std::vector<CaseOrError> own;
  size_t index = 0;
  for (CaseOrError& item : ChosenCases(arguments)) {
    if (shard.Has(index++)) {
      own.push_back(std::move(item));
    }
  }
  return own;
}

// What an interrupted run leaves of its knowledge base.
void Leave(const RecordFile& records, size_t cases, bool quiet) {
  records.RemoveIfEmpty();
  if (quiet) {
    return;
  }
  if (records.held() > 0) {
    std::fprintf(stderr, "tilesim: %s holds %zu of %zu cases; the same command goes on from there\n",
                 records.part().c_str(), records.held(), cases);
  } else {
    std::fprintf(stderr, "tilesim: no search came to its end, %s is not left; the same command begins anew\n",
                 records.part().c_str());
  }
}

}  // namespace

CommandEnd TuneCommand(const Arguments& arguments) {
  if (IsOnFile(arguments)) {
    return TuneOnFile(arguments);
  }
  RequireUser(!arguments.Has("strict-sync"),
              "--strict-sync: is for a kernel file; name it: tilesim tune add.asc --strict-sync ...");
  if (arguments.Has("merge")) {
    return MergeRecords(arguments);
  }
  const Shard shard = ShardOf(arguments);
  const std::vector<CaseOrError> cases = OwnCases(arguments, shard);
  if (cases.empty() && !arguments.Has("quiet")) {
    std::fprintf(stderr, "tilesim: no case falls to share %zu of %zu\n", shard.number, shard.count);
  }
  SocShelf socs(arguments);
  NotedInterrupt interrupt("ends the search in hand and keeps its best; once more ends the program");
  const TuneObjective objective = ObjectiveOf(arguments);  // a mistake in an option stops the command at once
  RequireUser(objective != TuneObjective::kPareto || !arguments.Has("kb-out"),
              "--objective = 'pareto' and --kb-out exclude each other: it finds several tilings of a case, a "
              "knowledge base holds one; give --objective time, traffic or l1, or leave --kb-out out");
  (void)KnowledgeOf(arguments);
  TuneLimits limits = TuneLimitsOf(arguments);
  limits.stop = [&interrupt] {
    interrupt.BeginNoting();  // a search asks; what comes before it, the planners' runs, could not end itself
    return interrupt.asked();
  };
  const std::filesystem::path folder = arguments.Text("output", "");
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  std::optional<RecordFile> records;
  if (arguments.Has("kb-out")) {
    records.emplace(shard.Named(arguments.Text("kb-out", "")));
    RequireOwn(arguments, *records, cases, socs, objective);
    if (const size_t left = records->left().records().size(); left > 0 && !arguments.Has("quiet")) {
      std::fprintf(stderr, "tilesim: goes on from %s, which has %zu of %zu cases\n", records->part().c_str(),
                   left, cases.size());
    }
  }
  std::optional<OnInterrupt> leave;
  if (records) {
    leave.emplace([&] { Leave(*records, cases.size(), arguments.Has("quiet")); });
  }
  const std::vector<ReportColumn> columns = TunedColumns(IdWidth(IdsOf(cases)));
  RowPrinter printer(FormatOf(arguments, "table"), columns,
                     folder.empty() ? "" : shard.Named(folder / "tuned.csv").string());
  const Tuner tuner(arguments, limits, printer, records ? &*records : nullptr);
  Progress progress(cases.size(), static_cast<double>(cases.size()), arguments.Has("quiet"));
  Outcome worst = Outcome::kDone;
  for (const CaseOrError& item : cases) {
    if (!interrupt.EndNoting()) {
      break;
    }
    if (const auto* const error = std::get_if<CaseError>(&item)) {
      printer.Print(UntunedRow(error->id, Sentence(*error)));
      worst = Worse(worst, Outcome::kUserMistake);
      continue;
    }
    const Case& problem = std::get<Case>(item);
    progress.Begin(problem.id, 1);
    try {
      if (!tuner.IsDone(problem)) {
        worst = Worse(worst, tuner.Tune(problem, socs.For(problem)));
      }
    } catch (const UserError& error) {
      printer.Print(UntunedRow(problem.id, error.what()));
      worst = Worse(worst, Outcome::kUserMistake);
    }
    progress.End();
    if (records && !records->is_whole()) {  // what is found from here on could not be kept
      break;
    }
  }
  printer.Finish();
  if (interrupt.asked()) {
    NotedInterrupt::Yield();
  }
  if (records && !records->is_whole()) {
    Leave(*records, cases.size(), arguments.Has("quiet"));
  } else if (records) {
    leave.reset();  // from here on all of it is kept
    records->Finish();
  }
  return worst;
}

}  // namespace tilesim
